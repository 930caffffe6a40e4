import autocannon from 'autocannon';
import { measure, percentile, ratios } from './measure.js';
import type { Options } from './options.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, NONE, ratio, spread } from './table.js';

const CONNECTIONS = 8;
/** An empty list: what is left of the request is who calls, one statement and the envelope. */
const PATH = '/v1/api/tours';

interface Request {
  path: string;
  headers: Record<string, string>;
}

interface Load {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** Requests a second on a cheap route, signed in, against one that asks nobody who they are and nothing of the database. */
export async function benchAuthentication(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  const contenders: Record<string, Request> = {
    'GET /health/live, without': { path: '/health/live', headers: {} },
    [`GET ${PATH}, Bearer`]: { path: PATH, headers: stage.authorization },
    [`GET ${PATH}, X-API-Key`]: { path: PATH, headers: { 'x-api-key': stage.apiKey } },
  };
  const names = Object.keys(contenders);
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]]));
  await measure(options.runs, async (index) => {
    note(`authenticated requests: run ${index} of ${options.runs}`);
    for (const name of index % 2 === 0 ? names.toReversed() : names) {
      const load = await fire(stage.service.baseUrl, contenders[name]!, options.authenticationSeconds);
      if (index > 0) loads[name]!.push(load);
    }
    return {};
  });
  const [floor] = names;
  const rows = names.map((name) => {
    const rates = loads[name]!.map(({ requestsPerSecond }) => requestsPerSecond);
    const floorRates = loads[floor!]!.map(({ requestsPerSecond }) => requestsPerSecond);
    return [
      name,
      spread(rates, integer),
      spread(
        loads[name]!.map(({ p50 }) => p50),
        milliseconds,
      ),
      spread(
        loads[name]!.map(({ p99 }) => p99),
        milliseconds,
      ),
      name === floor ? NONE : spread(ratios(rates, floorRates), ratio),
    ];
  });
  return [
    '## Authenticated requests',
    '',
    `${CONNECTIONS} connections, ${options.authenticationSeconds} s a run (autocannon).`,
    '',
    markdownTable(['request', 'requests/s', 'p50 ms', 'p99 ms', 'of /health/live'], rows),
  ].join('\n');
}

/** Fires for some seconds and times each answer itself: autocannon's own percentiles are whole milliseconds. */
async function fire(baseUrl: string, { path, headers }: Request, seconds: number): Promise<Load> {
  const times: number[] = [];
  const result = await autocannon({
    url: baseUrl + path,
    headers,
    connections: CONNECTIONS,
    duration: seconds,
    setupClient: (client) => {
      client.on('response', (_status: number, _bytes: number, time: number) => times.push(time));
    },
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} answers were not 2xx, ${result.errors} requests failed.`);
  return {
    requestsPerSecond: times.length / result.duration,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}
