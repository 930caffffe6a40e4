import { performance } from 'node:perf_hooks';
import autocannon from 'autocannon';
import { percentile } from './measure.js';
import type { Measured } from './processes.js';
import { cpuMicroseconds, integer, milliseconds, spread } from './table.js';

/** Connections that the requests of one measurement come over. */
export const CONNECTIONS = 8;

/**
 * A process that stood idle while others were measured was seen to use twice the CPU for its next thousands of requests:
 * it is fired at for so long before anything counts.
 */
const WARM_UP_SECONDS = 2;

/** What a server did with many requests of one kind. */
export interface Load {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of CPU that the server's process used for one request; NaN where the system does not tell. */
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

/** Fires at one address for some seconds and times each answer itself: autocannon's own percentiles are whole milliseconds. */
export async function fire(
  server: Measured,
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
    throw new Error(`${path}: ${result.non2xx} answers were not 2xx, ${result.errors} requests failed.`);
  return loadOf(times, result.duration, server.cpuTime() - cpuBefore);
}

/** Sends requests one after the other over each connection, `count` in all. `send` gets the connection's number. */
export async function sendInTurn(
  server: Measured,
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
  return loadOf(times, (performance.now() - startedAt) / 1000, server.cpuTime() - cpuBefore);
}

function loadOf(times: readonly number[], seconds: number, cpu: number): Load {
  return {
    requestsPerSecond: times.length / seconds,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpu: cpu / times.length,
  };
}
