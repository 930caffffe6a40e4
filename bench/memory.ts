import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from './connection.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE } from './table.js';

const REQUESTS = 20;
const BODY_BYTES = 20 * 1024 * 1024;
/** Below the limit of 50,000 rows a request; the rest of the 20 MiB is in their descriptions. */
const ROWS = 40_000;
const LIMIT_BYTES = 1_000_000_000;

/** How long a caller goes on trying, in milliseconds. */
const PATIENCE_MS = 60_000;

interface Flood {
  /** Answers to the first try. */
  stored: number;
  refused: number;
  /** What became of the others, first try or later. */
  failures: string[];
  /** The service's peak in bytes before, when all first tries were answered, and in the end. */
  before: number | undefined;
  atOnce: number | undefined;
  inTheEnd: number | undefined;
  /** Where callers came back: how many were stored in the end, and after how many seconds. */
  end: { stored: number; seconds: number } | undefined;
}

type Outcome = 'stored' | 'refused' | 'failed';

/** Peak memory of a fresh service while 20 bulk requests of 20 MiB arrive at once, each for a table of its own. */
export async function benchMemory(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const items = twentyMebibytes();
  const floods: Flood[] = [];
  for (let run = 1; run <= options.runs; run++) {
    note(`memory: run ${run} of ${options.runs}`);
    floods.push(await flood(stage, items, run, run === options.runs));
  }
  const rows = floods.map(({ stored, refused, failures, before, atOnce, inTheEnd, end }, run) => [
    String(run + 1),
    String(stored),
    String(refused),
    String(failures.length),
    megabytes(before),
    megabytes(atOnce),
    end ? `${end.stored} in ${end.seconds.toFixed(1)} s` : NONE,
    end ? megabytes(inTheEnd) : NONE,
    inTheEnd === undefined ? 'not measured' : inTheEnd < LIMIT_BYTES ? 'yes' : 'no',
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
    `A fresh service each run; ${integer(ROWS)} new rows a request, each to a table of its own. Anything but 200, 201 and 503 with`,
    `Retry-After is a failure. In the last run those who were refused come back when Retry-After says, for ${PATIENCE_MS / 1000} s at most.`,
    "The memory is the service's; PostgreSQL's is not in it.",
    '',
    markdownTable(headers, rows),
    ...[...failures].map((failure) => `\nFailure: ${failure}`),
  ].join('\n');
}

async function flood(stage: Stage, items: Buffer, run: number, toTheEnd: boolean): Promise<Flood> {
  const service = await stage.startService();
  const before = service.peakMemory();
  const failures: string[] = [];
  const connections = Array.from({ length: REQUESTS }, () => new Connection(service.baseUrl, stage.authorization));
  const startedAt = Date.now();

  /** Sends the request and gives the outcome; where it was refused, with the milliseconds to wait. */
  const send = async (connection: Connection, number: number): Promise<{ outcome: Outcome; waitMs: number }> => {
    const head = Buffer.from(
      `{"assets":[{"name":"flood_${run}_${number}","columns":${JSON.stringify(COLUMNS)},"items":`,
    );
    try {
      const { status, headers, body } = await connection.post(stage.bulkPath, head, items, Buffer.from('}]}'));
      if (status === 200 || status === 201) return { outcome: 'stored', waitMs: 0 };
      const waitMs = Number(headers['retry-after']) * 1000;
      if (status === 503 && waitMs > 0) return { outcome: 'refused', waitMs };
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
      while (toTheEnd && outcome === 'refused' && Date.now() - startedAt < PATIENCE_MS) {
        await delay(waitMs);
        ({ outcome, waitMs } = await send(connection, number));
      }
      return outcome;
    }),
  );
  const seconds = (Date.now() - startedAt) / 1000;
  const inTheEnd = service.peakMemory();
  for (const connection of connections) connection.close();
  await service.stop();
  const count = (outcomes: Outcome[], wanted: Outcome) => outcomes.filter((outcome) => outcome === wanted).length;
  const outcomes = first.map(({ outcome }) => outcome);
  return {
    stored: count(outcomes, 'stored'),
    refused: count(outcomes, 'refused'),
    failures,
    before,
    atOnce,
    inTheEnd,
    end: toTheEnd ? { stored: count(last, 'stored'), seconds } : undefined,
  };
}

function twentyMebibytes(): Buffer {
  const plain = Buffer.byteLength(JSON.stringify(sampleRows(0, ROWS)));
  const padding = 'x'.repeat(Math.ceil((BODY_BYTES - plain) / ROWS));
  return Buffer.from(
    JSON.stringify(sampleRows(0, ROWS).map((row) => ({ ...row, description: row.description + padding }))),
  );
}
