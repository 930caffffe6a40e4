import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.js';
import { type Floor, type Group, limit, type Measurement, requireRows, type Work } from './measure.js';
import { count, NDJSON, PHYSICAL_COLUMNS, type SampleRow, sampleRows, toKey, toNdjson } from './sample-rows.js';
import type { BenchTable, Sizes, Stage } from './stage.js';

/** Milliseconds, the time of a page of now or of a filter, and the rate of an export. */
const AIMS = { indexMs: 10, historyMs: 5, notesMs: 20, ofNow: 2, ofFilter: 1.25, ofExport: 0.45 };
/** The time of the SQL that a person would write for the same result, without HTTP, and of a bare controller. */
const AIMS_OF_SQL = { group: 1.5, reference: 1.3, page: 2, bareNest: 1.05 };
/** Occurs once per row of a response. */
const KEY = '"equnr":';
const [PLANTS, SITES] = [40, 2_000];
/** Rows of one request of an import. */
const PART_ROWS = 100_000;
/** Former versions of every tenth row. */
const VERSIONS = 10;
/** Requests of each contender per run. */
const REQUESTS = 10;

const text = (key: string, name: string) => ({ key, name, type: 'text', primaryKey: ['equnr', 'code'].includes(key) });
const SITE_COLUMNS = [text('code', 'Code'), text('name', 'Name')];
const EQUIPMENT_COLUMNS = [
  ...[text('equnr', 'Equipment'), text('name', 'Name'), text('description', 'Description'), text('plant', 'Plant')],
  { key: 'site', name: 'Site', type: 'reference', options: { target: { entity: 'location', table: 'Sites' } } },
  { key: 'weight', name: 'Weight', type: 'number' },
  { key: 'installed_on', name: 'Installed on', type: 'date' },
  // Without a target: it refers to any location.
  { key: 'area', name: 'Area', type: 'reference' },
];

/** Tables, and the number of rows of equipment. */
type Data = { equipment: BenchTable; sites: BenchTable; areas: BenchTable; rows: number };

/** Aggregates, pages, notes and the OData feed, one request at a time. */
export async function prepareQueries(stage: Stage, { rows }: Sizes): Promise<Group[]> {
  const data = await fill(stage, rows);
  const measurements = [
    ...compareWithSql(stage, data),
    ...(await compareNotes(stage)),
    ...(await comparePages(stage, data)),
    compareFeed(stage, data),
  ];
  return measurements.map((measurement) => ({ measurements: [measurement] }));
}

/** Equipment that refers to sites, with former versions of a tenth of it, and a tenth of its number of notes. */
async function fill(stage: Stage, rows: number): Promise<Data> {
  const sites = await stage.createTable('Sites', SITE_COLUMNS, 'locations');
  const siteRows = Array.from({ length: SITES }, (_, at) => ({
    code: `S${at}`,
    name: `Hall ${at % 50} of site ${at}`,
  }));
  await stage.import(sites, [toNdjson(siteRows)]);
  const areas = await stage.createTable('Areas', SITE_COLUMNS, 'locations');
  await stage.import(areas, [toNdjson(siteRows.map(({ code, name }) => ({ code: `A${code}`, name })))]);
  const equipment = await stage.createTable('Equipment', EQUIPMENT_COLUMNS);
  /** Sites and weights are scattered over the rows. */
  const toRow = ({ equnr, name, description, installed_on }: SampleRow, row: number) => ({
    equnr,
    name,
    description: `${description}, measured with the others of its line and plant`,
    plant: `P${row % PLANTS}`,
    site: `S${(Math.floor(row / PLANTS) * 7_919 + row) % SITES}`,
    weight: ((row * 104_729) % 1e6) / 4,
    installed_on,
    area: `${row % 2 ? 'A' : ''}S${row % SITES}`,
  });
  for (let from = 0; from < rows; from += PART_ROWS) {
    const part = sampleRows(from, Math.min(PART_ROWS, rows - from));
    await stage.import(equipment, [toNdjson(part.map((row, at) => toRow(row, from + at)))]);
  }
  const tenth = Math.floor(rows / 10);
  for (let version = 1; version <= VERSIONS; version++) {
    const part = Array.from({ length: tenth }, (_, at) => ({ equnr: toKey(at * 10), weight: -version }));
    requireRows((await stage.import(equipment, [toNdjson(part)])).totals.updated, tenth);
  }
  await stage.database.query(
    `INSERT INTO notes (workspace_id, id, number, title, description, status, priority, work_center, custom_fields, source)
     SELECT $1, gen_random_uuid(), 1000000000 + n, title, 'Found ' || title,
            (ARRAY['open', 'in_progress', 'closed'])[1 + n % 3], 'P' || n % 5, 'S' || n % ${SITES},
            jsonb_build_object('downtime', (n % 100)::text), 'workspace'
       FROM unnest($2::text[]) WITH ORDINALITY AS t (title, n)`,
    [stage.workspaceId, sampleRows(0, tenth).map(({ name }) => name)],
  );
  await stage.database.query(
    `VACUUM ANALYZE ${sites.physical}, ${areas.physical}, ${equipment.physical}, ${equipment.former}, notes`,
  );
  return { equipment, sites, areas, rows };
}

/** The path of a request, or a value of a statement, by the number of the request. */
type ToText = (number: number) => string;

function compare(name: string, service: Work, ...floors: Floor[]): Measurement {
  return { name, unit: 'ms', slices: REQUESTS, service, floors };
}

function read(stage: Stage, toPath: ToText, connection = stage.connection): Work {
  return stage.requests(stage.service, (number) => connection.read('GET', toPath(number)));
}

function byHand(stage: Stage, aim: number, sql: string, toValue?: ToText): Floor {
  const query = (number: number) => stage.database.query(sql, toValue && [toValue(number)]);
  return { name: 'SQL by hand', aim, work: stage.requests(undefined, query) };
}

/** Notes of the workspace, whose work center is a site. */
async function compareNotes(stage: Stage): Promise<Measurement[]> {
  const fields = [
    { key: 'workCenter', name: 'Work center', type: 'row', table: 'Sites' },
    { key: 'downtime', name: 'Downtime', type: 'number' },
  ];
  await stage.connection.call('PUT', `${stage.workspacePath}/note-fields`, { fields });
  const notes = `${stage.workspacePath}/notes`;
  const list = (field: string) => read(stage, (number) => `${notes}?${field}=S${number}&limit=100`);
  const group = (name: string, query: string, selected: string, by: string) => {
    const listed = `notes WHERE workspace_id = '${stage.workspaceId}' AND archived_at IS NULL`;
    const sql = `SELECT ${selected} FROM ${listed} GROUP BY ${by} ORDER BY ${by}`;
    return compare(
      `notes by ${name}`,
      read(stage, () => `${notes}/aggregate?${query}`),
      byHand(stage, AIMS_OF_SQL.group, sql),
    );
  };
  const sum = `sum((custom_fields ->> 'downtime')::float8)`;
  return [
    compare('notes by an indexed field', list('workCenter'), limit(AIMS.notesMs)),
    compare('notes by a filter', list('filter[workCenter]'), limit(AIMS.notesMs)),
    group('status and priority', 'group=status,priority', 'status, priority, count(*)', '1, 2'),
    group(
      'status: count, sum of a field',
      'group=status&measures=count,sum(downtime)',
      `status, count(*), ${sum}`,
      '1',
    ),
  ];
}

function compareWithSql(stage: Stage, { equipment: { path, physical }, sites, areas, rows }: Data): Measurement[] {
  const aggregate = (name: string, aim: number, query: string, sql: string) =>
    compare(
      name,
      read(stage, () => `${path}/aggregate?${query}`),
      byHand(stage, aim, sql),
    );
  /** A row in the first half of the table. */
  const toStart = (number: number) => toKey(Math.floor(((number % 50) * rows) / 100));
  const readFeed = (name: string, options: string, sql: string) => {
    const feed = `/odata/v4/${stage.workspaceId}/assets_Equipment?${options}&$filter=`;
    const toPath = (number: number) => feed + encodeURIComponent(`equnr ge '${toStart(number)}'`);
    return compare(name, read(stage, toPath), byHand(stage, AIMS_OF_SQL.page, sql, toStart));
  };
  const filterThrough = (name: string, column: string, sql: string) => {
    const toHall = (number: number) => `Hall ${number % 50} `;
    const toPath = (number: number) => {
      const filter = JSON.stringify({ [`${column}.name`]: { startsWith: toHall(number) } });
      return `${path}/items?filter=${encodeURIComponent(filter)}&sort=weight&limit=100`;
    };
    const floor = byHand(stage, AIMS_OF_SQL.reference, sql, (number) => `${toHall(number)}%`);
    return compare(`filter through a reference${name}`, read(stage, toPath), floor);
  };
  const toKeys = ({ physical: table }: BenchTable) => `SELECT c1 FROM ${table} WHERE c2 LIKE $1`;
  const columns = 'e.c1, e.c2, e.c3, e.c4, e.c5, e.c6, e.c7, e.c8';
  const joined = `${physical} e LEFT JOIN ${sites.physical} s ON s.c1 = e.c5`;
  return [
    aggregate(
      'group by plant: count, sum, min, max',
      AIMS_OF_SQL.group,
      'group=plant&measures=count,sum(weight),min(installed_on),max(installed_on)',
      `SELECT c4, count(*), sum(c6), min(c7), max(c7) FROM ${physical} GROUP BY c4 ORDER BY c4`,
    ),
    aggregate(
      'group by site, 100 groups',
      AIMS_OF_SQL.page,
      'group=site&measures=count&limit=100',
      `SELECT c5, count(*) FROM ${physical} GROUP BY c5 ORDER BY c5 LIMIT 101`,
    ),
    aggregate(
      'countDistinct by plant',
      AIMS_OF_SQL.page,
      'group=plant&measures=countDistinct(site)',
      `SELECT c4, count(c5) FROM (SELECT DISTINCT c4, c5 FROM ${physical}) d GROUP BY c4 ORDER BY c4`,
    ),
    readFeed(
      'OData, two columns of 5,000 rows',
      '$select=name,weight',
      `SELECT c2, c6 FROM ${physical} WHERE c1 >= $1 ORDER BY c1 LIMIT 5001`,
    ),
    readFeed(
      'OData, 1,000 rows with their site',
      '$expand=siteRow&$top=1000',
      `SELECT ${columns}, s.c1 AS code, s.c2 AS site FROM ${joined} WHERE e.c1 >= $1 ORDER BY e.c1 LIMIT 1001`,
    ),
    filterThrough('', 'site', `SELECT ${columns} FROM ${joined} WHERE s.c2 LIKE $1 ORDER BY e.c6, e.c1 LIMIT 101`),
    filterThrough(
      ' without target',
      'area',
      `SELECT ${columns} FROM ${physical} e WHERE e.c8 IN (${toKeys(sites)} UNION ALL ${toKeys(areas)})
        ORDER BY e.c6, e.c1 LIMIT 101`,
    ),
  ];
}

/** Pages of 100 rows with a filter and a sort, of a caller with a policy, and of the past. */
async function comparePages(stage: Stage, { equipment: { path, physical }, rows }: Data): Promise<Measurement[]> {
  await stage.connection.read('PUT', `${path}/indexes/plant,weight`);
  const isReady = ({ indexes }: { indexes: { state: string }[] }) => indexes.every(({ state }) => state === 'ready');
  while (!isReady(await stage.connection.call('GET', path))) await delay(500);
  const create = <T>(list: string, body: object) =>
    stage.connection.call<T>('POST', `${stage.workspacePath}/${list}`, { name: 'One plant', ...body });
  const rule = { entity: 'assets', table: 'Equipment', filter: { plant: 'P1' } };
  const policy = await create<{ id: string }>('access-policies', { tables: [rule] });
  const { apiKey } = await create<{ apiKey: string }>('api-keys', { policyId: policy.id });
  const restricted = new Connection(stage.service.baseUrl, { 'x-api-key': apiKey });
  const item = `json_build_array(${PHYSICAL_COLUMNS.slice(0, 7).join(', ')}) AS item`;
  const select = (rest: string) => `SELECT ${item} FROM ${physical} WHERE ${rest} LIMIT 101`;
  const floor = await stage.startFloor({
    ascending: select('left(c4, 40) = $1 ORDER BY c6, c1'),
    descending: select('left(c4, 40) = $1 ORDER BY c6 DESC, c1 DESC'),
    unindexed: select('c7 = $1 ORDER BY c6, c1'),
  });
  const bare = new Connection(floor.baseUrl);
  const readRows = (toQuery: ToText, connection?: Connection) =>
    read(stage, (number) => `${path}/items${toQuery(number)}`, connection);
  const readBare = (statement: string, toValue: ToText, aim?: number): Floor => {
    const toPath = (number: number) => `/page/${statement}?value=${toValue(number)}`;
    return { name: 'bare Nest', aim, work: stage.requests(floor, (number) => bare.read('GET', toPath(number))) };
  };
  const toPlant = (number: number) => `P${number % PLANTS}`;
  const toDate = (number: number) => `20${10 + (number % 15)}-0${1 + (number % 9)}-1${number % 10}`;
  const sortBy = (sort: string) => readRows((number) => `?filter[plant]=${toPlant(number)}&sort=${sort}&limit=100`);
  const withoutIndex = readRows((number) => `?filter[installed_on]=${toDate(number)}&sort=weight&limit=100`);
  const toStart = (number: number) => toKey(Math.floor(((number % 50) * rows) / 50));
  const history = readRows((number) => `/${toStart(number)}/history`);
  const from = (more: string) => (number: number) => `?limit=100&filter[equnr][gte]=${toStart(number)}${more}`;
  const byFilter = { name: 'filter by hand', aim: AIMS.ofFilter, work: readRows(from('&filter[plant]=P1')) };
  const ofNow = { name: 'page of now', aim: AIMS.ofNow, work: readRows(from('')) };
  const revision = Math.ceil(rows / PART_ROWS) + VERSIONS / 2;
  return [
    compare('page by index, ascending', sortBy('weight'), limit(AIMS.indexMs), readBare('ascending', toPlant)),
    compare('page by index, descending', sortBy('-weight'), limit(AIMS.indexMs), readBare('descending', toPlant)),
    compare('page without an index', withoutIndex, readBare('unindexed', toDate, AIMS_OF_SQL.bareNest)),
    compare('page with a policy', readRows(from(''), restricted), byFilter),
    compare('page as of a revision', readRows(from(`&asOf=${revision}`)), ofNow),
    compare('history of one row', history, limit(AIMS.historyMs)),
  ];
}

/** All pages of the OData feed by their links, compared with an export of the same rows. */
function compareFeed(stage: Stage, { equipment, rows }: Data): Measurement {
  const exporting = new Connection(stage.service.baseUrl, { ...stage.authorization, accept: NDJSON });
  const readExport = () => exporting.read('GET', `${equipment.path}/export`).then((content) => count(content, KEY));
  const readFeed = async () => {
    let [found, path] = [0, `/odata/v4/${stage.workspaceId}/assets_Equipment`];
    while (path !== '') {
      const page = await stage.connection.read('GET', path);
      found += count(page, KEY);
      // The link is at the end. The service has another public URL.
      const [, link] = /"@odata\.nextLink":"([^"]*)"/.exec(page.subarray(-2_000).toString()) ?? [];
      path = link === undefined ? '' : link.slice(link.indexOf('/odata/'));
    }
    return found;
  };
  const measure = (readAll: () => Promise<number>) => () =>
    stage.rate(stage.service, async () => {
      requireRows(await readAll(), rows);
      return rows;
    });
  const floor = { name: 'export as NDJSON', aim: AIMS.ofExport, work: measure(readExport) };
  return { name: 'OData feed, all rows', unit: 'rows/s', service: measure(readFeed), floors: [floor] };
}
