import { cpus, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Client } from 'pg';
import { spreadOf } from './measure.js';
import { milliseconds } from './table.js';

const SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_level',
  'shared_buffers',
  'max_wal_size',
  'checkpoint_timeout',
];
const COMMITS = 40;

/** On what it was measured: figures of another machine are other figures, and only the ratios travel. */
export async function machineFacts(database: Client, loadBefore: number): Promise<string> {
  const processors = cpus();
  const { rows: settings } = await database.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1) ORDER BY array_position($1, name)`,
    [SETTINGS],
  );
  const { rows: version } = await database.query<{ server_version: string }>('SHOW server_version');
  return [
    `- ${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory; ` +
      `load before the start ${loadBefore.toFixed(2)} (above about 0.3 somebody else is at work, and the figures suffer)`,
    `- Node ${process.version}, PostgreSQL ${version[0]!.server_version}: ` +
      settings.map(({ name, value }) => `${name} ${value}`).join(', '),
    `- A commit of one row, flushed to the disk, takes ${milliseconds(await commitTime(database))} ms`,
    '- The service, its PostgreSQL, the floors and this client share the cores; floor and service run one after the other in each run, ' +
      'in turns, and ratios are taken within a run',
  ].join('\n');
}

/** Milliseconds of a small durable commit, at the median: what a disk makes of it differs by a factor of a hundred. */
async function commitTime(database: Client): Promise<number> {
  await database.query('CREATE TABLE commits (number int)');
  const times: number[] = [];
  for (let number = 0; number < COMMITS; number++) {
    const startedAt = performance.now();
    await database.query('INSERT INTO commits VALUES ($1)', [number]);
    times.push(performance.now() - startedAt);
  }
  await database.query('DROP TABLE commits');
  return spreadOf(times).median;
}
