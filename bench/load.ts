import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { measure, percentile } from './measure.js';
import type { MeasuredProcess } from './processes.js';
import { cpuMicroseconds, integer, milliseconds, spread } from './table.js';

/** Connections of one measurement. */
export const CONNECTIONS = 8;

/**
 * Duration of the load before each measurement. A process that was idle used twice the CPU for its next thousands of
 * requests.
 */
const WARM_UP_SECONDS = 2;

/** Figures of a server for many requests of one kind. */
export interface Load {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of CPU time of the server process per request; NaN if the system does not report it. */
  cpu: number;
}

/** Headers of the columns that `loadColumns` fills. */
export const LOAD_HEADERS = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs'];

export function loadColumns(loads: readonly Load[]): string[] {
  const column = (figure: keyof Load) => loads.map((load) => load[figure]);
  return [
    spread(column('requestsPerSecond'), integer),
    spread(column('p50'), milliseconds),
    spread(column('p99'), milliseconds),
    spread(column('cpu'), cpuMicroseconds),
  ];
}

/** Sends requests to one path for some seconds. Times each response, because the percentiles of autocannon are whole milliseconds. */
export async function fire(
  server: MeasuredProcess,
  path: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<Load> {
  const target = { url: server.baseUrl + path, headers, connections: CONNECTIONS };
  await autocannon({ ...target, duration: WARM_UP_SECONDS });
  const times: number[] = [];
  const cpuBefore = server.cpuTime();
  const result = await autocannon({
    ...target,
    duration: seconds,
    setupClient: (client) => {
      client.on('response', (_status: number, _bytes: number, time: number) => times.push(time));
    },
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${path}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed.`);
  return computeLoad(times, result.duration, server.cpuTime() - cpuBefore);
}

/** Sends `count` requests in total, one after another over each connection. `send` receives the index of the connection. */
export async function sendInTurn(
  server: MeasuredProcess,
  count: number,
  send: (connection: number, request: number) => Promise<void>,
): Promise<Load> {
  const times: number[] = [];
  const cpuBefore = server.cpuTime();
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      while (next < count) {
        const sentAt = performance.now();
        await send(connection, next++);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  return computeLoad(times, (performance.now() - startedAt) / 1000, server.cpuTime() - cpuBefore);
}

function computeLoad(times: readonly number[], seconds: number, cpu: number): Load {
  return {
    requestsPerSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpu: cpu / times.length,
  };
}

/** Measures the load of each name in each run, in reverse order in every other run. The warm-up run does not count. */
export async function measureLoads(
  names: readonly string[],
  runs: number,
  load: (name: string, index: number) => Promise<Load>,
): Promise<Record<string, Load[]>> {
  const loads = Object.fromEntries(names.map((name) => [name, [] as Load[]]));
  await measure(runs, async (index) => {
    for (const name of index % 2 === 0 ? names.toReversed() : names) {
      const result = await load(name, index);
      if (index > 0) loads[name]!.push(result);
    }
    return {};
  });
  return loads;
}
