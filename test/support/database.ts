import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { CITUS_URL, createClusterDatabase, dropClusterDatabase, type NodeAddress, withDatabase } from './citus.mjs';

/** The view of the connections of the server, or of all servers of the cluster. */
export const ACTIVITY = CITUS_URL ? 'citus_stat_activity' : 'pg_stat_activity';

const UNIQUE_VIOLATION = '23505';
const DUPLICATE_DATABASE = '42P04';

/** A database on the PostgreSQL of the test run. */
export class Database {
  readonly url: string;

  protected constructor(protected readonly name: string) {
    this.url = withDatabase(serverUrl(), name);
  }

  /** The database with this name, created when it is first used. */
  static async share(name: string): Promise<Database> {
    const database = new Database(name);
    await database.createIfAbsent();
    return database;
  }

  async query<Row extends object = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return withClient(this.url, async (client) => (await client.query<Row>(sql, parameters)).rows);
  }

  /** A connection of the test, which must end it. */
  async connect(): Promise<Client> {
    return connect(this.url);
  }

  /** Begins a transaction with a statement that takes locks. @returns a function that ends it. */
  async lock(sql: string): Promise<() => Promise<void>> {
    const client = await this.connect();
    await client.query('BEGIN');
    await client.query(sql);
    return () => client.end();
  }

  /** The number of connections that wait for a lock. */
  async countWaiting(): Promise<number> {
    const waiting = await this.query(
      `SELECT 1 FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return waiting.length;
  }

  /** Begins a transaction that locks the entries of all tables of a workspace. @returns a function that ends it. */
  async lockTables({ workspaceId }: { workspaceId: string }): Promise<() => Promise<void>> {
    return this.lock(`SELECT 1 FROM workspace_tables WHERE workspace_id = '${workspaceId}' FOR UPDATE`);
  }

  /** The number of deadlocks in this database, on all servers; PostgreSQL updates it within a second. */
  async deadlocks(): Promise<number> {
    const sql = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    const onAllNodes = `SELECT sum(result::int)::int AS deadlocks FROM run_command_on_all_nodes('${sql}')`;
    return (await this.query<{ deadlocks: number }>(CITUS_URL ? onAllNodes : sql))[0]!.deadlocks;
  }

  /**
   * Creates a copy of the migrated template. With FILE_COPY that takes a third of the time of WAL_LOG. A database of a
   * cluster cannot be copied; the service migrates it when it starts.
   */
  protected async copyTemplate(): Promise<void> {
    if (CITUS_URL) return createClusterDatabase(this.name);
    const template = process.env['TEST_DATABASE_TEMPLATE']!;
    await onServer((client) => client.query(`CREATE DATABASE ${this.name} TEMPLATE ${template} STRATEGY file_copy`));
  }

  private async createIfAbsent(): Promise<void> {
    const sql = 'SELECT 1 FROM pg_database WHERE datname = $1';
    const { rowCount } = await onServer((client) => client.query(sql, [this.name]));
    if (rowCount !== 0) return;
    await this.copyTemplate().catch((error: unknown) => {
      // Another worker has created it meanwhile.
      if (![UNIQUE_VIOLATION, DUPLICATE_DATABASE].includes((error as { code?: string }).code ?? '')) throw error;
    });
  }
}

/** A database of one suite. */
export class TestDatabase extends Database {
  /** A database with the current schema and without data. */
  static async create(): Promise<TestDatabase> {
    const database = new TestDatabase(uniqueName());
    await database.copyTemplate();
    return database;
  }

  /** A database without a schema, as an operator creates it for a new service. */
  static async createEmpty(): Promise<TestDatabase> {
    const database = new TestDatabase(uniqueName());
    if (CITUS_URL) await createClusterDatabase(database.name);
    else await onServer((client) => client.query(`CREATE DATABASE ${database.name}`));
    return database;
  }

  /** @param addressOf returns the address by which the other nodes of the cluster connect to a worker. */
  static async createOnCluster(addressOf: (worker: { url: string }) => Promise<NodeAddress>): Promise<TestDatabase> {
    const database = new TestDatabase(uniqueName());
    await createClusterDatabase(database.name, addressOf);
    return database;
  }

  /** A database like that of `create`, in a new tablespace in this empty folder. */
  static async createIn(location: string): Promise<TestDatabase> {
    const database = new TestDatabase(uniqueName());
    const { name } = database;
    await onServer(async (client) => {
      await client.query(`CREATE TABLESPACE ${name} LOCATION '${location}'`);
      const template = process.env['TEST_DATABASE_TEMPLATE']!;
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy TABLESPACE ${name}`);
    });
    return database;
  }

  /** Drops a database of `createIn`. */
  async dropWithTablespace(): Promise<void> {
    await this.drop();
    await onServer((client) => client.query(`DROP TABLESPACE ${this.name}`));
  }

  /** The folder of the server. */
  static async dataDirectory(): Promise<string> {
    const { rows } = await onServer((client) =>
      client.query<{ path: string }>("SELECT current_setting('data_directory') AS path"),
    );
    return rows[0]!.path;
  }

  async drop(): Promise<void> {
    if (CITUS_URL) return dropClusterDatabase(this.name);
    await onServer((client) => client.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`));
  }
}

/** The statements of tests have a role of their own, so that the statement listener ignores them. */
const TEST_OPTIONS = CITUS_URL ? undefined : '-c role=tests';

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, options: TEST_OPTIONS });
  await client.connect();
  return client;
}

const uniqueName = (): string => `t_${randomBytes(8).toString('hex')}`;

function serverUrl(): string {
  return process.env['TEST_DATABASE_URL']!;
}

function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(serverUrl(), work);
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
