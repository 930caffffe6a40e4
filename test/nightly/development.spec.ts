import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service.js';
import { until } from '../support/until.js';

const run = promisify(execFile);

/** The files that the build and the service require. */
const COPIED = [
  ...['src', 'clients', 'migrations', 'packages', 'examples', 'bench', 'tools', 'docs', 'README.md'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'openapi.json'],
];
const PORT = '39741';
/** The first build compiles everything. */
const BUILD_LIMIT_MS = 300_000;
const BASE_URL = `http://127.0.0.1:${PORT}`;

describe('the commands for development', () => {
  let copy: string;
  let dataDir: string;
  let dev: ChildProcess | undefined;
  let output = '';

  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'atrium-development-'));
    // Under root, PostgreSQL runs as another user, which must be able to enter the folder.
    chmodSync(copy, 0o755);
    dataDir = join(copy, 'data');
    for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });

  afterAll(async () => {
    if (dev) await stopDev(dev);
    rmSync(copy, { recursive: true, force: true });
  });

  const environment = (settings: NodeJS.ProcessEnv = {}) => ({
    ...process.env,
    PORT,
    DATA_DIR: dataDir,
    NODE_ENV: 'development',
    DATABASE_URL: '',
    ...settings,
  });

  async function startDev(): Promise<void> {
    output = '';
    await run(process.execPath, ['tools/build.mjs'], { cwd: copy });
    dev = spawn(process.execPath, ['tools/dev.mjs'], { cwd: copy, env: environment(), stdio: 'pipe' });
    for (const stream of [dev.stdout!, dev.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await waitFor('Ready at');
  }

  async function stopDev(process: ChildProcess): Promise<void> {
    if (process.exitCode !== null) return;
    process.kill('SIGINT');
    await once(process, 'exit');
  }

  async function waitFor(text: string): Promise<void> {
    await until(
      () => output,
      (printed) => printed.includes(text),
      BUILD_LIMIT_MS,
    );
  }

  /** @returns the exit code and what was printed. */
  async function resetDatabase(settings?: NodeJS.ProcessEnv): Promise<{ code: number; text: string }> {
    const options = { cwd: copy, env: environment(settings) };
    try {
      const { stdout } = await run(process.execPath, ['tools/reset-database.mjs'], options);
      return { code: 0, text: stdout };
    } catch (error) {
      const { code, stderr } = error as { code: number; stderr: string };
      return { code, text: stderr };
    }
  }

  const postgresPid = () => readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0];
  const credentials = () =>
    JSON.parse(readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8')) as { apiKey: string };
  const edit = (path: string, from: string, to: string) =>
    writeFileSync(join(copy, path), readFileSync(join(copy, path), 'utf8').replace(from, to));

  it('restarts with the changed source on the same PostgreSQL and data', async () => {
    await startDev();
    const [pid, { apiKey }] = [postgresPid(), credentials()];
    edit(
      'src/platform/http/cross-origin.ts',
      'export function',
      "process.stdout.write('changed source\\n');\nexport function",
    );
    output = '';
    await waitFor('changed source');
    await waitFor('Ready at');
    expect(postgresPid()).toBe(pid);
    const response = await fetch(`${BASE_URL}/v1/api/projects`, { headers: { 'X-API-Key': apiKey } });
    expect(response.status).toBe(200);
  }, 600_000);

  it('bundles the table browser again after a change', async () => {
    edit('packages/pages/src/tables/title.ts', 'Atrium tables', 'Changed tables');
    const read = async () => (await fetch(`${BASE_URL}/tables/app.js`)).text();
    await until(read, (script) => script.includes('Changed tables'), BUILD_LIMIT_MS);
  }, 600_000);

  it('continues to run the former source if the changed one cannot be compiled', async () => {
    edit('src/platform/http/cross-origin.ts', 'export function', 'export funct ion');
    await waitFor('cross-origin.ts');
    expect((await fetch(`${BASE_URL}/health/live`)).status).toBe(200);
    output = '';
    edit('src/platform/http/cross-origin.ts', 'export funct ion', 'export function');
    await waitFor('Ready at');
  }, 600_000);

  it('deletes nothing while the service runs', async () => {
    const { code, text } = await resetDatabase();
    expect(text).toContain('Stop it first. Nothing was deleted.');
    expect(code).toBe(1);
    expect(existsSync(join(dataDir, 'postgres/data/PG_VERSION'))).toBe(true);
    expect((await fetch(`${BASE_URL}/health/ready`)).status).toBe(200);
  }, 600_000);

  it('deletes the embedded database and the demo credentials after the service has stopped', async () => {
    await stopDev(dev!);
    expect(await resetDatabase()).toMatchObject({ code: 0 });
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    expect(existsSync(join(dataDir, 'demo-credentials.json'))).toBe(false);
  }, 600_000);

  it('deletes nothing of a database of DATABASE_URL', async () => {
    const { code, text } = await resetDatabase({ DATABASE_URL: 'postgres://127.0.0.1/atrium' });
    expect(text).toContain('Delete its database by `dropdb` and `createdb`. Nothing was deleted.');
    expect(code).toBe(1);
  });
});
