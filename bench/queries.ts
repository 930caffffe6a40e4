import { setTimeout as delay } from 'node:timers/promises';
import { physicalTableName } from '../src/modules/workspace-tables/catalog/physical-table.js';
import { Connection, parseReply } from './connection.js';
import { measure, percentile, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, spread, verdictAtMost } from './table.js';

const AIM_MS = { filter: 50, subtree: 100 };

/** Requests of each kind per run; their median counts. */
const REQUESTS = 20;

/** Children per row. A million rows then have 12 levels. */
const CHILDREN = 3.3;

/** Approximate rows of the subtree. */
const SUBTREE_ROWS = 10_000;

const COLUMNS = [
  { key: 'key', name: 'Key', type: 'text', primaryKey: true },
  { key: 'name', name: 'Name', type: 'text', options: { indexed: true } },
  { key: 'parent', name: 'Parent', type: 'hierarchyParent' },
  { key: 'weight', name: 'Weight', type: 'number', options: { indexed: true } },
  { key: 'installed', name: 'Installed', type: 'date', options: { indexed: true } },
  { key: 'site', name: 'Site', type: 'reference' },
];

/** Measures milliseconds of first pages of 100 rows from a large table, one request at a time. */
export async function benchQueries(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { importRows: count } = options;
  note(`queries: a table of ${integer(count)} rows`);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const { top, below, path } = await fill(stage, connection, count);
  const middle = await readCursor(connection, path, 'sort=weight&limit=5000', Math.floor(count / 2 / 5_000));
  const pick = (at: number) => 1 + ((at * 7_919) % count);
  const queries: Record<string, [aim: number, query: (at: number) => string]> = {
    'the first page': [AIM_MS.filter, () => ''],
    'a text is equal': [AIM_MS.filter, (at) => `filter[name]=Pump ${pick(at) % 5_000}`],
    'a number in a range': [AIM_MS.filter, (at) => `filter[weight][gte]=${at * 10}&filter[weight][lt]=${at * 10 + 1}`],
    'a date from a day on': [AIM_MS.filter, (at) => `filter[installed][gte]=2025-0${1 + (at % 9)}-15`],
    'sorted by a number, descending': [AIM_MS.filter, () => 'sort=-weight'],
    'a page in the middle, sorted by a number': [AIM_MS.filter, () => `sort=weight&cursor=${middle}`],
    'sorted by a text': [AIM_MS.filter, () => 'sort=name'],
    'rows that refer to one (assets at a location)': [AIM_MS.filter, (at) => `filter[site]=S${pick(at) % 20_000}`],
    'children of a row': [AIM_MS.filter, (at) => `filter[parent]=${formatKey(pick(at) % 300_000)}`],
    [`a subtree of ${integer(below)} rows`]: [AIM_MS.subtree, () => `under=${top}`],
  };
  const figures = await measure(options.runs, async (index) => {
    note(`queries: run ${index} of ${options.runs}`);
    const medians: Record<string, number> = {};
    for (const [name, [, query]] of Object.entries(queries)) {
      const times: number[] = [];
      for (let at = 0; at < REQUESTS; at++) {
        const url = `${path}?${encodeURI(query(index * REQUESTS + at))}`;
        times.push(1000 * (await secondsOf(async () => parseReply(await connection.get(url), 200))));
      }
      medians[name] = percentile(times, 0.5);
    }
    return medians;
  });
  connection.close();
  const rows = Object.entries(figures).map(([name, times]) => {
    const [aim] = queries[name]!;
    return [name, spread(times, milliseconds), ...verdictAtMost(times, aim, (limit) => `${limit} ms`)];
  });
  return [
    '## Queries of a large table',
    '',
    `First pages of 100 rows from ${integer(count)} in a hierarchy of 12 levels, one request at a time; the figure of a run is the median of ${REQUESTS} requests.`,
    'The columns of the filters and sorts have indexes; keys and references always have one.',
    '',
    markdownTable(['page', 'ms', 'aim', 'met'], rows),
  ].join('\n');
}

/** Returns the cursor after a number of pages. */
async function readCursor(connection: Connection, path: string, query: string, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page++) {
    const { data } = parseReply(await connection.get(`${path}?${query}${cursor && `&cursor=${cursor}`}`), 200) as {
      data: { nextCursor: string };
    };
    cursor = data.nextCursor;
  }
  return cursor;
}

/** Creates the table. SQL inserts the rows; the service builds the indexes. */
async function fill(
  stage: Stage,
  connection: Connection,
  count: number,
): Promise<{ top: string; below: number; path: string }> {
  const cw = `/v2/api/workspaces/${stage.workspaceId}/cw`;
  const body = { locations: [{ name: 'Queried', columns: COLUMNS, items: [] }] };
  const created = parseReply(await connection.post(`${cw}/locations/bulk`, Buffer.from(JSON.stringify(body))), 201) as {
    data: { tables: [{ id: string }] };
  };
  const [{ id }] = created.data.tables;
  const physical = physicalTableName({ workspaceId: stage.workspaceId, id });
  const parent = (n: string) => `'K' || lpad((1 + floor((${n} - 2) / ${CHILDREN}))::text, 8, '0')`;
  await stage.database.query(
    `INSERT INTO ${physical} (c1, c2, c3, c4, c5, c6, _revision, _created_at, _updated_at)
     SELECT 'K' || lpad(n::text, 8, '0'), 'Pump ' || n % 5000, CASE WHEN n > 1 THEN ${parent('n')} END, n % 100000 / 10.0,
            to_char(date '2020-01-01' + n % 2200, 'YYYY-MM-DD'), 'S' || n % 20000, 1, now(), now()
       FROM generate_series(1, $1::integer) n`,
    [count],
  );
  // Wait for the indexes: VACUUM would wait for the lock of the table while they are built.
  while (!(await isIndexed(connection, `${cw}/locations/${id}`))) await delay(500);
  await stage.database.query(`VACUUM ANALYZE ${physical}`);
  return { ...(await findSubtree(stage, physical, count)), path: `${cw}/locations/${id}/items` };
}

async function isIndexed(connection: Connection, table: string): Promise<boolean> {
  const { data } = parseReply(await connection.get(table), 200) as {
    data: { columns: { index?: { state: string } }[] };
  };
  const states = data.columns.flatMap(({ index }) => (index ? [index.state] : []));
  if (states.includes('failed')) throw new Error('An index failed.');
  return states.every((state) => state === 'ready');
}

/** Finds the row whose subtree is closest to SUBTREE_ROWS. */
async function findSubtree(stage: Stage, physical: string, count: number): Promise<{ top: string; below: number }> {
  const start = Math.max(1, Math.round((count / SUBTREE_ROWS) * 0.3));
  let best = { top: formatKey(1), below: count };
  for (let n = start; n < start * 4 + 10; n += Math.max(1, Math.floor(start / 10))) {
    const { rows } = await stage.database.query<{ below: number }>(
      `WITH RECURSIVE b (key) AS (SELECT $1::text COLLATE "C" UNION SELECT t.c1 FROM b JOIN ${physical} t ON t.c3 = b.key)
       SELECT count(*)::integer AS below FROM b`,
      [formatKey(n)],
    );
    const { below } = rows[0]!;
    if (Math.abs(below - SUBTREE_ROWS) < Math.abs(best.below - SUBTREE_ROWS)) best = { top: formatKey(n), below };
  }
  return best;
}

function formatKey(number: number): string {
  return `K${String(number).padStart(8, '0')}`;
}
