import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.js';
import { type Floor, type Group, limit, type Measurement, requireRows, type Work } from './measure.js';
import { count, NDJSON, PHYSICAL_COLUMNS, toKey, toNdjson } from './sample-rows.js';
import { createRandom, createWords, mistype } from './sample-words.js';
import type { BenchTable, Sizes, Stage } from './stage.js';

/** Milliseconds, the time of a page of now or of a filter, and the rate of an export. */
const AIMS = { searchMs: 50, indexMs: 10, historyMs: 5, notesMs: 20, ofNow: 2, ofFilter: 1.25, ofExport: 0.45 };
/** The time of the SQL that a person would write for the same result, without HTTP, and of a bare controller. */
const AIMS_OF_SQL = { group: 1.5, reference: 1.3, page: 2, bareNest: 1.05 };
/** Occurs once per row of a response. */
const KEY = '"equnr":';
const [PLANTS, SITES, WORDS] = [40, 2_000, 20_000];
/** Rows of one request of an import. */
const PART_ROWS = 100_000;
/** Former versions of every tenth row. */
const VERSIONS = 10;
/** Requests of each contender, and searches of each kind, per run. */
const [REQUESTS, SEARCHES] = [10, 40];

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

/** Tables, and the names of the rows of equipment, of three words each. */
type Data = { equipment: BenchTable; sites: BenchTable; areas: BenchTable; names: readonly string[] };

/** Aggregates, pages, notes, the OData feed and searches, one request at a time. */
export async function prepareQueries(stage: Stage, { rows }: Sizes): Promise<Group[]> {
  const random = createRandom(20_261_126);
  const data = await fill(stage, rows, random);
  const measurements = [
    ...compareWithSql(stage, data),
    ...(await compareNotes(stage)),
    ...(await comparePages(stage, data)),
    compareFeed(stage, data),
  ];
  const groups = measurements.map((measurement) => ({ measurements: [measurement] }));
  return [...groups, measureSearches(stage, data.names, random)];
}

/** Equipment that refers to sites, with former versions of a tenth of it, and a tenth of its number of notes. */
async function fill(stage: Stage, rows: number, random: () => number): Promise<Data> {
  const words = createWords(WORDS, random);
  const pick = (of: number) => Array.from({ length: of }, () => words[Math.floor(random() * words.length)]!).join(' ');
  const sites = await stage.createTable('Sites', SITE_COLUMNS, 'locations');
  const siteRows = Array.from({ length: SITES }, (_, at) => ({ code: `S${at}`, name: `Hall ${at % 50} ${pick(1)}` }));
  await stage.import(sites, [toNdjson(siteRows)]);
  const areas = await stage.createTable('Areas', SITE_COLUMNS, 'locations');
  await stage.import(areas, [toNdjson(siteRows.map(({ code, name }) => ({ code: `A${code}`, name })))]);
  const equipment = await stage.createTable('Equipment', EQUIPMENT_COLUMNS);
  const names: string[] = [];
  const addRow = (row: number) => ({
    equnr: toKey(row),
    name: (names[row] = pick(3)),
    description: pick(8),
    plant: `P${row % PLANTS}`,
    site: `S${Math.floor(random() * SITES)}`,
    weight: Math.floor(random() * 1e6) / 4,
    installed_on: `20${10 + (row % 15)}-0${1 + (row % 9)}-1${row % 10}`,
    area: `${row % 2 ? 'A' : ''}S${row % SITES}`,
  });
  for (let from = 0; from < rows; from += PART_ROWS) {
    const part = Array.from({ length: Math.min(PART_ROWS, rows - from) }, (_, at) => addRow(from + at));
    await stage.import(equipment, [toNdjson(part)]);
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
    [stage.workspaceId, Array.from({ length: tenth }, () => pick(3))],
  );
  await stage.database.query(
    `VACUUM ANALYZE ${sites.physical}, ${areas.physical}, ${equipment.physical}, ${equipment.former}, notes`,
  );
  return { equipment, sites, areas, names };
}

/** Notes of the workspace, whose work center is a site. */
async function compareNotes(stage: Stage): Promise<Measurement[]> {
  const fields = [
    { key: 'workCenter', name: 'Work center', type: 'row', table: 'Sites' },
    { key: 'downtime', name: 'Downtime', type: 'number' },
  ];
  await stage.connection.call('PUT', `${stage.workspacePath}/note-fields`, { fields });
  const read = (toQuery: ToText) =>
    stage.requests(stage.service, (number) =>
      stage.connection.read('GET', `${stage.workspacePath}/notes${toQuery(number)}`),
    );
  const query = (sql: string) => stage.requests(undefined, () => stage.database.query(sql, [stage.workspaceId]));
  const group = (name: string, groups: string, sql: string) =>
    compare(
      name,
      read(() => `/aggregate?${groups}`),
      { name: 'SQL by hand', aim: AIMS_OF_SQL.group, work: query(sql) },
    );
  const isListed = 'workspace_id = $1 AND archived_at IS NULL';
  const downtime = `(custom_fields ->> 'downtime')::float8`;
  return [
    compare(
      'notes by an indexed field',
      read((number) => `?workCenter=S${number}&limit=100`),
      limit(AIMS.notesMs),
    ),
    compare(
      'notes by a filter',
      read((number) => `?filter[workCenter]=S${number}&limit=100`),
      limit(AIMS.notesMs),
    ),
    group(
      'notes by status and priority',
      'group=status,priority',
      `SELECT status, priority, count(*) FROM notes WHERE ${isListed} GROUP BY 1, 2 ORDER BY 1, 2`,
    ),
    group(
      'notes by status: count, sum of a field',
      'group=status&measures=count,sum(downtime)',
      `SELECT status, count(*), sum(${downtime}) FROM notes WHERE ${isListed} GROUP BY 1 ORDER BY 1`,
    ),
  ];
}

function compare(name: string, service: Work, ...floors: Floor[]): Measurement {
  return { name, unit: 'ms', slices: REQUESTS, service, floors };
}

type ToText = (number: number) => string;

function compareWithSql(stage: Stage, { equipment: { path, physical }, sites, areas, names }: Data): Measurement[] {
  const compareTo = (sql: string, aim: number, name: string, toPath: ToText, toValue?: ToText) => {
    const toValues = (number: number) => (toValue ? [toValue(number % 50)] : []);
    const work = stage.requests(undefined, (number) => stage.database.query(sql, toValues(number)));
    const service = stage.requests(stage.service, (number) => stage.connection.read('GET', toPath(number % 50)));
    return compare(name, service, { name: 'SQL by hand', aim, work });
  };
  const aggregate = (name: string, aim: number, query: string, sql: string) =>
    compareTo(sql, aim, name, () => `${path}/aggregate?${query}`);
  /** A row in the first half of the table. */
  const toStart = (number: number) => toKey(Math.floor((number * names.length) / 100));
  const readFeed = (name: string, options: string, sql: string) => {
    const toFilter = (number: number) => encodeURIComponent(`equnr ge '${toStart(number)}'`);
    const feed = `/odata/v4/${stage.workspaceId}/assets_Equipment?${options}&$filter=`;
    return compareTo(sql, AIMS_OF_SQL.page, name, (number) => feed + toFilter(number), toStart);
  };
  const filterThrough = (name: string, column: string, sql: string) =>
    compareTo(
      sql,
      AIMS_OF_SQL.reference,
      name,
      (number) => {
        const filter = JSON.stringify({ [`${column}.name`]: { startsWith: `Hall ${number} ` } });
        return `${path}/items?filter=${encodeURIComponent(filter)}&sort=weight&limit=100`;
      },
      (number) => `Hall ${number} %`,
    );
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
    filterThrough(
      'filter through a reference',
      'site',
      `SELECT ${columns} FROM ${joined} WHERE s.c2 LIKE $1 ORDER BY e.c6, e.c1 LIMIT 101`,
    ),
    filterThrough(
      'filter through a reference without target',
      'area',
      `SELECT ${columns} FROM ${physical} e WHERE e.c8 IN (${toKeys(sites)} UNION ALL ${toKeys(areas)})
        ORDER BY e.c6, e.c1 LIMIT 101`,
    ),
  ];
}

/** Pages of 100 rows with a filter and a sort, of a caller with a policy, and of the past. */
async function comparePages(stage: Stage, { equipment: { path, physical }, names }: Data): Promise<Measurement[]> {
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
  const read = (toPath: ToText, connection = stage.connection) =>
    stage.requests(stage.service, (number) => connection.read('GET', `${path}/items${toPath(number)}`));
  const readBare = (statement: string, toValue: ToText, aim?: number): Floor => {
    const toPath = (number: number) => `/page/${statement}?value=${toValue(number)}`;
    return { name: 'bare Nest', aim, work: stage.requests(floor, (number) => bare.read('GET', toPath(number))) };
  };
  const toPlant = (number: number) => `P${number % PLANTS}`;
  const toDate = (number: number) => `20${10 + (number % 15)}-0${1 + (number % 9)}-1${number % 10}`;
  const sortBy = (sort: string) => read((number) => `?filter[plant]=${toPlant(number)}&sort=${sort}&limit=100`);
  const withoutIndex = read((number) => `?filter[installed_on]=${toDate(number)}&sort=weight&limit=100`);
  const toStart = (number: number) => toKey(Math.floor(((number % 50) * names.length) / 50));
  const history = read((number) => `/${toStart(number)}/history`);
  const from = (more: string) => (number: number) => `?limit=100&filter[equnr][gte]=${toStart(number)}${more}`;
  const byFilter = { name: 'filter by hand', aim: AIMS.ofFilter, work: read(from('&filter[plant]=P1')) };
  const ofNow = { name: 'page of now', aim: AIMS.ofNow, work: read(from('')) };
  const revision = Math.ceil(names.length / PART_ROWS) + VERSIONS / 2;
  return [
    compare('page by index, ascending', sortBy('weight'), limit(AIMS.indexMs), readBare('ascending', toPlant)),
    compare('page by index, descending', sortBy('-weight'), limit(AIMS.indexMs), readBare('descending', toPlant)),
    compare('page without an index', withoutIndex, readBare('unindexed', toDate, AIMS_OF_SQL.bareNest)),
    compare('page with a policy', read(from(''), restricted), byFilter),
    compare('page as of a revision', read(from(`&asOf=${revision}`)), ofNow),
    compare('history of one row', history, limit(AIMS.historyMs)),
  ];
}

/** All pages of the OData feed by their links, compared with an export of the same rows. */
function compareFeed(stage: Stage, { equipment, names }: Data): Measurement {
  const exporting = new Connection(stage.service.baseUrl, { ...stage.authorization, accept: NDJSON });
  const readExport = () => exporting.read('GET', `${equipment.path}/export`).then((rows) => count(rows, KEY));
  const readFeed = async () => {
    let [rows, path] = [0, `/odata/v4/${stage.workspaceId}/assets_Equipment`];
    while (path !== '') {
      const page = await stage.connection.read('GET', path);
      rows += count(page, KEY);
      // The link is at the end. The service has another public URL.
      const [, link] = /"@odata\.nextLink":"([^"]*)"/.exec(page.subarray(-2_000).toString()) ?? [];
      path = link === undefined ? '' : link.slice(link.indexOf('/odata/'));
    }
    return rows;
  };
  const measure = (readAll: () => Promise<number>) => () =>
    stage.rate(stage.service, async () => {
      requireRows(await readAll(), names.length);
      return names.length;
    });
  const floor = { name: 'export as NDJSON', aim: AIMS.ofExport, work: measure(readExport) };
  return { name: 'OData feed, all rows', unit: 'rows/s', service: measure(readFeed), floors: [floor] };
}

/** The first ten hits of what a person types who knows words, their beginnings, a key, or a letter. */
function measureSearches(stage: Stage, names: readonly string[], random: () => number): Group {
  const search = (q: string) => {
    const query = new URLSearchParams({ q, limit: '10' }).toString();
    return stage.connection.call<{ isCurrent: boolean }>('GET', `${stage.workspacePath}/search?${query}`);
  };
  const pick = (count: number, change = (word: string) => word) => {
    const words = names[Math.floor(random() * names.length)]!.split(' ').slice(0, count);
    return words.map(change).join(' ');
  };
  const kinds: Record<string, () => string> = {
    'two words': () => pick(2),
    'one word': () => pick(1),
    'two mistyped words': () => pick(2, (word) => mistype(word, random)),
    'beginnings of three words': () => pick(3, (word) => word.slice(0, 5)),
    'a key': () => toKey(Math.floor(random() * names.length)),
    'one letter': () => pick(1).slice(0, 1),
    'two letters': () => pick(1).slice(0, 2),
    'three letters': () => pick(1).slice(0, 3),
    'a frequent word': () => `P${Math.floor(random() * PLANTS)}`,
  };
  /** Each search indexes for a moment: until everything is indexed, one follows the other. */
  const buildIndex = async (run: number) => {
    if (run > 0) return;
    while (!(await search('anything')).isCurrent);
    await stage.database.query('VACUUM ANALYZE search_entries, search_words');
  };
  const measurements = Object.entries(kinds).map(([kind, toQuery]) => {
    const service = stage.requests(stage.service, () => search(toQuery()));
    const [slices, share] = [SEARCHES, 0.95];
    return { name: `search, ${kind}, p95`, unit: 'ms', slices, share, service, floors: [limit(AIMS.searchMs)] };
  });
  return { prepare: buildIndex, measurements };
}
