import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.js';
import { formerRowsName, storedTableName } from '../packages/tables/src/catalog/physical-table.js';
import { Connection } from './connection.js';
import type { Slice, Work } from './measure.js';
import { COLUMNS, NDJSON } from './sample-rows.js';

/** Rows of a file or a queried table, rows that a bulk measurement writes, and seconds of a slice of requests. */
export type Sizes = { rows: number; bulkRows: number; seconds: number };
/** What the service reports about a request that writes rows. */
export type Report = { batchId: string; totals: { created: number; updated: number; deleted: number } };
/** A table of the service, with its path and its relations in PostgreSQL. */
export type BenchTable = { path: string; physical: string; former: string };
/** A user of the workspace with client credentials. */
type Account = { userId: string; clientId: string; clientSecret: string };
/** A process whose CPU time is measured. */
export type MeasuredProcess = { baseUrl: string; pid: number };

const findProgram = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The environment of the benchmark: its own PostgreSQL, durable as in production, the built service, and floors. */
export class Stage {
  service: MeasuredProcess;
  workspaceId = '';
  workspacePath: string;
  authorization: Record<string, string>;
  /** One connection of the user of the workspace to the service. */
  connection: Connection;
  private readonly children: ChildProcess[] = [];
  private readonly env: NodeJS.ProcessEnv;

  private constructor(
    private readonly dir: string,
    private readonly postgres: EmbeddedPostgres,
    /** A connection as superuser. */
    readonly database: Client,
    private readonly nodeOptions: readonly string[],
  ) {
    // The defaults of the service, independent of the caller's environment. Exceptions: a session that outlives the
    // longest run, and no rate limits, because one caller must send as much as possible.
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
      RATE_LIMIT_TOKEN: 'off',
      RATE_LIMIT_FAILURES: 'off',
      RATE_LIMIT_READ: 'off',
      RATE_LIMIT_WRITE: 'off',
    };
  }

  /** @param profileDir folder for the CPU profiles of the service and the floors */
  static async open(profileDir?: string): Promise<Stage> {
    const dir = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
    // If root runs the benchmark, PostgreSQL runs as another user, who must read this folder.
    await chmod(dir, 0o755);
    const postgres = await EmbeddedPostgres.start({ dataDir: dir });
    const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profileDir)}`];
    const stage = new Stage(dir, postgres, await connect(postgres.url), profiling);
    try {
      await stage.database.query('CREATE SCHEMA floor');
      await mkdir(join(dir, 'service'));
      stage.service = await stage.start('../src/main.js', '/health/ready');
      await stage.signIn();
    } catch (error) {
      await stage.close();
      throw error;
    }
    return stage;
  }

  async close(): Promise<void> {
    for (const child of this.children) if (child.exitCode === null && child.kill()) await once(child, 'exit');
    await this.database.end().catch(() => undefined);
    await this.postgres.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Starts a bare NestJS controller on the same database. @param statements of its requests, by name */
  startFloor(statements: Record<string, string> = {}): Promise<MeasuredProcess> {
    return this.start('floors/bare-nest.js', '/live', JSON.stringify(statements));
  }

  /** Executes a program of the operator. @returns its output */
  async run(program: string, ...args: string[]): Promise<string> {
    const options = { cwd: this.dir, env: this.env, maxBuffer: Infinity };
    return (await promisify(execFile)(process.execPath, [findProgram(program), ...args], options)).stdout;
  }

  /** Creates users of the workspace, and the workspace if there is none. */
  async createAccounts(count: number): Promise<Account[]> {
    const created = await this.run('create-accounts.js', String(count), this.workspaceId);
    const { workspaceId, accounts } = JSON.parse(created) as { workspaceId: string; accounts: Account[] };
    this.workspaceId = workspaceId;
    this.workspacePath = `/v2/api/workspaces/${workspaceId}`;
    return accounts;
  }

  /** Creates an empty table, by default of Assets with the sample columns. */
  async createTable(name: string, columns: readonly object[] = COLUMNS, entity = 'assets'): Promise<BenchTable> {
    const tables = `${this.workspacePath}/cw/${entity}`;
    const body = { [entity]: [{ name, columns, items: [] }] };
    const created = await this.connection.call<{ tables: [{ id: string }] }>('POST', `${tables}/bulk`, body);
    const table = { workspaceId: this.workspaceId, id: created.tables[0].id };
    return { path: `${tables}/${table.id}`, physical: storedTableName(table), former: formerRowsName(table) };
  }

  /** Writes rows to a table of Assets by one request. @param items objects, or their JSON */
  bulk(name: string, items: Buffer | readonly object[], connection = this.connection): Promise<Report> {
    return connection.call('POST', `${this.workspacePath}/cw/assets/bulk`, toBulkBody(name, items));
  }

  import({ path }: BenchTable, file: readonly Buffer[], type = NDJSON): Promise<Report> {
    return this.connection.call('POST', `${path}/items/import`, file, type);
  }

  /** Measures requests, or rows, per second. @param work returns how many it completed */
  async rate(contender: MeasuredProcess | undefined, work: () => Promise<number>): Promise<Slice> {
    const before = this.readCpu(contender);
    const startedAt = performance.now();
    const count = await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    const [nodeCpu, databaseCpu] = this.readCpu(contender).map((after, index) => (after - before[index]!) / count);
    return { figure: count / seconds, nodeCpu: nodeCpu!, databaseCpu: databaseCpu! };
  }

  /** Measures the milliseconds of one request. */
  async duration(contender: MeasuredProcess | undefined, work: () => Promise<unknown>): Promise<Slice> {
    const { figure: perSecond, ...cpu } = await this.rate(contender, () => work().then(() => 1));
    return { figure: 1_000 / perSecond, ...cpu };
  }

  /** Slices of one request each, numbered from 0, so that all contenders send the same requests. */
  requests(contender: MeasuredProcess | undefined, work: (number: number) => Promise<unknown>): Work {
    let number = 0;
    return () => this.duration(contender, () => work(number++));
  }

  /** Microseconds of CPU time of a process, and of all processes of PostgreSQL. */
  private readCpu(contender: MeasuredProcess | undefined): [node: number, database: number] {
    const postmaster = Number.parseInt(readFileSync(join(this.dir, 'postgres/data/postmaster.pid'), 'utf8'), 10);
    const processes = listProcesses();
    const add = (chosen: typeof processes) => chosen.reduce((sum, { cpu }) => sum + cpu, 0) || Number.NaN;
    return [
      add(processes.filter(({ pid }) => pid === contender?.pid)),
      add(processes.filter(({ pid, parent }) => pid === postmaster || parent === postmaster)),
    ];
  }

  /** Starts a program that listens on `PORT`. */
  private async start(program: string, ready: string, ...args: string[]): Promise<MeasuredProcess> {
    const port = await findFreePort();
    const child = spawn(process.execPath, [...this.nodeOptions, findProgram(program), ...args], {
      cwd: this.dir,
      env: { ...this.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.children.push(child);
    const baseUrl = `http://127.0.0.1:${port}`;
    while (child.exitCode === null) {
      const response = await fetch(baseUrl + ready).catch(() => undefined);
      if (response?.ok) return { baseUrl, pid: child.pid! };
      await delay(20);
    }
    throw new Error(`${program} did not become ready.`);
  }

  private async signIn(): Promise<void> {
    const [account] = await this.createAccounts(1);
    const grant = { grant_type: 'password', client_id: account!.clientId, client_secret: account!.clientSecret };
    const anonymous = new Connection(this.service.baseUrl);
    const { access_token } = await anonymous.call<{ access_token: string }>('POST', '/v1/api/oauth2/token', grant);
    this.authorization = { authorization: `Bearer ${access_token}` };
    this.connection = new Connection(this.service.baseUrl, this.authorization);
  }
}

/** The body of a bulk request, in parts, so that the rows are serialized once. */
export function toBulkBody(table: string, items: Buffer | readonly object[]): Buffer[] {
  const json = Buffer.isBuffer(items) ? items : Buffer.from(JSON.stringify(items));
  return [Buffer.from(`{"assets":[{"name":"${table}","items":`), json, Buffer.from('}]}')];
}

/** The processes of the machine with the CPU time of themselves and of their ended children. Empty if not Linux. */
function listProcesses(): { pid: number; parent: number; cpu: number }[] {
  const names = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return names.flatMap((pid) => {
    try {
      // The name of the program, in parentheses, may contain blanks. Times are in hundredths of a second.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
      const cpu = fields.slice(11, 15).reduce((sum, each) => sum + each * 10_000, 0);
      return [{ pid: Number(pid), parent: fields[1]!, cpu }];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // An unhandled error event would end this process. The next query reports the error.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
