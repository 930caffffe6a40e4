import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Credentials } from './credentials.js';
import { OperatorClient, runCommand } from './operator-client.js';

export const ROOT = resolve(__dirname, '../..');
const MAIN = join(ROOT, 'dist/src/main.js');
const READY_WITHIN_MS = 60_000;

/** A database for one suite, on the PostgreSQL of the test run. */
export class TestDatabase {
  private constructor(
    readonly url: string,
    private readonly name: string,
  ) {}

  static async create(): Promise<TestDatabase> {
    const name = `t_${randomBytes(8).toString('hex')}`;
    await onServer((client) => client.query(`CREATE DATABASE ${name}`));
    return new TestDatabase(serverUrl().replace(/\/atrium(?=\?|$)/, `/${name}`), name);
  }

  async query<Row extends object = Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return withClient(this.url, async (client) => (await client.query<Row>(sql, parameters)).rows);
  }

  /** Begins a transaction with a statement that takes locks. @returns a function that ends it. */
  async lock(sql: string): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(sql);
    return () => client.end();
  }

  async drop(): Promise<void> {
    await onServer((client) => client.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`));
  }
}

function serverUrl(): string {
  return process.env['TEST_DATABASE_URL']!;
}

function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  return withClient(serverUrl(), work);
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The built service as a child process. Several may share one database, as several instances do. */
export class TestService {
  readonly baseUrl: string;
  readonly output: string[] = [];
  private openedClient: Promise<OperatorClient> | undefined;

  private constructor(
    private readonly child: ChildProcess,
    readonly env: NodeJS.ProcessEnv,
    private readonly dataDir: string,
  ) {
    this.baseUrl = `http://127.0.0.1:${env['PORT']}`;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
  }

  /** Starts the service and waits until it is ready. `settings` override the environment. */
  static async start(database: TestDatabase, settings: Record<string, string> = {}): Promise<TestService> {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-service-'));
    const env = { ...process.env, ...environment(database, dataDir, String(await freePort())), ...settings };
    const child = spawn(process.execPath, [MAIN], { cwd: dataDir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const service = new TestService(child, env, dataDir);
    await service.waitUntilReady();
    return service;
  }

  /** Starts the service with its own address as PUBLIC_URL, so that standard clients reach the advertised URLs. */
  static async startPublic(database: TestDatabase, settings: Record<string, string> = {}): Promise<TestService> {
    const port = await freePort();
    return TestService.start(database, {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...settings,
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The operator client of this service; closed when the service stops. */
  operatorClient(): Promise<OperatorClient> {
    return (this.openedClient ??= OperatorClient.open(this.env));
  }

  /** Creates a workspace, a user, client credentials and an API key. */
  async provision(name = `Workspace ${randomBytes(4).toString('hex')}`, scopes: string[] = []): Promise<Credentials> {
    return (await this.operatorClient()).provision(name, scopes);
  }

  /** Runs a command of the operator CLI with the settings of this service and parses its JSON output. */
  async operator<T>(...args: string[]): Promise<T> {
    return JSON.parse(await runCommand(this.env, [...args, '--json'])) as T;
  }

  /** Peak memory of the service (VmHWM) in bytes; undefined if the system does not report it. */
  peakMemory(): number | undefined {
    try {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))!;
      return Number(kibibytes) * 1024;
    } catch {
      return undefined;
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const { openedClient } = this;
    // A service may be stopped twice.
    this.openedClient = undefined;
    await (await openedClient)?.close();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = new Promise((done) => this.child.once('exit', done));
      this.child.kill(signal);
      await exited;
    }
    rmSync(this.dataDir, { recursive: true, force: true });
    return this.child.exitCode;
  }

  private async waitUntilReady(): Promise<void> {
    // A busy machine is slow; the timeout allows for that.
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline;) {
      if (this.child.exitCode !== null) break;
      const ready = await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await delay(25);
    }
    throw new Error(`The service did not become ready:\n${this.output.join('')}`);
  }
}

/** Settings of the service in a test. Instances on one database share their secrets. */
function environment(database: TestDatabase, dataDir: string, port: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: port,
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://atrium.test',
    LOG_FORMAT: 'json',
    // On a busy machine, opening ten connections at once takes longer than in production.
    DATABASE_CONNECT_TIMEOUT_MS: '20000',
    CREDENTIAL_PEPPER: 'a'.repeat(64),
    ENCRYPTION_KEY: 'b'.repeat(64),
    // Hundreds of sign-ins are sent from one address; the tests of the rate limits enable these limits.
    RATE_LIMIT_TOKEN: 'off',
    RATE_LIMIT_TOKEN_FAILURES: 'off',
    RATE_LIMIT_READ: 'off',
    RATE_LIMIT_WRITE: 'off',
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
