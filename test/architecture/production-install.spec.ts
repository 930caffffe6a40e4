import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { file, form } from '../support/files.js';
import { environment, ROOT, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const MEGABYTE = 1e6;
/** Packages are found next to the link to the program, not where the links lead. */
const PRESERVE_LINKS = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
}

/** The packages of `npm ci --omit=dev` on this platform. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !dev)
    .map(([path]) => path)
    .filter((path) => lstatSync(join(ROOT, path), { throwIfNoEntry: false }) !== undefined);
}

function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((total, entry) => total + sizeOf(join(path, entry)), 0);
}

describe('a production install', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-production-'));
    for (const path of ['dist', 'package.json', ...productionPackages()]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, path));
    }
    database = await TestDatabase.create();
  });

  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('needs less than 230 MB for its packages, of which PostgreSQL for development takes 60', () => {
    const size = productionPackages().reduce((total, path) => total + sizeOf(join(ROOT, path)), 0);
    expect(Math.round(size / MEGABYTE)).toBeLessThan(230);
  });

  it('starts what was built, although npm has written the lock file since', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'atrium-checkout-'));
    for (const name of readdirSync(ROOT).filter((each) => !/^(?:node_modules|package-lock\.json|\..*)$/.test(each)))
      symlinkSync(join(ROOT, name), join(checkout, name));
    symlinkSync(join(folder, 'node_modules'), join(checkout, 'node_modules'));
    // With the present time.
    writeFileSync(join(checkout, 'package-lock.json'), readFileSync(join(ROOT, 'package-lock.json')));
    expect(
      await run(process.execPath, ['tools/build.mjs'], { cwd: checkout, env: { ...process.env, ...PRESERVE_LINKS } }),
    ).toEqual({
      stdout: '',
      stderr: '',
    });
    rmSync(checkout, { recursive: true, force: true });
  });

  it('runs the service, including Swagger UI, the validation of requests and the previews of pictures', async () => {
    const service = await TestService.start(database, PRESERVE_LINKS, join(folder, 'dist/src/main.js'));
    try {
      const { workspaceId, apiKey } = await service.provision();
      const headers = { 'X-API-Key': apiKey };
      for (const path of ['docs/swagger-ui-bundle.js', 'downloads/atrium-client.tgz', 'downloads/atrium.mjs'])
        expect([path, (await fetch(`${service.baseUrl}/${path}`)).status]).toEqual([path, 200]);
      const path = `${service.baseUrl}/v2/api/workspaces/${workspaceId}/notes`;
      const invalid = await fetch(path, { method: 'POST', headers, body: form({ title: 'x'.repeat(10_000) }) });
      expect(invalid.status).toBe(400);
      const body = form({ title: 'Leak' }, [file('picture.png')]);
      const created = await fetch(path, { method: 'POST', headers, body });
      const { data } = (await created.json()) as { data: { id: string } };
      const read = async () => (await fetch(`${path}/${data.id}`, { headers })).text();
      await until(read, (note) => note.includes('/thumbnail'));
    } finally {
      await service.stop();
    }
  });

  it('runs the operator CLI', async () => {
    const env = { ...process.env, ...PRESERVE_LINKS, ...environment(database, 1) };
    const { stdout } = await run(process.execPath, [join(folder, 'dist/src/operator/main.js'), 'user', 'list'], {
      env,
    });
    expect(stdout).toContain('EMAIL');
  });
});
