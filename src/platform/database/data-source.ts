import { Logger } from '@nestjs/common';
import { DataSource, getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import type { Config } from '../config/config.js';
import { SnakeCaseNaming } from './snake-case-naming.js';

export type MigrationClass = new () => MigrationInterface;

/** The oldest PostgreSQL the service runs on, as `server_version_num` counts. */
const OLDEST_SERVER = 150_000;

/** Of several instances that boot at once, one migrates while the others wait; any constant will do. */
const MIGRATION_LOCK = 7_205_113;

/** Connects, checks that the server will do, and migrates. @throws Error with one sentence that says what to change. */
export async function openDataSource(config: Config, url: string, migrations: MigrationClass[]): Promise<DataSource> {
  const { database } = config;
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    applicationName: 'atrium',
    // Every class that a module marks with @Entity: there is no second list to keep.
    entities: getMetadataArgsStorage().tables.map((table) => table.target as new () => unknown),
    migrations,
    migrationsTableName: 'migrations',
    namingStrategy: new SnakeCaseNaming(),
    poolSize: database.poolSize,
    connectTimeoutMS: database.connectTimeoutMs,
    extra: {
      connectionTimeoutMillis: database.connectTimeoutMs,
      statement_timeout: database.statementTimeoutMs,
      lock_timeout: database.lockTimeoutMs,
      idle_in_transaction_session_timeout: database.idleInTransactionTimeoutMs,
      // A connection remembers every table it has touched: its memory is given back from time to time.
      maxLifetimeSeconds: database.connectionMaxLifeS,
      keepAlive: true,
    },
  });
  await connect(dataSource);
  try {
    await checkServer(dataSource);
    await migrate(dataSource);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

async function connect(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    // A name with several addresses fails with an error for each, and none of its own.
    const reasons = error instanceof AggregateError ? (error.errors as Error[]) : [error as Error];
    const said = reasons.map((reason) => reason.message).join('; ');
    throw new Error(`DATABASE_URL: the database does not let us in: ${said}`, { cause: error });
  }
}

async function checkServer(dataSource: DataSource): Promise<void> {
  const [server] = await dataSource.query<{ version: number; encoding: string; mayCreate: boolean; name: string }[]>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
            current_database() AS name, has_database_privilege(current_database(), 'CREATE') AS "mayCreate"`,
  );
  if (!server) throw new Error('The database did not say what it is.');
  if (server.version < OLDEST_SERVER)
    throw new Error(`DATABASE_URL: PostgreSQL 15 or newer is needed; this is ${server.version}.`);
  if (server.encoding !== 'UTF8')
    throw new Error(`DATABASE_URL: the database must be UTF8; this is ${server.encoding}.`);
  if (!server.mayCreate) {
    throw new Error(
      `DATABASE_URL: each workspace has a schema of its own; GRANT CREATE ON DATABASE "${server.name}" to this role.`,
    );
  }
}

async function migrate(dataSource: DataSource): Promise<void> {
  // A lock of a transaction and not of a session, so that it holds through a pooler in transaction mode too.
  await dataSource.transaction(async (lock) => {
    await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await lock.query('SET LOCAL statement_timeout = 0');
    await lock.query('SET LOCAL lock_timeout = 0');
    await lock.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    for (const migration of applied) new Logger('Database').log(`Applied migration ${migration.name}`);
  });
}
