import { setTimeout as delay } from 'node:timers/promises';
import { Connection, parseReply } from './connection.js';
import { FILTERS, type FilterName } from './filters.js';
import { inTurn, measure, percentile, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { PHYSICAL_COLUMNS } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, NONE, ratio, spread, verdict, verdictAtMost } from './table.js';

const TABLE = 'filtered';
const LIMIT = 100;
/** Requests of each kind per run; their median counts. */
const REQUESTS = 10;
const MAKERS = ['Andritz', 'Siemens', 'Endress+Hauser', 'Grundfos', 'Flowserve', 'Böhler', 'ABB'];

interface Scenario {
  query: (value: string) => string;
  filter: FilterName;
  value: (at: number) => string;
  /** Most milliseconds, or least share of the speed of a bare controller. */
  aim: { ms: number } | { share: number };
}

const SCENARIOS: Record<string, Scenario> = {
  'composite index, ascending': {
    query: (value) => `filter[manufacturer]=${value}&sort=weight`,
    filter: 'ascending',
    value: (at) => MAKERS[at % MAKERS.length]!,
    aim: { ms: 10 },
  },
  'composite index, descending': {
    query: (value) => `filter[manufacturer]=${value}&sort=-weight`,
    filter: 'descending',
    value: (at) => MAKERS[at % MAKERS.length]!,
    aim: { ms: 10 },
  },
  'no index': {
    query: (value) => `filter[location]=${value}&sort=weight`,
    filter: 'unindexed',
    value: (at) => `B${at % 12}.${at % 90}.${at % 400}`,
    aim: { share: 0.95 },
  },
};

/**
 * Measures pages that filter by one column and sort by another, one at a time: compared with a bare NestJS controller,
 * and with its SELECT.
 */
export async function benchFilteredPages(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const { importRows: count } = options;
  note(`filtered pages: a table of ${integer(count)} rows`);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const { path, physical } = await fill(stage, connection, count);
  const floor = await stage.startFloor('bare-requests', physical, '', stage.workspaceId);
  const bare = new Connection(floor.baseUrl);
  const names = Object.keys(SCENARIOS);
  const figures = await measure(options.runs, async (index) => {
    note(`filtered pages: run ${index} of ${options.runs}`);
    const medians: Record<string, number> = {};
    for (const [name, { query, filter, value }] of Object.entries(SCENARIOS)) {
      const sql = `SELECT ${PHYSICAL_COLUMNS.join(', ')} FROM ${physical} WHERE ${FILTERS[filter]} LIMIT ${LIMIT + 1}`;
      const times: Record<'service' | 'bare' | 'hand', number[]> = { service: [], bare: [], hand: [] };
      for (let at = 0; at < REQUESTS; at++) {
        const each = value(index * REQUESTS + at);
        const encoded = encodeURIComponent(each);
        const url = `${path}?${query(encoded)}&limit=${LIMIT}`;
        const bareUrl = `/filtered/${filter}?value=${encoded}&limit=${LIMIT + 1}`;
        const seconds = await inTurn(at, {
          service: () => secondsOf(async () => parseReply(await connection.get(url), 200)),
          bare: () => secondsOf(async () => parseReply(await bare.get(bareUrl), 200)),
          hand: () => secondsOf(() => stage.database.query(sql, [each])),
        });
        times.service.push(1000 * seconds.service);
        times.bare.push(1000 * seconds.bare);
        times.hand.push(1000 * seconds.hand);
      }
      medians[name] = percentile(times.service, 0.5);
      medians[`${name}, bare`] = percentile(times.bare, 0.5);
      medians[`${name}, by hand`] = percentile(times.hand, 0.5);
    }
    return medians;
  });
  connection.close();
  bare.close();
  const rows = names.map((name) => {
    const own = figures[name]!;
    const floors = [figures[`${name}, bare`]!, figures[`${name}, by hand`]!];
    const { aim } = SCENARIOS[name]!;
    const share = ratios(floors[0]!, own);
    const met = 'ms' in aim ? verdictAtMost(own, aim.ms, (limit) => `${limit} ms`) : verdict(share, aim.share);
    return [
      name,
      spread(own, milliseconds),
      ...floors.map((times) => spread(times, milliseconds)),
      'ms' in aim ? NONE : spread(share, ratio),
      ...met,
    ];
  });
  return [
    '## Pages with a filter and a sort',
    '',
    `First pages of ${LIMIT} rows from ${integer(count)}, filtered by one column and sorted by another, one request at a time; the figure of a run is the`,
    `median of ${REQUESTS}. Bare Nest is a controller with the SELECT of the same rows, by hand is that SELECT without HTTP; both omit the check for deleted rows.`,
    '',
    markdownTable(['page', 'ms', 'bare Nest ms', 'by hand ms', 'of bare Nest', 'aim', 'met'], rows),
  ].join('\n');
}

/** Creates the table. SQL inserts the rows; the service builds the index. */
async function fill(stage: Stage, connection: Connection, count: number): Promise<{ path: string; physical: string }> {
  const { id, physical } = await stage.createTable(TABLE);
  await stage.database.query(
    `INSERT INTO ${physical} (${PHYSICAL_COLUMNS.join(', ')}, _revision, _created_at, _updated_at)
     SELECT lpad((10000000 + n)::text, 18, '0'), 'Feed pump ' || n, 'Feed pump, line ' || n % 40 || ', spare part list ' || n * 7,
            ($2::text[])[n % 7 + 1], 'B' || n % 12 || '.' || n % 90 || '.' || n % 400, n % 5000 / 4.0,
            '20' || 10 + n % 15 || '-0' || 1 + n % 9 || '-1' || n % 10, n % 5 <> 0, 1, now(), now()
       FROM generate_series(1, $1::integer) n`,
    [count, MAKERS],
  );
  const path = `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}`;
  await stage.database.query(`VACUUM ${physical}`);
  const response = await fetch(`${stage.service.baseUrl}${path}/indexes/manufacturer,weight`, {
    method: 'PUT',
    headers: stage.authorization,
  });
  if (response.status !== 201) throw new Error(`The index was not created: ${response.status}`);
  while (!(await isReady(connection, path))) await delay(500);
  return { path: `${path}/items`, physical };
}

async function isReady(connection: Connection, path: string): Promise<boolean> {
  const { data } = parseReply(await connection.get(path), 200) as { data: { indexes: { state: string }[] } };
  if (data.indexes.some(({ state }) => state === 'failed')) throw new Error('The index failed.');
  return data.indexes.every(({ state }) => state === 'ready');
}
