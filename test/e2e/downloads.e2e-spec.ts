import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const run = promisify(execFile);
const PACKAGE = 'atrium-client.tgz';
const COMMAND_LINE = 'atrium.mjs';

let service: SharedService;
let caller: Credentials;

beforeAll(async () => {
  ({ service } = await shareService());
  caller = await service.provision();
}, 60_000);

const read = (name: string, init?: RequestInit) => fetch(`${service.baseUrl}/downloads/${name}`, init);

describe('the downloads', () => {
  it.each([
    [PACKAGE, 'application/gzip', null],
    [COMMAND_LINE, 'text/javascript; charset=utf-8', 'br'],
  ])('have headers of a file that browsers store: %s', async (name, type, coding) => {
    const response = await read(name, { headers: { 'Accept-Encoding': 'br' } });
    const etag = response.headers.get('etag')!;
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename=${name}`,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect((await read(name, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    const head = await read(name, { method: 'HEAD', headers: { 'Accept-Encoding': 'br' } });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  });

  it.each(['', 'unknown.tgz', '.built', '..%2Fservice%2Fmain.js'])('are these two files only: %p', async (name) => {
    const { status, body } = await new Api(service.baseUrl).get(`/downloads/${name}`);
    expect([status, body.error]).toEqual([404, 'not_found']);
  });
});

describe('in an empty folder without a registry', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-downloads-'));
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Nothing listens at this registry, and the cache of npm is empty. */
  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_cache: join(folder, '.npm'),
    npm_config_audit: 'false',
    npm_config_fetch_retries: '0',
    ATRIUM_URL: service.baseUrl,
    ATRIUM_API_KEY: caller.apiKey,
    ATRIUM_WORKSPACE: caller.workspaceId,
  });

  it('npm installs the client, a program runs, and TypeScript knows its types', async () => {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const options = { cwd: folder, env: environment() };
    await run('npm', ['install', `${service.baseUrl}/downloads/${PACKAGE}`], options);
    const program = `
      import { AtriumClient } from '@atrium/client';
      import { FileTokenStore } from '@atrium/client/node';
      const { ATRIUM_URL: baseUrl, ATRIUM_API_KEY: apiKey, ATRIUM_WORKSPACE: workspaceId } = process.env;
      const atrium = new AtriumClient({ baseUrl, apiKey, workspaceId });
      await atrium.assets('Installed').upsert([{ number: 'P-1' }], { columns: [{ name: 'Number', type: 'text' }] });
      const { items } = await atrium.get('/v1/api/tours');
      console.log(await atrium.assets('Installed').get('P-1'), Array.isArray(items), typeof FileTokenStore);`;
    writeFileSync(join(folder, 'program.js'), program);
    const { stdout } = await run(process.execPath, ['program.js'], options);
    expect(stdout).toBe("{ number: 'P-1' } true function\n");
    const typed = `
      import { AtriumClient, type RowError } from '@atrium/client';
      const atrium = new AtriumClient({ baseUrl: 'http://localhost', apiKey: 'k', workspaceId: 'w' });
      export const title = async (): Promise<string> => (await atrium.get('/v1/api/tours')).items[0]!.title ?? '';
      export const lineOf = (error: RowError): number | undefined => error.line;
      // @ts-expect-error: no such operation
      export const unknown = () => atrium.get('/v1/api/unknown');`;
    writeFileSync(join(folder, 'typed.ts'), typed);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    const checked = spawnSync(process.execPath, [tsc, ...flags, 'typed.ts'], { cwd: folder, encoding: 'utf8' });
    expect(checked.stdout).toBe('');
  }, 120_000);

  it('the command line imports, exports and filters with its file only', async () => {
    const response = await read(COMMAND_LINE);
    writeFileSync(join(folder, COMMAND_LINE), Buffer.from(await response.arrayBuffer()));
    writeFileSync(join(folder, 'pumps.csv'), 'Number,Weight\nP-1,180.5\nP-2,40\n');
    const atrium = async (...args: string[]) =>
      (await run(process.execPath, [COMMAND_LINE, ...args], { cwd: folder, env: environment() })).stdout;
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await atrium('--version')).toBe(`${version}\n`);
    await atrium('import', 'pumps.csv', '--table', 'Downloaded pumps', '--create', '--yes');
    await atrium('export', 'Downloaded pumps', '--output', 'pumps.xlsx');
    const again = JSON.parse(await atrium('import', 'pumps.xlsx', '--table', 'Downloaded pumps', '--json', '--yes'));
    expect(again).toMatchObject({ received: 2, unchanged: 2 });
    const path = 'v2/api/workspaces/{workspaceId}/cw/assets/Downloaded pumps/items';
    expect(await atrium('api', path, '--jq', '.data.items[].weight')).toBe('180.5\n40\n');
    expect(await atrium('completion', 'fish')).toContain('complete -c atrium');
  }, 120_000);
});
