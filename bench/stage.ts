import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { formerRowsName, storedTableName } from '../packages/tables/src/catalog/physical-table.js';
import { EmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { Connection, parseReply } from './connection.js';
import type { Options } from './options.js';
import { type MeasuredProcess, startFloor, startService } from './processes.js';
import { COLUMNS } from './sample-rows.js';

const OPERATOR = fileURLToPath(new URL('../src/operator/main.js', import.meta.url));
const CREATE_ACCOUNTS = fileURLToPath(new URL('create-accounts.js', import.meta.url));
const run = promisify(execFile);

/** A table with the names of its relations. */
export interface BenchTable {
  id: string;
  physical: string;
  former: string;
}

/** Client credentials and their user. */
export interface SampleClient {
  userId: string;
  clientId: string;
  clientSecret: string;
}

/** Schemas of the floors' tables. */
export const FLOORS = ['bare_nest', 'copied'] as const;

/** The environment of the benchmark: its own PostgreSQL, durable as in production, and the built service. */
export class Stage {
  private readonly processes: MeasuredProcess[] = [];
  workspaceId: string;
  apiKey: string;
  accessToken: string;
  service: MeasuredProcess;
  private readonly env: NodeJS.ProcessEnv;

  private constructor(
    /** The folder of the benchmark, on the disk of all its data. */
    readonly dir: string,
    private readonly postgres: EmbeddedPostgres,
    /** A connection as superuser. */
    readonly database: Client,
    private readonly nodeOptions: readonly string[],
  ) {
    // The defaults of the service, independent of the caller's environment. Exceptions: a session that outlives the
    // longest run, no rate limits, because one caller must send as much as possible, and receivers of events in this
    // process.
    this.env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: postgres.url,
      DATA_DIR: join(dir, 'service'),
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://atrium.invalid',
      LOG_LEVEL: 'warn',
      CREDENTIAL_PEPPER: randomBytes(32).toString('hex'),
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ACCESS_TOKEN_TTL_S: '86400',
      EVENTS_ALLOW_HTTP: 'true',
      EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
      RATE_LIMIT_TOKEN: 'off',
      RATE_LIMIT_FAILURES: 'off',
      RATE_LIMIT_READ: 'off',
      RATE_LIMIT_WRITE: 'off',
    };
  }

  static async open({ profileDir }: Options): Promise<Stage> {
    const dir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
    // If root runs the benchmark, PostgreSQL runs as another user, who must read this folder.
    await chmod(dir, 0o755);
    const postgres = await EmbeddedPostgres.start({ dataDir: dir });
    const database = new Client({ connectionString: postgres.url });
    // An unhandled error event would end this process. The next query reports the error.
    database.on('error', () => undefined);
    const profiling = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profileDir)}`] : [];
    const stage = new Stage(dir, postgres, database, profiling);
    try {
      await database.connect();
      for (const floor of FLOORS) await database.query(`CREATE SCHEMA ${floor}`);
      await mkdir(stage.env['DATA_DIR']!);
      stage.service = await stage.startService();
      await stage.signIn();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  get databaseUrl(): string {
    return this.postgres.url;
  }

  /** The Bearer token of the user of the workspace. */
  get authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.accessToken}` };
  }

  get bulkPath(): string {
    return `/v2/api/workspaces/${this.workspaceId}/cw/assets/bulk`;
  }

  /**
   * Starts another instance of the service on the same database. Credentials are valid for all instances.
   *
   * @param settings other than the defaults.
   */
  async startService(settings: Record<string, string> = {}): Promise<MeasuredProcess> {
    return this.register(await startService({ ...this.env, ...settings }, this.dir, this.nodeOptions));
  }

  /** Starts a floor on the same database, with the settings of the service. */
  async startFloor(
    name: 'bare-nest' | 'bare-requests' | 'event-log',
    ...args: readonly string[]
  ): Promise<MeasuredProcess> {
    return this.register(await startFloor(name, args, this.env, this.dir, this.nodeOptions));
  }

  /** Creates users of the workspace, each with client credentials. */
  async createClients(count: number): Promise<SampleClient[]> {
    const args = [CREATE_ACCOUNTS, 'clients', String(count), this.workspaceId];
    const { stdout } = await run(process.execPath, args, { cwd: this.dir, env: this.env });
    return JSON.parse(stdout) as SampleClient[];
  }

  /**
   * Creates workspaces. @returns their IDs and the authorization of a user who is a member of all of them.
   *
   * @param settings and service: of another database
   */
  async createWorkspaces(
    count: number,
    settings: Record<string, string> = {},
    service = this.service,
  ): Promise<{ ids: string[]; authorization: Record<string, string> }> {
    const { stdout } = await run(process.execPath, [CREATE_ACCOUNTS, 'workspaces', String(count)], {
      cwd: this.dir,
      env: { ...this.env, ...settings },
      maxBuffer: 64 * count + 1_048_576,
    });
    const { ids, client } = JSON.parse(stdout) as { ids: string[]; client: SampleClient };
    return { ids, authorization: { authorization: `Bearer ${await this.getToken(client, service)}` } };
  }

  /** Deletes the sessions of these users with SQL, so that new ones can be opened. */
  async endSessions(clients: readonly SampleClient[]): Promise<void> {
    await this.database.query('DELETE FROM sessions WHERE user_id = ANY ($1)', [clients.map(({ userId }) => userId)]);
  }

  /** Creates an empty Assets table with the sample columns. @returns its ID and the name of its physical table. */
  async createTable(name: string): Promise<BenchTable> {
    const connection = new Connection(this.service.baseUrl, this.authorization);
    const body = Buffer.from(JSON.stringify({ assets: [{ name, columns: COLUMNS, items: [] }] }));
    const { data } = parseReply(await connection.post(this.bulkPath, body), 201) as {
      data: { tables: [{ id: string }] };
    };
    connection.close();
    const [{ id }] = data.tables;
    const table = { workspaceId: this.workspaceId, id };
    return { id, physical: storedTableName(table), former: formerRowsName(table) };
  }

  /** Sets how long a table stores former rows. */
  async setHistoryDays({ id }: BenchTable, days: number): Promise<void> {
    await this.database.query(
      'UPDATE workspace_tables SET options = $3, definition_id = gen_random_uuid() WHERE workspace_id = $1 AND id = $2',
      [this.workspaceId, id, { historyDays: days }],
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await this.database.end().catch(() => undefined);
    await this.postgres.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private register(started: MeasuredProcess): MeasuredProcess {
    this.processes.push(started);
    return started;
  }

  private async signIn(): Promise<void> {
    const workspace = await this.runOperator<{ id: string }>('workspace', 'create', '--name', 'Benchmark');
    const user = await this.runOperator<{ id: string }>(
      'user',
      'create',
      '--email',
      'bench@example.com',
      '--workspace',
      workspace.id,
    );
    const client = await this.runOperator<{ clientId: string; clientSecret: string }>(
      'client',
      'create',
      '--user',
      user.id,
    );
    const key = await this.runOperator<{ apiKey: string }>(
      'api-key',
      'create',
      '--user',
      user.id,
      '--workspace',
      workspace.id,
    );
    this.workspaceId = workspace.id;
    this.apiKey = key.apiKey;
    this.accessToken = await this.getToken(client);
  }

  private async getToken(
    { clientId, clientSecret }: Pick<SampleClient, 'clientId' | 'clientSecret'>,
    service = this.service,
  ): Promise<string> {
    const connection = new Connection(service.baseUrl);
    const grant = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
    const reply = await connection.post('/v1/api/oauth2/token', Buffer.from(JSON.stringify(grant)));
    connection.close();
    return (parseReply(reply, 200) as { data: { access_token: string } }).data.access_token;
  }

  /** Runs the operator CLI and parses its JSON. */
  async runOperator<T>(...args: string[]): Promise<T> {
    const { stdout } = await run(process.execPath, [OPERATOR, ...args, '--json'], { cwd: this.dir, env: this.env });
    return JSON.parse(stdout) as T;
  }
}
