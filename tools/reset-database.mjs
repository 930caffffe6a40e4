/**
 * Deletes the embedded PostgreSQL and the files of attachments in DATA_DIR. The next start of the service creates an
 * empty database and the demo workspace.
 *
 *     npm run db:reset
 *
 * It deletes nothing while the service or the operator CLI uses the database.
 */
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the service stores in DATA_DIR, except for its secrets, which the next database can use. */
const DATA_FILES = ['files', 'temporary', 'demo-credentials.json'];

try {
  // A former build suffices: the sources may be in the middle of a change.
  if (!existsSync('dist/src')) await import('./build.mjs');
  const { loadConfig } = await import('../dist/src/platform/config/load-config.js');
  const { database, dataDir } = await loadConfig();
  if (database.url)
    throw new Error('DATABASE_URL is set. Delete its database by `dropdb` and `createdb`. Nothing was deleted.');
  await resetEmbedded(dataDir);
} catch (error) {
  for (const line of error.errors ?? [error.message]) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

async function resetEmbedded(dataDir) {
  const home = join(dataDir, 'postgres');
  if (existsSync(home)) {
    await stopUnused(dataDir);
    // Under root, the home may be a link to a folder that the user of PostgreSQL can enter.
    rmSync(realpathSync(home), { recursive: true, force: true });
  }
  for (const name of ['postgres', ...DATA_FILES]) rmSync(join(dataDir, name), { recursive: true, force: true });
  process.stdout.write(`Deleted the database and the files in ${dataDir}. The next start creates an empty database.\n`);
}

/** Stops a PostgreSQL that a killed service has left. @throws Error if another process uses it */
async function stopUnused(dataDir) {
  const { EmbeddedPostgres } = await import('../dist/src/embedded-postgres/embedded-postgres.js');
  const { openCluster } = await import('../dist/src/embedded-postgres/postgres-cluster.js');
  const { findServer } = await import('../dist/src/embedded-postgres/postgres-server.js');
  const cluster = await openCluster(dataDir);
  if (!findServer(cluster)) return;
  // The last process that leaves stops the server.
  const postgres = await EmbeddedPostgres.start({ dataDir });
  await postgres.stop();
  if (findServer(cluster))
    throw new Error(
      `The service or the operator CLI uses the database in ${dataDir}. Stop it first. Nothing was deleted.`,
    );
}
