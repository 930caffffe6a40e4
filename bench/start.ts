import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { measure, secondsOf } from './measure.js';
import type { Options } from './options.js';
import { findService, freePort, residentMemory, waitUntilReady } from './processes.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, mebibytes, spread, verdictAtMost } from './table.js';

/** The project, whose `package.json` defines `npm start`. */
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const MIN_RUNS = 5;
const MAX_START_MS = 1_500;
const MAX_IDLE_BYTES = 130 * 1024 * 1024;
/** After the last module was loaded and the first jobs ran. */
const IDLE_MS = 3_000;
const MAX_IDLE_STATEMENTS = 12;
const MAX_COMMAND_MS = 1_000;
const MINUTE_MS = 60_000;

/**
 * Measures `npm start` with the embedded PostgreSQL on an initialized DATA_DIR, until /health/ready returns 200, and the
 * resident memory of the idle service. The first start creates the database and does not count. Counts the statements of an
 * idle instance during a minute. Measures a command of the operator CLI.
 */
export async function benchStart(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const dataDir = resolve(join(stage.dir, 'start'));
  await mkdir(dataDir);
  await startOnce(dataDir);
  const runs = Math.max(options.runs, MIN_RUNS);
  const times: number[] = [];
  const memory: number[] = [];
  for (let run = 1; run <= runs; run++) {
    note(`start: run ${run} of ${runs}`);
    const { ms, idleBytes } = await startOnce(dataDir);
    times.push(ms);
    memory.push(idleBytes);
  }
  note('start: counting statements for a minute');
  const statements = [await countIdleStatements(stage)];
  const { command } = await measure(runs, async (run) => {
    note(`operator: run ${run} of ${runs}`);
    return { command: (await secondsOf(() => stage.runOperator('workspace', 'list'))) * 1_000 };
  });
  const milliseconds = (value: number) => `${integer(value)} ms`;
  return [
    '## Start and memory',
    '',
    `\`npm start\` on a built tree and an initialized DATA_DIR until /health/ready returns 200, and the resident memory of the`,
    `service process, without PostgreSQL, ${IDLE_MS / 1000} s later. Medians of ${runs} runs. Statements are those of one minute.`,
    '',
    markdownTable(
      ['measurement', 'service', 'aim', 'met'],
      [
        ['npm start to ready', spread(times, milliseconds), ...verdictAtMost(times, MAX_START_MS, milliseconds)],
        ['idle memory', spread(memory, mebibytes), ...verdictAtMost(memory, MAX_IDLE_BYTES, mebibytes)],
        [
          'operator workspace list',
          spread(command, milliseconds),
          ...verdictAtMost(command, MAX_COMMAND_MS, milliseconds),
        ],
        ['idle statements', spread(statements), ...verdictAtMost(statements, MAX_IDLE_STATEMENTS, integer)],
      ],
    ),
  ].join('\n');
}

/** The statements of the shared service during an idle minute; each commits by itself. */
async function countIdleStatements({ database }: Stage): Promise<number> {
  const committed = async () => {
    const sql = 'SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()';
    return (await database.query<{ count: number }>(sql)).rows[0]!.count;
  };
  const before = await committed();
  await delay(MINUTE_MS);
  // The first of these two statements is committed, too.
  return (await committed()) - before - 1;
}

async function startOnce(dataDir: string): Promise<{ ms: number; idleBytes: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: PROJECT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATA_DIR: dataDir,
      PORT: String(port),
      LOG_LEVEL: 'warn',
    },
    stdio: 'ignore',
  });
  const ended = once(npm, 'exit');
  let service: number | undefined;
  try {
    await waitUntilReady(`http://127.0.0.1:${port}`, npm);
    const ms = performance.now() - startedAt;
    service = findService(npm.pid!);
    await delay(IDLE_MS);
    return { ms, idleBytes: residentMemory(service) };
  } finally {
    // The shell between npm and the service does not forward signals. The service stops its PostgreSQL.
    process.kill(service ?? npm.pid!, 'SIGTERM');
    await ended;
  }
}
