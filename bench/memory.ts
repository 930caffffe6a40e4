import { Connection } from './connection.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, megabytes } from './table.js';

const REQUESTS = 20;
const BODY_BYTES = 20 * 1024 * 1024;
/** Below the limit of 50,000 rows a request; the rest of the 20 MiB is in their descriptions. */
const ROWS = 40_000;
const LIMIT_BYTES = 1_000_000_000;

interface Flood {
  stored: number;
  refused: number;
  failures: string[];
  peak: number | undefined;
  idle: number | undefined;
  seconds: number;
}

/** Peak memory of a fresh service while 20 bulk requests of 20 MiB arrive at once, each for a table of its own. */
export async function benchMemory(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const items = twentyMebibytes();
  const floods: Flood[] = [];
  for (let run = 1; run <= options.runs; run++) {
    note(`memory: run ${run} of ${options.runs}`);
    floods.push(await flood(stage, items, run));
  }
  const rows = floods.map(({ stored, refused, failures, idle, peak, seconds }, run) => [
    String(run + 1),
    String(stored),
    String(refused),
    String(failures.length),
    seconds.toFixed(1),
    megabytes(idle),
    megabytes(peak),
    peak === undefined ? 'not measured' : peak < LIMIT_BYTES ? 'yes' : 'no',
  ]);
  const failures = new Set(floods.flatMap((each) => each.failures));
  return [
    `## Memory while ${REQUESTS} bulk requests of 20 MiB arrive at once`,
    '',
    `A fresh service each run; ${integer(ROWS)} new rows a request, each to a table of its own. PostgreSQL's memory is not in it.`,
    '',
    markdownTable(['run', 'stored (200, 201)', '503 with Retry-After', 'failures', 'seconds', 'peak before', 'peak', 'under 1 GB'], rows),
    ...[...failures].map((failure) => `\nFailure: ${failure}`),
  ].join('\n');
}

async function flood(stage: Stage, items: Buffer, run: number): Promise<Flood> {
  const service = await stage.startService();
  const idle = service.peakMemory();
  const result: Flood = { stored: 0, refused: 0, failures: [], idle, peak: undefined, seconds: 0 };
  const connections = Array.from({ length: REQUESTS }, () => new Connection(service.baseUrl, stage.authorization));
  const startedAt = Date.now();
  await Promise.all(
    connections.map(async (connection, number) => {
      const head = Buffer.from(`{"assets":[{"name":"flood_${run}_${number}","columns":${JSON.stringify(COLUMNS)},"items":`);
      try {
        const { status, headers, body } = await connection.post(stage.bulkPath, head, items, Buffer.from('}]}'));
        if (status === 200 || status === 201) result.stored++;
        else if (status === 503 && headers['retry-after']) result.refused++;
        else result.failures.push(`${status} ${body.toString().slice(0, 200)}`);
      } catch (error) {
        result.failures.push(String(error));
      }
    }),
  );
  result.seconds = (Date.now() - startedAt) / 1000;
  result.peak = service.peakMemory();
  for (const connection of connections) connection.close();
  await service.stop();
  return result;
}

function twentyMebibytes(): Buffer {
  const plain = Buffer.byteLength(JSON.stringify(sampleRows(0, ROWS)));
  const padding = 'x'.repeat(Math.ceil((BODY_BYTES - plain) / ROWS));
  return Buffer.from(JSON.stringify(sampleRows(0, ROWS).map((row) => ({ ...row, description: row.description + padding }))));
}
