import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProcess, Image, type ImageConfig, NO_CONTAINERS } from '../support/container.js';
import { environment, freePort, TestDatabase } from '../support/service.js';
import { Tunnel } from '../support/tunnel.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 900_000;

if (NO_CONTAINERS) process.stderr.write(`The container image: skipped: ${NO_CONTAINERS}\n`);

/** Files that are newer than the time, except those below the excluded folders. */
function newFiles(folder: string, since: number, excluded: readonly string[]): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (excluded.includes(path)) return [];
    if (entry.isDirectory()) return newFiles(path, since, excluded);
    return lstatSync(path).mtimeMs > since ? [path] : [];
  });
}

(NO_CONTAINERS ? describe.skip : describe)('the container image', () => {
  const image = new Image();
  let database: TestDatabase;
  let config: ImageConfig;
  let container: string;
  let env: Record<string, string>;
  let tunnel: Tunnel;
  let service: ChildProcess;
  let startedAt: number;
  let output = '';

  const baseUrl = () => `http://127.0.0.1:${env['PORT']}`;
  const isReady = async () => (await fetch(`${baseUrl()}/health/ready`).catch(() => undefined))?.ok;

  async function runInContainer(...command: string[]): Promise<{ code: number; stdout: string }> {
    const child = image.start(container, command, env);
    let stdout = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, stdout };
  }

  beforeAll(async () => {
    [database] = await Promise.all([TestDatabase.create(), image.build()]);
    config = await image.config();
    container = await image.createContainer();
    // NODE_OPTIONS name a file of the repository.
    env = { ...environment(database, await freePort()), NODE_ENV: 'production', NODE_OPTIONS: '' };
    env['PUBLIC_URL'] = baseUrl();
    // The user of the image may not open the socket of the embedded PostgreSQL.
    tunnel = await Tunnel.to(database);
    env['DATABASE_URL'] = tunnel.url;
    startedAt = Date.now();
    service = image.start(container, config.Cmd, env);
    for (const stream of [service.stdout!, service.stderr!])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until(isReady).catch((cause: unknown) => {
      throw new Error(`The service did not become ready:\n${output}`, { cause });
    });
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    const pid = findProcess('dist/src/main.js', `PORT=${env['PORT']}`);
    if (pid) process.kill(pid, 'SIGKILL');
    await tunnel.close();
    image.remove();
    await database.drop();
  });

  it('runs as a user who is not root, with a volume for files and a health check', async () => {
    expect(config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(Object.keys(config.Volumes)).toEqual(['/data']);
    const pid = findProcess('dist/src/main.js', `PORT=${env['PORT']}`)!;
    expect(lstatSync(`/proc/${pid}`).uid).toBe(Number(config.User.split(':')[0]));
    const [, ...check] = config.Healthcheck.Test;
    expect((await runInContainer(...check)).code).toBe(0);
  });

  it('serves Swagger UI and the guides, and answers the operator CLI', async () => {
    expect((await fetch(`${baseUrl()}/docs`)).status).toBe(200);
    expect((await fetch(`${baseUrl()}/guide/operating`)).status).toBe(200);
    const list = await runInContainer('node', 'dist/src/operator/main.js', 'workspace', 'list', '--json');
    expect({ ...list, stdout: JSON.parse(list.stdout) }).toEqual({ code: 0, stdout: [] });
  });

  it('contains neither sources nor packages that only build, and writes only to its volume', async () => {
    const root = await image.mount(container);
    const { stdout } = await run('du', ['-sm', join(root, 'app')]);
    // Megabytes on the disk.
    expect(parseInt(stdout)).toBeLessThan(240);
    for (const path of ['src', 'node_modules/typescript', 'node_modules/@nestjs/cli', 'node_modules/jest'])
      expect([path, existsSync(join(root, 'app', path))]).toEqual([path, false]);
    const excluded = ['data', 'proc', 'sys', 'dev', 'etc', 'run'].map((name) => join(root, name));
    expect(newFiles(root, startedAt, excluded)).toEqual([]);
  });

  it('drains on SIGTERM: the open request is answered, and the process ends with 0', async () => {
    const closed = once(service, 'close');
    // The body of this request arrives after the signal.
    const { port, hostname } = new URL(baseUrl());
    const open = request({ port, hostname, path: '/v1/api/oauth2/token', method: 'POST' });
    open.setHeader('Content-Type', 'application/json').setHeader('Content-Length', 2);
    const answered = once(open, 'response');
    open.write('{');
    // The service has read the headers by then.
    await delay(1_000);
    process.kill(findProcess('dist/src/main.js', `PORT=${env['PORT']}`)!, 'SIGTERM');
    await until(() => output.includes('SIGTERM'), Boolean);
    open.end('}');
    const [response] = (await answered) as [{ statusCode: number }];
    expect(response.statusCode).toBe(400);
    expect(await closed).toEqual([0, null]);
  });
});
