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

/** Describes the machine: rates differ between machines, only ratios can be compared. */
export async function describeMachine(database: Client, loadBefore: number): Promise<string> {
  const processors = cpus();
  const { rows: settings } = await database.query<{ name: string; value: string }>(
    `SELECT name, current_setting(name) AS value FROM pg_settings WHERE name = ANY ($1) ORDER BY array_position($1, name)`,
    [SETTINGS],
  );
  const { rows: version } = await database.query<{ server_version: string }>('SHOW server_version');
  return [
    `- ${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory; ` +
      `load before the start ${loadBefore.toFixed(2)} (above about 0.3 another process is active, and the figures are worse)`,
    `- Node ${process.version}, PostgreSQL ${version[0]!.server_version}: ` +
      settings.map(({ name, value }) => `${name} ${value}`).join(', '),
    `- A commit of one row, flushed to the disk, takes ${milliseconds(await measureCommit(database))} ms`,
    '- The service, its PostgreSQL, the floors and this client share the cores; floor and service run alternately in each run, and a ' +
      'ratio belongs to one run',
  ].join('\n');
}

/** Measures the median time of a small durable commit in milliseconds. Disks differ by a factor of a hundred. */
async function measureCommit(database: Client): Promise<number> {
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
