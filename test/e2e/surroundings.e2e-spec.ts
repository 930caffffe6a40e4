import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { freePort, ROOT } from '../support/service.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const START_MS = 60_000;
/** `nobody` on Linux. */
const OTHER_USER = 65_534;

/** A checkout and a DATA_DIR in one folder, whose path is unusual. */
class Surroundings {
  readonly folder = mkdtempSync(join(tmpdir(), 'atrium with space '));
  readonly checkout = join(this.folder, 'check out');
  readonly dataDir = join(this.folder, 'data dir');
  private child: ChildProcess | undefined;
  private port = 0;
  output = '';

  /** The checkout has the build of this one. Links cannot be written through by another user. */
  constructor(readonly user: number | undefined) {
    chmodSync(this.folder, 0o755);
    mkdirSync(this.checkout);
    for (const name of ['dist', 'docs', 'node_modules', 'package.json', 'README.md'])
      symlinkSync(join(ROOT, name), join(this.checkout, name));
    mkdirSync(this.dataDir);
    if (user) chownSync(this.dataDir, user, user);
    chmodSync(this.checkout, 0o555);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the service through a shell that sets the umask, as another user, in the read-only checkout. */
  async start(umask: string): Promise<void> {
    this.port = await freePort();
    const identity = this.user ? { uid: this.user, gid: this.user } : {};
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...this.settings };
    const command = `umask ${umask}; exec "${process.execPath}" dist/src/main.js`;
    const child = spawn('/bin/sh', ['-c', command], { cwd: this.checkout, env, ...identity });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    const isReady = async () => (await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined))?.ok;
    // The first start creates a database, which takes longer on a busy machine.
    const isStarted = await until(
      async () => child.exitCode !== null || (await isReady()),
      (done) => done === true,
      START_MS,
    ).catch(() => false);
    if (!isStarted || child.exitCode !== null) throw new Error(`The service did not start: ${this.output}`);
  }

  operator(...args: string[]): Promise<{ stdout: string }> {
    const identity = this.user ? { uid: this.user, gid: this.user } : {};
    const env = { PATH: process.env['PATH'], ...this.settings };
    return run(process.execPath, ['dist/src/operator/main.js', ...args], { cwd: this.checkout, env, ...identity });
  }

  async stop(): Promise<number | null> {
    const closed = once(this.child!, 'close');
    this.child!.kill('SIGTERM');
    const [code] = (await closed) as [number | null];
    return code;
  }

  /** Also ends a service that did not start in time: its database would remain without its files. */
  async remove(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) await this.stop();
    const postgres = join(this.dataDir, 'postgres');
    if (existsSync(postgres)) rmSync(realpathSync(postgres), { recursive: true, force: true });
    chmodSync(this.checkout, 0o755);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get settings(): Record<string, string> {
    return { PORT: String(this.port), DATA_DIR: this.dataDir };
  }
}

// Jest passes a callback in place of a value that is left out.
const CASES: [name: string, umask: string, user: number | undefined][] = [['of the same user', '077', undefined]];
if (isRoot)
  CASES.push(['of a user who is not root', '077', OTHER_USER], ['of a user who is not root', '000', OTHER_USER]);

describe('in a read-only checkout, with spaces in its path and DATA_DIR elsewhere', () => {
  it.each(CASES)('a process %s with the umask %s starts, stores a file, and drains', async (_name, umask, user) => {
    const surroundings = new Surroundings(user);
    try {
      await surroundings.start(umask);
      const file = join(surroundings.dataDir, 'demo-credentials.json');
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
      const demo = JSON.parse(readFileSync(file, 'utf8')) as { apiKey: string; workspaceId: string };
      const api = new Api(surroundings.baseUrl).withKey(demo.apiKey);
      const body = new FormData();
      body.append('files', new File([readFileSync(join(ROOT, 'test/fixtures/files/picture.png'))], 'picture.png'));
      const path = `${surroundings.baseUrl}/v2/api/workspaces/${demo.workspaceId}/notes`;
      expect((await fetch(path, { method: 'POST', headers: api.headers, body })).status).toBe(201);
      expect((await fetch(`${surroundings.baseUrl}/guide/operating`)).status).toBe(200);
      expect((await surroundings.operator('workspace', 'list')).stdout).toContain('demo');
      expect(await surroundings.stop()).toBe(0);
    } finally {
      await surroundings.remove();
    }
  });
});
