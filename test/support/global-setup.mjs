import { execFile, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SUPPORT_SERVER = fileURLToPath(new URL('support-server.mjs', import.meta.url));

/**
 * Builds and bundles the service. Starts one PostgreSQL with the migrated template of the suites' databases, and one support
 * server, for the whole run.
 */
export default async function globalSetup() {
  const build = ['tools/build-if-changed.mjs'];
  // Without changes it takes a tenth of a second.
  execFileSync(process.execPath, build, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  // The bundle is made while PostgreSQL starts.
  const bundling = promisify(execFile)(process.execPath, [...build, '--bundle'], { cwd: ROOT });
  const { EmbeddedPostgres } = await import('../../dist/src/embedded-postgres/embedded-postgres.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'));
  // Under root, PostgreSQL runs as another user, which must be able to read the folder.
  chmodSync(dataDir, 0o755);
  // Loads its modules while PostgreSQL starts.
  const server = fork(SUPPORT_SERVER);
  const ready = once(server, 'message');
  const postgres = await EmbeddedPostgres.start({
    dataDir,
    // The data of the tests need not survive a power failure. `minimal` writes the least, but allows no WAL senders.
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      wal_level: 'minimal',
      max_wal_senders: '0',
      max_connections: '200',
    },
  });
  server.send({ databaseUrl: postgres.url, dataDir });
  const [[{ url, template }]] = await Promise.all([ready, bundling]);
  globalThis.atriumTestRun = { postgres, dataDir, server };
  process.env.TEST_DATABASE_URL = postgres.url;
  process.env.TEST_DATABASE_TEMPLATE = template;
  process.env.TEST_SUPPORT_URL = url;
}
