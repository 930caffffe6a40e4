import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, MAIN, preload, READY_WITHIN_MS } from './service.js';

/** An empty folder for the first start of the service: without settings except the port, and without a database. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'atrium-home-'));
  private child: ChildProcess | undefined;
  private printed = '';

  private constructor(readonly port: number) {
    // Under root, PostgreSQL runs as another user, which must be able to read the folder.
    chmodSync(this.path, 0o755);
  }

  static async make(): Promise<Home> {
    return new Home(await freePort());
  }

  get baseUrl(): string {
    return `http://localhost:${this.port}`;
  }

  /** Output of the running service, on both streams. */
  get output(): string {
    return this.printed;
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Process ID of the PostgreSQL in this folder; undefined if none runs. */
  get postgresPid(): number | undefined {
    const file = join(this.path, '.data/postgres/data/postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
  }

  /** Starts the service without waiting for it. */
  spawn(settings: Record<string, string> = {}): ChildProcess {
    return this.observe(spawn(process.execPath, [MAIN], { ...this.options(settings), cwd: this.path }));
  }

  /** Starts the service with `npm start` in the project, with the data in this folder, and waits until it is ready. */
  async startWithNpm(): Promise<void> {
    const settings = { DATA_DIR: join(this.path, '.data') };
    await this.waitUntilReady(this.observe(spawn('npm', ['start', '--silent'], this.options(settings))));
  }

  private options(settings: Record<string, string>) {
    const defaults = { PORT: String(this.port), NODE_ENV: 'development', DATABASE_URL: '', NODE_OPTIONS: preload() };
    const env = { ...process.env, ...defaults, ...settings };
    return { env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  }

  private observe(child: ChildProcess): ChildProcess {
    this.child = child;
    this.printed = '';
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    }
    return this.child;
  }

  /** Starts the service and waits until it is ready. */
  async start(settings?: Record<string, string>): Promise<void> {
    await this.waitUntilReady(this.spawn(settings));
  }

  private async waitUntilReady(child: ChildProcess): Promise<void> {
    for (const deadline = Date.now() + READY_WITHIN_MS; child.exitCode === null && Date.now() < deadline;) {
      if ((await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined))?.ok) return;
      await delay(25);
    }
    throw new Error(`The service did not become ready:\n${this.printed}`);
  }

  /** Starts a service that must fail to start. @returns its exit code and output. */
  async failedStart(settings?: Record<string, string>): Promise<{ code: number | null; output: string }> {
    const code = await exitOf(this.spawn(settings));
    return { code, output: this.printed };
  }

  /** @returns the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    const child = this.child!;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = exitOf(child);
    child.kill(signal);
    return exited;
  }

  /** Removes the folder, including PostgreSQL's data if that is a symbolic link, as under root. */
  remove(): void {
    const postgres = join(this.path, '.data/postgres');
    if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true, force: true });
    rmSync(this.path, { recursive: true, force: true });
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.once('close', (code) => done(code)));
}
