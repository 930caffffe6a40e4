import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios } from './measure.js';
import type { Options } from './options.js';
import { CONNECTIONS, createDatabaseClock, fire } from './request-load.js';
import { sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { markdownTable, ratio, spread, verdict } from './table.js';

const TABLE = 'counted_read';
const ROWS = 10_000;
/** Least share of the requests per second without rate limits. */
const AIM = 0.95;
/** Limits that count each request and reject none. */
const COUNTING = {
  RATE_LIMIT_FAILURES: '1000/60',
  RATE_LIMIT_READ: '100000000/60',
  RATE_LIMIT_WRITE: '100000000/60',
};

/** Measures what it costs to count the requests of a caller: reads of one row with and without rate limits. */
export async function benchRateLimits(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const { id } = await stage.createTable(TABLE);
  const rows = sampleRows(0, ROWS);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  parseReply(
    await connection.post(stage.bulkPath, Buffer.from(JSON.stringify({ assets: [{ name: TABLE, items: rows }] }))),
    200,
  );
  connection.close();
  const counting = await stage.startService(COUNTING);
  const uncounted = await stage.startService();
  const databaseCpu = await createDatabaseClock(stage);
  let requests = 0;
  const read = () => ({
    method: 'GET' as const,
    path: `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${id}/items/${rows[(requests++ * 7919) % ROWS]!.equnr}`,
    headers: stage.authorization,
  });
  const load = { seconds: options.authenticationSeconds, databaseCpu };
  const figures = await measure(options.runs, async (index) => {
    note(`rate limits: run ${index} of ${options.runs}`);
    return inTurn(index, {
      counting: async () => (await fire(counting, read, load)).rate,
      uncounted: async () => (await fire(uncounted, read, load)).rate,
    });
  });
  await Promise.all([counting.stop(), uncounted.stop()]);
  const shares = ratios(figures.counting, figures.uncounted);
  return [
    '## Rate limits',
    '',
    `GET of one row over ${CONNECTIONS} connections, ${options.authenticationSeconds} s per run, by two instances in turn.`,
    '',
    markdownTable(
      ['requests/s with rate limits', 'without', 'ratio', 'aim', 'met'],
      [[spread(figures.counting), spread(figures.uncounted), spread(shares, ratio), ...verdict(shares, AIM)]],
    ),
  ].join('\n');
}
