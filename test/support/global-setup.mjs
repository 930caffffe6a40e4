import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CITUS_URL, dropSharedDatabases } from './citus.mjs';
import { isNewer, STAMP } from '../../tools/build-state.mjs';
import { LISTENER_SETTINGS, prepareListener } from './statement-listener.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUPPORT_SERVER = fileURLToPath(new URL('support-server.mjs', import.meta.url));

/**
 * Builds and bundles the service if a source changed. Starts one PostgreSQL with the migrated template of the suites'
 * databases, and one support server, for the whole run. Steps that do not depend on each other run in parallel.
 */
export default async function globalSetup() {
  const building = startBuild();
  // The code that starts PostgreSQL seldom changes. Unless it did, that of the last build runs during the build.
  if (isNewer(join(ROOT, 'src/embedded-postgres'), join(ROOT, STAMP))) await building.built;
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'));
  // Under root, PostgreSQL runs as another user, which must be able to read the folder.
  chmodSync(dataDir, 0o755);
  const starting = startPostgres(dataDir);
  // It is awaited later.
  starting.catch(() => undefined);
  try {
    await building.built;
    // Loads its modules while PostgreSQL starts.
    const server = fork(SUPPORT_SERVER);
    const ready = once(server, 'message');
    const postgres = await starting;
    if (!CITUS_URL) await prepareListener(postgres.url);
    server.send({ databaseUrl: postgres.url, dataDir });
    const [[{ url, template }]] = await Promise.all([ready, building.bundled]);
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

/** @returns when the service is compiled and when it is bundled. The errors of the compiler are printed. */
function startBuild() {
  const args = ['--bundle=service'];
  const build = fork(join(ROOT, 'tools/build-if-changed.mjs'), args, { cwd: ROOT, stdio: ['ignore', 2, 2, 'ipc'] });
  const bundled = once(build, 'exit').then(([status]) => {
    if (status !== 0) throw new Error('The build failed.');
  });
  const built = Promise.race([once(build, 'message'), bundled]);
  // Both are awaited later.
  for (const step of [built, bundled]) step.catch(() => undefined);
  return { built, bundled };
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
