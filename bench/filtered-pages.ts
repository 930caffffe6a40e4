import { setTimeout as delay } from 'node:timers/promises';
import { Connection, parseReply } from './connection.js';
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
  /** The condition and order that a developer would write for the same rows. `$1` is the value. */
  byHand: string;
  value: (at: number) => string;
  /** Most milliseconds, or least share of the speed of the statement by hand. */
  aim: { ms: number } | { share: number };
}

const SCENARIOS: Record<string, Scenario> = {
  'composite index, ascending': {
    query: (value) => `filter[manufacturer]=${value}&sort=weight`,
    byHand: 'left(c4, 40) = $1 ORDER BY c6, c1',
    value: (at) => MAKERS[at % MAKERS.length]!,
    aim: { ms: 10 },
  },
  'composite index, descending': {
    query: (value) => `filter[manufacturer]=${value}&sort=-weight`,
    byHand: 'left(c4, 40) = $1 ORDER BY c6 DESC, c1 DESC',
    value: (at) => MAKERS[at % MAKERS.length]!,
    aim: { ms: 10 },
  },
  'no index': {
    query: (value) => `filter[location]=${value}&sort=weight`,
    byHand: 'c5 = $1 ORDER BY c6, c1',
    value: (at) => `B${at % 12}.${at % 90}.${at % 400}`,
    aim: { share: 0.95 },
  },
};

/** Measures pages that filter by one column and sort by another, compared with the same SELECT by hand, one at a time. */
export async function benchFilteredPages(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const { importRows: count } = options;
  note(`filtered pages: a table of ${integer(count)} rows`);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const { path, physical } = await fill(stage, connection, count);
  const names = Object.keys(SCENARIOS);
  const figures = await measure(options.runs, async (index) => {
    note(`filtered pages: run ${index} of ${options.runs}`);
    const medians: Record<string, number> = {};
    for (const [name, { query, byHand, value }] of Object.entries(SCENARIOS)) {
      const sql = `SELECT ${PHYSICAL_COLUMNS.join(', ')} FROM ${physical} WHERE ${byHand} LIMIT ${LIMIT + 1}`;
      const times: Record<'service' | 'hand', number[]> = { service: [], hand: [] };
      for (let at = 0; at < REQUESTS; at++) {
        const each = value(index * REQUESTS + at);
        const url = `${path}?${query(encodeURIComponent(each))}&limit=${LIMIT}`;
        const seconds = await inTurn(at, {
          service: () => secondsOf(async () => parseReply(await connection.get(url), 200)),
          hand: () => secondsOf(() => stage.database.query(sql, [each])),
        });
        times.service.push(1000 * seconds.service);
        times.hand.push(1000 * seconds.hand);
      }
      medians[name] = percentile(times.service, 0.5);
      medians[`${name}, by hand`] = percentile(times.hand, 0.5);
    }
    return medians;
  });
  connection.close();
  const rows = names.map((name) => {
    const [own, hand] = [figures[name]!, figures[`${name}, by hand`]!];
    const { aim } = SCENARIOS[name]!;
    const share = ratios(hand, own);
    const met = 'ms' in aim ? verdictAtMost(own, aim.ms, (limit) => `${limit} ms`) : verdict(share, aim.share);
    return [
      name,
      spread(own, milliseconds),
      spread(hand, milliseconds),
      'ms' in aim ? NONE : spread(share, ratio),
      ...met,
    ];
  });
  return [
    '## Pages with a filter and a sort',
    '',
    `First pages of ${LIMIT} rows from ${integer(count)}, filtered by one column and sorted by another, one request at a time; the figure of a run is the`,
    `median of ${REQUESTS}. "By hand" is the SELECT of the same rows over the same kind of connection, without HTTP and without the check for deleted rows.`,
    '',
    markdownTable(['page', 'ms', 'by hand ms', 'of by hand', 'aim', 'met'], rows),
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
