import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CITUS_URL, dropSharedDatabases } from './citus.mjs';
import { LISTENER_SETTINGS, prepareListener } from './statement-listener.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUPPORT_SERVER = fileURLToPath(new URL('support-server.mjs', import.meta.url));

/**
 * Builds what changed. Starts one PostgreSQL with the migrated template of the suites'
 * databases, and one support server, for the whole run. Steps that do not depend on each other run in parallel.
 */
export default async function globalSetup() {
  await build();
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'));
  // Under root, PostgreSQL runs as another user, which must be able to read the folder.
  chmodSync(dataDir, 0o755);
  const starting = startPostgres(dataDir);
  // It is awaited later.
  starting.catch(() => undefined);
  try {
    // Loads its modules while PostgreSQL starts.
    const server = fork(SUPPORT_SERVER);
    const ready = once(server, 'message');
    const postgres = await starting;
    if (!CITUS_URL) await prepareListener(postgres.url);
    server.send({ databaseUrl: postgres.url, dataDir });
    const [{ url, template }] = await ready;
    globalThis.atriumTestRun = { postgres, dataDir, server };
    process.env.TEST_DATABASE_URL = postgres.url;
    if (template) process.env.TEST_DATABASE_TEMPLATE = template;
    process.env.TEST_SUPPORT_URL = url;
  } catch (error) {
    const postgres = await starting.catch(() => undefined);
    await postgres?.stop();
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Builds what changed. The errors of the compiler are printed. */
async function build() {
  const [status] = await once(
    spawn(process.execPath, ['tools/build.mjs'], { cwd: ROOT, stdio: ['ignore', 2, 2] }),
    'exit',
  );
  if (status !== 0) throw new Error('The build failed.');
}

async function startPostgres(dataDir) {
  if (CITUS_URL) {
    await dropSharedDatabases();
    return { url: CITUS_URL, stop: dropSharedDatabases };
  }
  const { EmbeddedPostgres } = await import('../../dist/src/embedded-postgres/embedded-postgres.js');
  return EmbeddedPostgres.start({
    dataDir,
    // The data of the tests need not survive a power failure. `minimal` writes the least, but allows no WAL senders.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_connections: '200',
      ...LISTENER_SETTINGS,
    },
  });
}
