import { readdirSync, readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { percentile } from './measure.js';
import type { MeasuredProcess } from './processes.js';
import type { Stage } from './stage.js';

export const CONNECTIONS = 8;
const WARM_UP_SECONDS = 1;
/** Positions in `/proc/PID/stat` after the name of the program. Times are in hundredths of a second. */
const PARENT = 1;
const USER_TIME = 11;
const TICK_US = 10_000;

export interface Request {
  method: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: object;
}

export interface Figures {
  rate: number;
  p50: number;
  p99: number;
  /** Microseconds of CPU time per request. */
  nodeCpu: number;
  databaseCpu: number;
}

/** @returns a function that returns the microseconds of CPU time of all processes of PostgreSQL. */
export async function createDatabaseClock({ database }: Stage): Promise<() => number> {
  const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const readStat = (pid: number | string) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
    } catch {
      return undefined;
    }
  };
  const postmaster = readStat(rows[0]!.pid)?.[PARENT];
  return () => {
    if (postmaster === undefined) return Number.NaN;
    const stats = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        const stat = readStat(pid);
        return stat && (stat[PARENT] === postmaster || Number(pid) === postmaster) ? [stat] : [];
      });
    // Processes that have ended are included in the times of the children of the postmaster.
    const ended = readStat(postmaster)!.slice(USER_TIME + 2, USER_TIME + 4);
    const ticks = [...stats.flatMap((stat) => stat.slice(USER_TIME, USER_TIME + 2)), ...ended];
    return ticks.reduce((sum, each) => sum + each, 0) * TICK_US;
  };
}

interface Load {
  seconds: number;
  databaseCpu: () => number;
  connections?: number;
  onReply?: (body: string) => void;
}

/** Sends requests for some seconds. */
export async function fire(
  server: MeasuredProcess,
  next: () => Request,
  { seconds, databaseCpu, connections = CONNECTIONS, onReply }: Load,
): Promise<Figures> {
  const times: number[] = [];
  const load = (duration: number) =>
    autocannon({
      url: server.baseUrl,
      connections,
      duration,
      setupClient: (client) => {
        client.on('response', (_status: number, _bytes: number, time: number) => times.push(time));
      },
      requests: [
        {
          setupRequest: (request) => {
            const { method, path, headers, body } = next();
            const json = body && JSON.stringify(body);
            const type = json ? { 'content-type': 'application/json' } : {};
            return { ...request, method, path, headers: { ...headers, ...type }, body: json };
          },
          onResponse: onReply && ((_status, body) => onReply(body)),
        },
      ],
    });
  await load(WARM_UP_SECONDS);
  times.length = 0;
  const before = { node: server.cpuTime(), database: databaseCpu() };
  const result = await load(seconds);
  if (result.non2xx + result.errors > 0)
    throw new Error(`${server.baseUrl}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} requests failed.`);
  return {
    rate: times.length / result.duration,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    nodeCpu: (server.cpuTime() - before.node) / times.length,
    databaseCpu: (databaseCpu() - before.database) / times.length,
  };
}
