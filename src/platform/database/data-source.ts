import { Logger } from '@nestjs/common';
import type pg from 'pg';
import { DataSource, getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import type { Config } from '../config/config.js';
import { isTracing } from '../telemetry/spans.js';
import { Cluster, startOnCluster } from './cluster.js';
import { poolOf, standaloneOptions } from './connection-pool.js';
import { ConnectionWatch } from './connection-watch.js';
import { SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';
import { PooledClient, type TransactionStart } from './pooled-client.js';
import { SnakeCaseNaming } from './snake-case-naming.js';
import { traced } from './traced-client.js';

export type MigrationClass = new () => MigrationInterface;

/** PostgreSQL 15, as `server_version_num`. */
const MIN_SERVER_VERSION = 150_000;

/**
 * Idle milliseconds after which the operating system checks a connection; Linux closes it after ten failed checks, one
 * per second.
 */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** How long a transaction may be idle, in milliseconds. Its locks would block others for longer. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/**
 * Age at which a connection is replaced, in seconds. A connection caches the definition of every table that it used,
 * and only its end frees that memory.
 */
const CONNECTION_MAX_LIFE_S = 1_800;

/** How often PostgreSQL looks whether the client of a statement is still connected, in milliseconds. */
const CONNECTION_CHECK_MS = 500;

/** Advisory lock: of several instances that start at once, one migrates while the others wait. Any constant. */
const MIGRATION_LOCK = 7_205_113;

/**
 * Connects, checks the server and applies the migrations.
 *
 * @throws Error with one sentence for the operator.
 */
export async function openDataSource(config: Config, url: string, migrations: MigrationClass[]): Promise<DataSource> {
  const transactionStart: TransactionStart = {};
  const dataSource = createDataSource(config, url, { migrations, transactionStart });
  await connect(dataSource);
  try {
    await checkServer(dataSource);
    // A migration may read or index all rows of a table.
    transactionStart.statements = ['SET LOCAL statement_timeout = 0'];
    await migrate(dataSource);
    const isDistributed = await new Cluster(dataSource).isDistributed();
    transactionStart.statements = isDistributed ? startOnCluster(config.database.lockTimeoutMs) : undefined;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

/**
 * Connects to a server that replays the changes of the primary.
 *
 * @throws Error also if it accepts writes: a copy may have the same revisions with other rows.
 */
export async function openReplica(config: Config, url: string): Promise<DataSource> {
  const dataSource = createDataSource(config, url);
  await dataSource.initialize();
  try {
    const [server] = await dataSource.query<{ isReplica: boolean }[]>('SELECT pg_is_in_recovery() AS "isReplica"');
    if (!server?.isReplica) throw new Error('the server is not a replica: it accepts writes');
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  new ConnectionWatch(poolOf(dataSource)!, standaloneOptions(dataSource), config.database.probeTimeoutMs);
  return dataSource;
}

/** A data source that is not connected yet, with a pool and with the timeouts of the configuration. */
function createDataSource(
  { database }: Config,
  url: string,
  { migrations = [], transactionStart }: { migrations?: MigrationClass[]; transactionStart?: TransactionStart } = {},
): DataSource {
  const timeouts = {
    statement_timeout: database.statementTimeoutMs,
    lock_timeout: database.lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'atrium',
    // All classes with @Entity that were imported.
    entities: getMetadataArgsStorage().tables.map((table) => table.target as new () => unknown),
    migrations,
    migrationsTableName: 'migrations',
    namingStrategy: new SnakeCaseNaming(),
    poolSize: database.poolSize,
    connectTimeoutMS: database.connectTimeoutMs,
    extra: {
      connectionTimeoutMillis: database.connectTimeoutMs,
      ...(database.isPooledByTransaction
        ? { transactionTimeouts: { ...timeouts, client_connection_check_interval: CONNECTION_CHECK_MS } }
        : { ...timeouts, onConnect: checkConnection }),
      transactionStart,
      maxLifetimeSeconds: CONNECTION_MAX_LIFE_S,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      areStatementsPrepared: database.areStatementsPrepared,
      Client: isTracing() ? traced(PooledClient) : PooledClient,
    },
  });
}

/**
 * PostgreSQL otherwise notices the end of an instance only at the end of the statement that it executes for it, whose
 * locks it holds until then. The setting cannot be sent with the start of a connection: a server on Windows does not
 * have it.
 */
async function checkConnection(client: pg.PoolClient): Promise<void> {
  await client.query(`SET client_connection_check_interval = ${CONNECTION_CHECK_MS}`).catch((error: unknown) => {
    if (sqlState(error) !== SQLSTATE.invalidParameterValue) throw error;
  });
}

async function connect(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    // A host name with several addresses fails with one error per address.
    const reasons = error instanceof AggregateError ? (error.errors as Error[]) : [error as Error];
    const message = reasons.map((reason) => reason.message).join('; ');
    throw new Error(`DATABASE_URL: connection failed: ${message}`, { cause: error });
  }
}

async function checkServer(dataSource: DataSource): Promise<void> {
  const [server] = await dataSource.query<{ version: number; encoding: string; mayCreate: boolean; name: string }[]>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
            current_database() AS name, has_database_privilege(current_database(), 'CREATE') AS "mayCreate"`,
  );
  if (!server) throw new Error('DATABASE_URL: the server did not report its version.');
  if (server.version < MIN_SERVER_VERSION)
    throw new Error(`DATABASE_URL: the server has version ${server.version}; PostgreSQL 15 or newer is required.`);
  if (server.encoding !== 'UTF8')
    throw new Error(`DATABASE_URL: the database has the encoding ${server.encoding}; UTF8 is required.`);
  if (!server.mayCreate) {
    throw new Error(
      `DATABASE_URL: the role cannot create schemas for workspaces. Run GRANT CREATE ON DATABASE "${server.name}" for it.`,
    );
  }
}

/**
 * Migrates. On a cluster it also distributes the tables that migrations have added, and all tables of a new database.
 */
async function migrate(dataSource: DataSource): Promise<void> {
  const logger = new Logger('Database');
  // A transaction lock, because a pooler in transaction mode does not support session locks.
  await dataSource.transaction(async (lock) => {
    await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await lock.query('SET LOCAL lock_timeout = 0');
    await lock.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const cluster = new Cluster(dataSource);
    const wasDistributed = await cluster.isDistributed();
    const isNew = !(await dataSource.query<unknown[]>("SELECT 1 FROM pg_tables WHERE tablename = 'migrations'")).length;
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    const last = applied.at(-1);
    if (!last) return;
    logger.log(`Applied ${applied.length} migrations up to ${last.name}`);
    if (wasDistributed || (isNew && (await cluster.hasCitus()))) {
      const { tables } = await cluster.distribute();
      logger.log(`Distributed ${tables.length} tables over the cluster`);
    }
  });
}
