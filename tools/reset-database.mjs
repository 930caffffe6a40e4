/**
 * Deletes all data for development. The next start of the service creates an empty database and the demo workspace.
 *
 *     npm run db:reset                        the embedded PostgreSQL and the files of attachments in DATA_DIR
 *     npm run db:reset -- --database NAME     the database NAME of DATABASE_URL; files stay
 *
 * It deletes nothing while the service or the operator CLI uses the database.
 */
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, escapeIdentifier } from 'pg';

/** What the service stores in DATA_DIR, except for its secrets, which the next database can use. */
const DATA_FILES = ['files', 'temporary', 'demo-credentials.json'];
const OBJECT_IN_USE = '55006';

const { values } = parseArgs({ options: { database: { type: 'string' } } });
try {
  // A former build suffices: the sources may be in the middle of a change.
  if (!existsSync('dist/src')) await import('./build.mjs');
  const { loadConfig } = await import('../dist/src/platform/config/load-config.js');
  const { database, dataDir } = await loadConfig();
  if (database.url) await resetDatabase(database.url);
  else await resetEmbedded(dataDir);
} catch (error) {
  for (const line of error.errors ?? [error.message]) process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

async function resetEmbedded(dataDir) {
  if (values.database !== undefined)
    throw new Error('--database needs DATABASE_URL, which is not set. Nothing was deleted.');
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

async function resetDatabase(url) {
  const { host, database: name } = new Client({ connectionString: url });
  if (values.database !== name)
    throw new Error(
      `DATABASE_URL is set, so the name of its database is required. To delete all data of "${name}" on ${host}, run:\n` +
        `  npm run db:reset -- --database ${name}\nNothing was deleted.`,
    );
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const { rows } = await client.query(
      'SELECT rolcreatedb OR rolsuper AS can_create FROM pg_roles WHERE rolname = current_user',
    );
    if (!rows[0].can_create)
      throw new Error('The user of DATABASE_URL must not create databases. Nothing was deleted.');
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`);
    await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
  } catch (error) {
    if (error.code !== OBJECT_IN_USE) throw error;
    throw new Error(`${error.message}: ${error.detail} Stop the service first. Nothing was deleted.`, { cause: error });
  } finally {
    await client.end();
  }
  process.stdout.write(`Deleted all data of the database "${name}". Files of attachments stay.\n`);
}
