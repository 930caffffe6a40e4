import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from './credentials.js';
import { type Database, TestDatabase } from './database.js';
import { OperatorClient, runCommand } from './operator-client.js';

export { TestDatabase };

export const ROOT = resolve(__dirname, '../..');
export const MAIN = join(ROOT, 'dist/src/main.js');
/** A busy machine is slow. Less than the limit of a test, so that the output of the service is shown. */
export const READY_WITHIN_MS = 110_000;

/** A running instance of the built service, as its callers and its operator use it. */
export abstract class RunningService {
  readonly baseUrl: string;
  abstract readonly pid: number;
  /** What the service wrote to its standard output and standard error. */
  abstract readonly output: readonly string[];

  protected constructor(readonly env: NodeJS.ProcessEnv) {
    this.baseUrl = `http://127.0.0.1:${env['PORT']}`;
  }

  abstract operatorClient(): Promise<OperatorClient>;

  /** Creates a workspace, a user, client credentials and an API key. */
  async provision(name = `Workspace ${randomBytes(4).toString('hex')}`, scopes: string[] = []): Promise<Credentials> {
    return (await this.operatorClient()).provision(name, scopes);
  }

  /** Runs a command of the operator CLI with the settings of this service and parses its JSON output. */
  async operator<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await runCommand(this.env, [...args, '--json']);
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
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

  /** CPU time of the event loop so far in milliseconds; where the system does not report it, that of a clock. */
  eventLoopTime(): number {
    try {
      return Number(readFileSync(`/proc/${this.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
    } catch {
      return performance.now();
    }
  }

  protected async waitUntilReady(hasEnded: () => boolean): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline;) {
      if (hasEnded()) break;
      const ready = await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined);
      if (ready?.ok) return;
      await delay(25);
    }
    throw new Error(`The service did not become ready:\n${this.output.join('')}`);
  }
}

/** A service that one suite starts, with its own settings. Several may share one database, as several instances do. */
export class TestService extends RunningService {
  readonly output: string[] = [];
  private openedClient: Promise<OperatorClient> | undefined;

  private constructor(
    private readonly child: ChildProcess,
    env: NodeJS.ProcessEnv,
    private readonly dataDir: string,
  ) {
    super(env);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => this.output.push(chunk.toString()));
  }

  /** Starts the service and waits until it is ready. `settings` override the environment. */
  static async start(
    database: Pick<Database, 'url'>,
    settings: Record<string, string> = {},
    [program, ...args]: readonly string[] = [process.execPath, MAIN],
  ): Promise<TestService> {
    const dataDir = mkdtempSync(join(tmpdir(), 'atrium-service-'));
    const env = { ...process.env, ...environment(database, await freePort()), DATA_DIR: dataDir, ...settings };
    const child = spawn(program!, args, { cwd: dataDir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const service = new TestService(child, env, dataDir);
    await service.waitUntilReady(() => child.exitCode !== null);
    return service;
  }

  /** Starts the service with its own address as PUBLIC_URL, so that standard clients reach the advertised URLs. */
  static async startPublic(
    database: Pick<Database, 'url'>,
    settings: Record<string, string> = {},
  ): Promise<TestService> {
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

  /** Null while it runs, and after a signal has ended it. */
  get exitCode(): number | null {
    return this.child.exitCode;
  }

  /** The operator client of this service; closed when the service stops. */
  operatorClient(): Promise<OperatorClient> {
    return (this.openedClient ??= OperatorClient.open(this.env));
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
}

/**
 * Node options of a service in a test: loads the modules of `test/support`, and `throw-warnings.mjs`, by which warnings
 * fail the test.
 */
export function preload(...names: string[]): string {
  return ['throw-warnings.mjs', ...names].map((name) => `--import ${join(ROOT, 'test/support', name)}`).join(' ');
}

/** Settings of the service in a test. Instances on one database share their secrets. */
export function environment(database: Pick<Database, 'url'>, port: number): Record<string, string> {
  return {
    NODE_ENV: 'test',
    NODE_OPTIONS: preload(),
    DATABASE_URL: database.url,
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://atrium.test',
    LOG_FORMAT: 'json',
    // On a busy machine, opening ten connections at once takes longer than in production.
    DATABASE_CONNECT_TIMEOUT_MS: '60000',
    // The last of fifty writers of a table waits longer, too.
    DATABASE_LOCK_TIMEOUT_MS: '14000',
    CREDENTIAL_PEPPER: 'a'.repeat(64),
    ENCRYPTION_KEY: 'b'.repeat(64),
    JOB_POLL_S: '1',
    SHUTDOWN_DRAIN_MS: '0',
    // On a busy machine, a burst takes longer than in production.
    REQUEST_WAIT_MS: '20000',
    // Hundreds of sign-ins are sent from one address; the tests of the rate limits enable these limits.
    RATE_LIMIT_TOKEN: 'off',
    RATE_LIMIT_FAILURES: 'off',
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
