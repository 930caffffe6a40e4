import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgres } from '../../dist/src/embedded-postgres/embedded-postgres.js';

const OPERATOR_SERVER = fileURLToPath(new URL('operator-server.mjs', import.meta.url));

/** Starts one PostgreSQL, in which each suite creates its database, and one operator server for the whole run. */
export default async function globalSetup() {
  const dataDir = mkdtempSync(join(tmpdir(), 'atrium-test-'));
  // Under root, PostgreSQL runs as another user, which must be able to read the folder.
  chmodSync(dataDir, 0o755);
  const postgres = await EmbeddedPostgres.start({
    dataDir,
    // The data of the tests need not survive a power failure.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
  });
  const operator = fork(OPERATOR_SERVER);
  const [operatorUrl] = await once(operator, 'message');
  globalThis.atriumTestRun = { postgres, dataDir, operator };
  process.env.TEST_DATABASE_URL = postgres.url;
  process.env.TEST_OPERATOR_URL = operatorUrl;
}
