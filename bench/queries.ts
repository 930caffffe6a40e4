import { storedTableName } from '../packages/tables/src/catalog/physical-table.js';
import { Connection, parseReply } from './connection.js';
import { inTurn, measure, percentile, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { createRandom, createWords, mistype } from './sample-words.js';
import type { Stage } from './stage.js';
import {
  integer,
  markdownTable,
  megabytes,
  milliseconds,
  NONE,
  ratio,
  spread,
  verdict,
  verdictAtMost,
} from './table.js';

/** Aims: of the time of the same SQL by hand, milliseconds of the first hits, and share of the rate of an export. */
const AIMS = { group: 1.5, reference: 1.3, page: 2, searchMs: 50, ofExport: 0.5 };

const PLANTS = 40;
const SITES = 2_000;
const WORDS = 20_000;
/** Rows of one request of an import. */
const PART_ROWS = 100_000;
/** Requests of each kind per run; their median counts. */
const REQUESTS = 5;
/** Searches of each kind per run. */
const SEARCHES = 40;
const LIMIT = 100;
const HITS = 10;

const NDJSON = 'application/x-ndjson';
const EQUIPMENT = [
  { key: 'equnr', name: 'Equipment', type: 'text', primaryKey: true },
  { key: 'name', name: 'Name', type: 'text' },
  { key: 'description', name: 'Description', type: 'text' },
  { key: 'plant', name: 'Plant', type: 'text' },
  { key: 'site', name: 'Site', type: 'reference', options: { target: { entity: 'location', table: 'Sites' } } },
  { key: 'weight', name: 'Weight', type: 'number' },
  { key: 'installed_on', name: 'Installed on', type: 'date' },
] as const;
const SITE_COLUMNS = [
  { key: 'code', name: 'Code', type: 'text', primaryKey: true },
  { key: 'name', name: 'Name', type: 'text' },
] as const;

/** A table as the service has stored it. */
interface Table {
  path: string;
  physical: string;
}

interface Setting {
  stage: Stage;
  connection: Connection;
  equipment: Table;
  sites: Table;
  /** The names of the rows. */
  names: readonly string[];
  random: () => number;
  note: (line: string) => void;
}

/** Aggregates, filters through references, the search of a workspace, and the OData feed. */
export async function benchQueries(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { importRows: rows } = options;
  const notes = Math.round(rows / 10);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  note(`queries: a table of ${integer(rows)} rows, ${integer(notes)} notes`);
  const setting = await prepare(stage, connection, rows, notes, note);
  const byHand = await compareWithSql(setting, options);
  const comparisons = [
    '## Queries',
    '',
    `A table of ${integer(rows)} rows, which refer to ${integer(SITES)} sites, and ${integer(notes)} notes, one request at a time. By hand is the`,
    `SQL that a person would write, without HTTP; the figure of a run is the median of ${REQUESTS} requests. A filter through a`,
    `reference reads ${LIMIT} rows sorted by a column without an index; pages of OData start within the table.`,
    '',
    markdownTable(['query', 'service ms', 'by hand ms', 'of by hand', 'aim', 'met'], byHand),
  ].join('\n');
  if (options.request !== '') {
    connection.close();
    return comparisons;
  }
  const indexing = await secondsOf(() => buildIndex(connection, stage));
  await stage.database.query('VACUUM ANALYZE search_entries, search_words');
  const searches = await measureSearches(setting, options);
  const reads = await measureReads(setting, options);
  connection.close();
  return [
    comparisons,
    '',
    `The first ${HITS} hits of each kind, ${SEARCHES} searches of each kind per run. Names have three of ${integer(WORDS)} words, and descriptions`,
    `eight. The index of the workspace was filled in ${integer(indexing)} s of searches that followed each other.`,
    '',
    markdownTable(['search', 'median ms', 'met', '95 % ms', 'met', 'longest ms'], searches),
    '',
    'All pages of the OData feed, and an export of the same rows. The growth is the difference between the peak memory of a',
    'new service after its first page and after all runs.',
    '',
    markdownTable(['all rows as', 'rows/s', 'of the export', 'aim', 'met', 'grew by'], reads),
  ].join('\n');
}

/** Imports the rows through the service, and inserts the notes with SQL. */
async function prepare(
  stage: Stage,
  connection: Connection,
  count: number,
  notes: number,
  note: Setting['note'],
): Promise<Setting> {
  const random = createRandom(20_261_126);
  const words = createWords(WORDS, random);
  const pick = (of: number) => Array.from({ length: of }, () => words[Math.floor(random() * words.length)]!).join(' ');
  const siteItems = Array.from({ length: SITES }, (_, at) => ({ code: `S${at}`, name: `Hall ${at % 50} ${pick(1)}` }));
  const sites = await createTable(stage, connection, 'locations', 'Sites', SITE_COLUMNS);
  const equipment = await createTable(stage, connection, 'assets', 'Equipment', EQUIPMENT);
  await load(connection, sites, siteItems);
  const names: string[] = [];
  for (let from = 0; from < count; from += PART_ROWS) {
    const items = Array.from({ length: Math.min(PART_ROWS, count - from) }, (_, at) => {
      const row = from + at;
      names.push(pick(3));
      return {
        equnr: toKey(row),
        name: names[row],
        description: pick(8),
        plant: `P${row % PLANTS}`,
        site: `S${Math.floor(random() * SITES)}`,
        weight: Math.floor(random() * 1e6) / 4,
        installed_on: `20${10 + (row % 15)}-0${1 + (row % 9)}-1${row % 10}`,
      };
    });
    await load(connection, equipment, items);
    note(`queries: ${integer(names.length)} rows imported`);
  }
  await stage.database.query(
    `INSERT INTO notes (workspace_id, id, number, title, description, status, source)
     SELECT $1, gen_random_uuid(), n, title, 'Found ' || title, 'open', 'api'
       FROM unnest($2::text[]) WITH ORDINALITY AS t (title, n)`,
    [stage.workspaceId, Array.from({ length: notes }, () => pick(3))],
  );
  for (const name of [sites.physical, equipment.physical, 'notes'])
    await stage.database.query(`VACUUM ANALYZE ${name}`);
  return { stage, connection, equipment, sites, names, random, note };
}

async function createTable(
  stage: Stage,
  connection: Connection,
  entity: 'assets' | 'locations',
  name: string,
  columns: readonly object[],
): Promise<Table> {
  const path = `/v2/api/workspaces/${stage.workspaceId}/cw/${entity}`;
  const body = Buffer.from(JSON.stringify({ [entity]: [{ name, columns, items: [] }] }));
  const { data } = parseReply(await connection.post(`${path}/bulk`, body), 201) as {
    data: { tables: [{ id: string }] };
  };
  const [{ id }] = data.tables;
  return { path: `${path}/${id}`, physical: storedTableName({ workspaceId: stage.workspaceId, id }) };
}

async function load(connection: Connection, { path }: Table, rows: readonly object[]): Promise<void> {
  const body = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  parseReply(await connection.postAs(NDJSON, `${path}/items/import`, body), 200);
}

interface Comparison {
  /** At most this ratio. */
  aim: number;
  url: (at: number) => string;
  sql: string;
  /** The parameter of the SQL. */
  value?: (at: number) => string;
}

/** The rows of the table that a benchmark compares the service with the same SQL by hand. */
async function compareWithSql(setting: Setting, { runs, request }: Options): Promise<string[][]> {
  const { stage, connection, equipment, sites, note } = setting;
  const filter = (name: string) => encodeURIComponent(JSON.stringify({ 'site.name': { startsWith: name } }));
  const feed = (at: number, options: string) => {
    const start = encodeURIComponent(`equnr ge '${toStart(at)}'`);
    return `/odata/v4/${stage.workspaceId}/assets_Equipment?$filter=${start}&${options}`;
  };
  /** A row in the first half of the table. */
  const toStart = (at: number) => toKey(Math.floor((at * setting.names.length) / 100));
  const all: Record<string, Comparison> = {
    'group by plant: count': {
      aim: AIMS.group,
      url: () => `${equipment.path}/aggregate?group=plant&measures=count`,
      sql: `SELECT c4, count(*) FROM ${equipment.physical} GROUP BY c4 ORDER BY c4`,
    },
    'group by plant: count, sum, min, max': {
      aim: AIMS.group,
      url: () =>
        `${equipment.path}/aggregate?group=plant&measures=count,sum(weight),min(installed_on),max(installed_on)`,
      sql: `SELECT c4, count(*), sum(c6), min(c7), max(c7) FROM ${equipment.physical} GROUP BY c4 ORDER BY c4`,
    },
    'group by site, 100 groups': {
      aim: AIMS.page,
      url: () => `${equipment.path}/aggregate?group=site&measures=count&limit=${LIMIT}`,
      sql: `SELECT c5, count(*) FROM ${equipment.physical} GROUP BY c5 ORDER BY c5 LIMIT ${LIMIT + 1}`,
    },
    'countDistinct by plant': {
      aim: AIMS.page,
      url: () => `${equipment.path}/aggregate?group=plant&measures=countDistinct(site)`,
      sql: `SELECT c4, count(c5) FROM (SELECT DISTINCT c4, c5 FROM ${equipment.physical}) d GROUP BY c4 ORDER BY c4`,
    },
    'OData, two columns of 5,000 rows': {
      aim: AIMS.page,
      url: (at) => feed(at, '$select=name,weight'),
      sql: `SELECT c2, c6 FROM ${equipment.physical} WHERE c1 >= $1 ORDER BY c1 LIMIT 5001`,
      value: toStart,
    },
    'OData, 1,000 rows with their site': {
      aim: AIMS.page,
      url: (at) => feed(at, '$expand=siteRow&$top=1000'),
      sql: `SELECT e.c1, e.c2, e.c3, e.c4, e.c5, e.c6, e.c7, s.c1 AS code, s.c2 AS site FROM ${equipment.physical} e
              LEFT JOIN ${sites.physical} s ON s.c1 = e.c5 WHERE e.c1 >= $1 ORDER BY e.c1 LIMIT 1001`,
      value: toStart,
    },
    'filter through a reference': {
      aim: AIMS.reference,
      url: (at) => `${equipment.path}/items?filter=${filter(`Hall ${at} `)}&sort=weight&limit=${LIMIT}`,
      sql: `SELECT e.c1, e.c2, e.c3, e.c4, e.c5, e.c6, e.c7 FROM ${equipment.physical} e JOIN ${sites.physical} s ON s.c1 = e.c5
             WHERE s.c2 LIKE $1 ORDER BY e.c6, e.c1 LIMIT ${LIMIT + 1}`,
      value: (at) => `Hall ${at} %`,
    },
  };
  const queries = Object.fromEntries(Object.entries(all).filter(([name]) => name.includes(request)));
  const figures = await measure(runs, async (index) => {
    note(`queries: by hand, run ${index} of ${runs}`);
    const medians: Record<string, number> = {};
    for (const [name, { url, sql, value }] of Object.entries(queries)) {
      const times: Record<'service' | 'hand', number[]> = { service: [], hand: [] };
      for (let at = 0; at < REQUESTS; at++) {
        const number = (index * REQUESTS + at) % 50;
        const seconds = await inTurn(at, {
          service: () => secondsOf(async () => parseReply(await connection.get(url(number)), 200)),
          hand: () => secondsOf(() => stage.database.query(sql, value ? [value(number)] : [])),
        });
        times.service.push(1_000 * seconds.service);
        times.hand.push(1_000 * seconds.hand);
      }
      medians[name] = percentile(times.service, 0.5);
      medians[`${name}, by hand`] = percentile(times.hand, 0.5);
    }
    return medians;
  });
  return Object.entries(queries).map(([name, { aim }]) => {
    const [own, floor] = [figures[name]!, figures[`${name}, by hand`]!];
    const shares = ratios(own, floor);
    const cells = [own, floor].map((times) => spread(times, milliseconds));
    return [name, ...cells, spread(shares, ratio), ...verdictAtMost(shares, aim, ratio)];
  });
}

/** Each search indexes for a moment: until everything is indexed, one follows the other. */
async function buildIndex(connection: Connection, stage: Stage): Promise<void> {
  while (!(await search(connection, stage, 'anything')).isCurrent);
}

async function search(connection: Connection, { workspaceId }: Stage, q: string) {
  const query = new URLSearchParams({ q, limit: String(HITS) }).toString();
  const reply = await connection.get(`/v2/api/workspaces/${workspaceId}/search?${query}`);
  return (parseReply(reply, 200) as { data: { groups: { kind: string; items: unknown[] }[]; isCurrent: boolean } })
    .data;
}

async function measureSearches(setting: Setting, { runs }: Options): Promise<string[][]> {
  const { stage, connection, names, random, note } = setting;
  const words = () => names[Math.floor(random() * names.length)]!.split(' ');
  const kinds: Record<string, () => string> = {
    'two words': () => words().slice(0, 2).join(' '),
    'one word': () => words()[0]!,
    'two mistyped words': () =>
      words()
        .slice(0, 2)
        .map((word) => mistype(word, random))
        .join(' '),
    'beginnings of three words': () =>
      words()
        .map((word) => word.slice(0, 5))
        .join(' '),
    'a key': () => toKey(Math.floor(random() * names.length)),
    'one letter': () => words()[0]!.slice(0, 1),
    'two letters': () => words()[0]!.slice(0, 2),
    'three letters': () => words()[0]!.slice(0, 3),
    'a frequent word': () => `P${Math.floor(random() * PLANTS)}`,
  };
  const durations: Record<string, number[]> = {};
  await measure(runs, async (index) => {
    note(`queries: searches, run ${index} of ${runs}`);
    for (const [kind, toQuery] of Object.entries(kinds)) {
      const own = index === 0 ? [] : (durations[kind] ??= []);
      for (let at = 0; at < SEARCHES; at++) {
        const q = toQuery();
        own.push(1_000 * (await secondsOf(() => search(connection, stage, q))));
      }
    }
    return {};
  });
  return Object.entries(durations).map(([kind, own]) => {
    const [median, slow, longest] = [0.5, 0.95, 1].map((share) => percentile(own, share));
    const met = (value: number) => (value <= AIMS.searchMs ? 'yes' : 'no');
    return [kind, milliseconds(median!), met(median!), milliseconds(slow!), met(slow!), milliseconds(longest!)];
  });
}

/** Reads all rows through the OData feed and as an export, from a service of its own. */
async function measureReads(setting: Setting, { runs }: Options): Promise<string[][]> {
  const { stage, equipment, names, note } = setting;
  const service = await stage.startService();
  const connection = new Connection(service.baseUrl, stage.authorization);
  const exporting = new Connection(service.baseUrl, { ...stage.authorization, accept: NDJSON });
  const feed = `/odata/v4/${stage.workspaceId}/assets_Equipment`;
  const firstPage = await connection.get(feed);
  parseReply(firstPage, 200);
  const before = service.peakMemory();
  const readFeed = async (options: string) => {
    let [path, rows]: [string | undefined, number] = [`${feed}${options}`, 0];
    while (path !== undefined) {
      const { status, body } = await connection.get(path);
      if (status !== 200) throw new Error(`Expected status 200, received ${status}: ${body.toString().slice(0, 500)}`);
      rows += countRows(body);
      path = findNextPath(body);
    }
    requireAll(rows, names.length);
  };
  const readExport = async () => {
    const { body } = await exporting.get(`${equipment.path}/export`);
    requireAll(countRows(body), names.length);
  };
  const figures = await measure(runs, async (index) => {
    note(`queries: all rows, run ${index} of ${runs}`);
    return inTurn(index, {
      export: () => secondsOf(readExport),
      feed: () => secondsOf(() => readFeed('')),
      selected: () => secondsOf(() => readFeed('?$select=equnr,name,weight')),
    });
  });
  const after = service.peakMemory();
  connection.close();
  exporting.close();
  await service.stop();
  const toRates = (seconds: readonly number[]) => seconds.map((each) => names.length / each);
  const exported = toRates(figures.export);
  const toRow = (name: string, seconds: readonly number[], aim?: number) => {
    const rates = toRates(seconds);
    return [name, spread(rates), spread(ratios(rates, exported), ratio), ...verdict(ratios(rates, exported), aim)];
  };
  const growth = before === undefined || after === undefined ? undefined : after - before;
  return [
    ['NDJSON export', spread(exported), NONE, NONE, NONE, NONE],
    [...toRow('OData', figures.feed, AIMS.ofExport), megabytes(growth)],
    [...toRow('OData, three properties', figures.selected), NONE],
  ];
}

/** Without parsing, because the client shares the machine with the service. */
function countRows(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(KEY); at >= 0; at = body.indexOf(KEY, at + KEY.length)) count++;
  return count;
}

const KEY = Buffer.from('"equnr":');

/** Bytes at the end of a page that contain its link. */
const LINK_BYTES = 2_000;

/** The path of the next page; the service has another public URL. */
function findNextPath(body: Buffer): string | undefined {
  const [, link] = /"@odata\.nextLink":("[^"]*")/.exec(body.subarray(-LINK_BYTES).toString()) ?? [];
  if (link === undefined) return undefined;
  const { pathname, search: query } = new URL(JSON.parse(link) as string);
  return pathname + query;
}

function requireAll(read: number, expected: number): void {
  if (read !== expected) throw new Error(`Expected ${expected} rows, but ${read} were read.`);
}

function toKey(row: number): string {
  return String(10_000_000 + row).padStart(18, '0');
}
