import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { physicalTableName } from '../src/modules/workspace-tables/catalog/physical-table.js';
import { EmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { Connection, parsed } from './connection.js';
import type { Options } from './options.js';
import { type Measured, startFloor, startService } from './processes.js';
import { COLUMNS } from './sample-rows.js';

const OPERATOR = fileURLToPath(new URL('../src/operator/main.js', import.meta.url));
const MAKE_CLIENTS = fileURLToPath(new URL('make-clients.js', import.meta.url));
const MAKE_WORKSPACES = fileURLToPath(new URL('make-workspaces.js', import.meta.url));
const run = promisify(execFile);

/** Credentials that sign in, and whose they are. */
export interface SampleClient {
  userId: string;
  clientId: string;
  clientSecret: string;
}

/** Schemas of the floors' tables. */
export const FLOORS = ['bare_nest', 'copied'] as const;

/** What is on stage: a PostgreSQL of the benchmark's own, durable as in production, and the built service beside it. */
export class Stage {
  private readonly processes: Measured[] = [];
  workspaceId: string;
  apiKey: string;
  accessToken: string;
  service: Measured;
  private readonly env: NodeJS.ProcessEnv;

  private constructor(
    /** A folder of the benchmark's own, on the disk of everything. */
    readonly dir: string,
    private readonly postgres: EmbeddedPostgres,
    /** A connection as superuser. */
    readonly database: Client,
    private readonly nodeOptions: readonly string[],
  ) {
    // The defaults of the service, whatever the caller's environment says, a session that outlives the longest run, and
    // no rate limits: they are what would be measured.
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
      // One caller is to do as much as it can.
      RATE_LIMIT_TOKEN: 'off',
      RATE_LIMIT_TOKEN_FAILURES: 'off',
      RATE_LIMIT_READ: 'off',
      RATE_LIMIT_WRITE: 'off',
    };
  }

  static async open({ profileDir }: Options): Promise<Stage> {
    const dir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
    // As root PostgreSQL runs as another user, who must get in.
    await chmod(dir, 0o755);
    const postgres = await EmbeddedPostgres.start({ dataDir: dir });
    const database = new Client({ connectionString: postgres.url });
    // Unheard it would end this process; whoever uses the connection gets to know.
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

  /** As a Bearer of the workspace's own credentials. */
  get authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.accessToken}` };
  }

  get bulkPath(): string {
    return `/v2/api/workspaces/${this.workspaceId}/cw/assets/bulk`;
  }

  /** One more instance of the service on the same database; credentials work with every one. */
  async startService(): Promise<Measured> {
    return this.keep(await startService(this.env, this.dir, this.nodeOptions));
  }

  /** A floor on the same database, under the service's own settings. */
  async startFloor(
    name: 'bare-nest' | 'bare-http' | 'hash-to-disk' | 'trusting',
    ...args: readonly string[]
  ): Promise<Measured> {
    return this.keep(await startFloor(name, args, this.env, this.dir, this.nodeOptions));
  }

  /** Users of the workspace, each with client credentials. */
  async makeClients(count: number): Promise<SampleClient[]> {
    const args = [MAKE_CLIENTS, this.workspaceId, String(count)];
    const { stdout } = await run(process.execPath, args, { cwd: this.dir, env: this.env });
    return JSON.parse(stdout) as SampleClient[];
  }

  /** Workspaces, and who is a member of them all. */
  async makeWorkspaces(count: number): Promise<{ ids: string[]; authorization: Record<string, string> }> {
    const { stdout } = await run(process.execPath, [MAKE_WORKSPACES, String(count)], {
      cwd: this.dir,
      env: this.env,
      maxBuffer: 64 * count + 1_048_576,
    });
    const { ids, client } = JSON.parse(stdout) as { ids: string[]; client: SampleClient };
    return { ids, authorization: { authorization: `Bearer ${await this.getToken(client)}` } };
  }

  /** Makes room for new sessions of these users, behind the service's back. */
  async endSessions(clients: readonly SampleClient[]): Promise<void> {
    await this.database.query('DELETE FROM sessions WHERE user_id = ANY ($1)', [clients.map(({ userId }) => userId)]);
  }

  /** An empty Assets table with the sample's columns. @returns its id, and the name of its physical table. */
  async createTable(name: string): Promise<{ id: string; physical: string }> {
    const connection = new Connection(this.service.baseUrl, this.authorization);
    const body = Buffer.from(JSON.stringify({ assets: [{ name, columns: COLUMNS, items: [] }] }));
    const { data } = parsed(await connection.post(this.bulkPath, body), 201) as { data: { tables: [{ id: string }] } };
    connection.close();
    const [{ id }] = data.tables;
    return { id, physical: physicalTableName({ workspaceId: this.workspaceId, id }) };
  }

  /** Fills the workspace's list of notes, behind the service's back. */
  async addNotes(count: number): Promise<void> {
    await this.database.query(
      `WITH counted AS (
         INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence) VALUES ($1, $2, 0)
         ON CONFLICT (workspace_id) DO UPDATE SET last_number = counter.last_number + $2
         RETURNING last_number - $2 AS first
       )
       INSERT INTO notes (workspace_id, id, number, title, description, status, priority, assignee, source,
                          created_at, updated_at, due_date, closed_at)
       SELECT $1, uuidv7(), first + n, 'Leak at the feed pump ' || n, 'Oil on the floor of hall ' || n % 50,
              (ARRAY['open', 'in_progress', 'resolved', 'closed'])[1 + n % 4], (ARRAY['high', 'medium', 'low'])[1 + n % 3],
              (ARRAY['maria', 'jan', 'li', 'ada', 'tom'])[1 + n % 5], 'workspace',
              now() - ($2 - n) * interval '1 minute', now() - ($2 - n) * interval '1 minute',
              CASE WHEN n % 3 > 0 THEN now() - ($2 - n) * interval '1 minute' + n % 30 * interval '1 day' END,
              CASE WHEN n % 4 > 1 THEN least(now(), now() - ($2 - n) * interval '1 minute' + n % 50 * interval '1 day') END
         FROM counted, generate_series(1, $2) n`,
      [this.workspaceId, count],
    );
    await this.database.query('VACUUM ANALYZE notes');
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((each) => each.stop()));
    await this.database.end().catch(() => undefined);
    await this.postgres.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private keep(started: Measured): Measured {
    this.processes.push(started);
    return started;
  }

  private async signIn(): Promise<void> {
    const workspace = await this.operator<{ id: string }>('workspace', 'create', '--name', 'Benchmark');
    const user = await this.operator<{ id: string }>(
      'user',
      'create',
      '--email',
      'bench@example.com',
      '--workspace',
      workspace.id,
    );
    const client = await this.operator<{ clientId: string; clientSecret: string }>(
      'client',
      'create',
      '--user',
      user.id,
    );
    const key = await this.operator<{ apiKey: string }>(
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

  private async getToken({ clientId, clientSecret }: Pick<SampleClient, 'clientId' | 'clientSecret'>): Promise<string> {
    const connection = new Connection(this.service.baseUrl);
    const grant = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
    const answer = await connection.post('/v1/api/oauth2/token', Buffer.from(JSON.stringify(grant)));
    connection.close();
    return (parsed(answer, 200) as { data: { access_token: string } }).data.access_token;
  }

  /** Runs an operator's command beside the running service and reads its JSON. */
  private async operator<T>(...args: string[]): Promise<T> {
    const { stdout } = await run(process.execPath, [OPERATOR, ...args, '--json'], { cwd: this.dir, env: this.env });
    return JSON.parse(stdout) as T;
  }
}
