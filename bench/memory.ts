import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE } from './table.js';

const REQUESTS = 20;
const BODY_BYTES = 20 * 1024 * 1024;
/** Below the limit of 50,000 rows per request; long descriptions fill the 20 MiB. */
const ROWS = 40_000;
const LIMIT_BYTES = 1_000_000_000;

/** How long a caller retries, in milliseconds. */
const RETRY_MS = 60_000;

interface Flood {
  /** Results of the first try. */
  stored: number;
  rejected: number;
  /** Statuses and bodies of all other responses. */
  failures: string[];
  /** Peak memory of the service in bytes: before, after all first tries, and at the end. */
  before: number | undefined;
  atOnce: number | undefined;
  atEnd: number | undefined;
  /** If callers retried: the number of stored requests at the end, and the seconds until then. */
  end: { stored: number; seconds: number } | undefined;
}

type Outcome = 'stored' | 'rejected' | 'failed';

/** Measures the peak memory of a new service while 20 bulk requests of 20 MiB arrive at once, each for its own table. */
export async function benchMemory(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const items = createItems();
  const floods: Flood[] = [];
  for (let run = 1; run <= options.runs; run++) {
    note(`memory: run ${run} of ${options.runs}`);
    floods.push(await flood(stage, items, run, run === options.runs));
  }
  const rows = floods.map(({ stored, rejected, failures, before, atOnce, atEnd, end }, run) => [
    String(run + 1),
    String(stored),
    String(rejected),
    String(failures.length),
    megabytes(before),
    megabytes(atOnce),
    end ? `${end.stored} in ${end.seconds.toFixed(1)} s` : NONE,
    end ? megabytes(atEnd) : NONE,
    atEnd === undefined ? 'not measured' : atEnd < LIMIT_BYTES ? 'yes' : 'no',
  ]);
  const failures = new Set(floods.flatMap((each) => each.failures));
  const headers = [
    'run',
    'stored at once',
    '503 with Retry-After',
    'failures',
    'peak before',
    'peak then',
    'stored in the end',
    'peak in the end',
    'under 1 GB',
  ];
  return [
    `## Memory while ${REQUESTS} bulk requests of 20 MiB arrive at once`,
    '',
    `A new service per run; ${integer(ROWS)} new rows per request, each to its own table. Every status except 200, 201 and 503 with`,
    `Retry-After is a failure. In the last run rejected requests are repeated after Retry-After, for at most ${RETRY_MS / 1000} s.`,
    'The memory is that of the service without PostgreSQL.',
    '',
    markdownTable(headers, rows),
    ...[...failures].map((failure) => `\nFailure: ${failure}`),
  ].join('\n');
}

async function flood(stage: Stage, items: Buffer, run: number, withRetries: boolean): Promise<Flood> {
  const service = await stage.startService();
  const before = service.peakMemory();
  const failures: string[] = [];
  const connections = Array.from({ length: REQUESTS }, () => new Connection(service.baseUrl, stage.authorization));
  const startedAt = Date.now();

  /** Sends the request. @returns the outcome and, if it was rejected, the milliseconds to wait. */
  const send = async (connection: Connection, number: number): Promise<{ outcome: Outcome; waitMs: number }> => {
    const head = Buffer.from(
      `{"assets":[{"name":"flood_${run}_${number}","columns":${JSON.stringify(COLUMNS)},"items":`,
    );
    try {
      const { status, headers, body } = await connection.post(stage.bulkPath, head, items, Buffer.from('}]}'));
      if (status === 200 || status === 201) return { outcome: 'stored', waitMs: 0 };
      const waitMs = Number(headers['retry-after']) * 1000;
      if (status === 503 && waitMs > 0) return { outcome: 'rejected', waitMs };
      failures.push(`${status} ${body.toString().slice(0, 200)}`);
    } catch (error) {
      failures.push(String(error));
    }
    return { outcome: 'failed', waitMs: 0 };
  };

  const first = await Promise.all(connections.map(send));
  const atOnce = service.peakMemory();
  const last = await Promise.all(
    connections.map(async (connection, number) => {
      let { outcome, waitMs } = first[number]!;
      while (withRetries && outcome === 'rejected' && Date.now() - startedAt < RETRY_MS) {
        await delay(waitMs);
        ({ outcome, waitMs } = await send(connection, number));
      }
      return outcome;
    }),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  const atEnd = service.peakMemory();
  for (const connection of connections) connection.close();
  await service.stop();
  const count = (outcomes: Outcome[], wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const outcomes = first.map(({ outcome }) => outcome);
  return {
    stored: count(outcomes, 'stored'),
    rejected: count(outcomes, 'rejected'),
    failures,
    before,
    atOnce,
    atEnd,
    end: withRetries ? { stored: count(last, 'stored'), seconds } : undefined,
  };
}

function createItems(): Buffer {
  const plain = Buffer.byteLength(JSON.stringify(sampleRows(0, ROWS)));
  const padding = 'x'.repeat(Math.ceil((BODY_BYTES - plain) / ROWS));
  return Buffer.from(
    JSON.stringify(sampleRows(0, ROWS).map((row) => ({ ...row, description: row.description + padding }))),
  );
}
