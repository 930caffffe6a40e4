import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { CommandLine } from '../support/command-line.js';
import { Home } from '../support/home.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, ROOT, TestDatabase } from '../support/service.js';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Demo extends Credentials {
  baseUrl: string;
  projectId: string;
  /** Of a member whom an access policy restricts. */
  restricted: { clientId: string; clientSecret: string };
}

/** The status for a request with another name of the host, which fetch() does not permit. */
function askAs(host: string, port: number): Promise<number> {
  return new Promise((settle, fail) => {
    get({ port, path: '/docs/demo', headers: { host } }, (response) => settle(response.resume().statusCode!)).on(
      'error',
      fail,
    );
  });
}

describe('the first start without settings', () => {
  let home: Home;

  const credentialsFile = () => join(home.path, '.data/demo-credentials.json');
  const demo = () => JSON.parse(readFileSync(credentialsFile(), 'utf8')) as Demo;
  const api = () => new Api(home.baseUrl).withKey(demo().apiKey);
  const items = async () => (await api().get(`/v2/api/workspaces/${demo().workspaceId}/cw/lists/Kept/items`)).body;

  beforeAll(async () => {
    home = await Home.make();
    await home.start();
  });

  afterAll(async () => {
    await home.stop();
    home.remove();
  });

  const printed = () => ({
    docs: home.output.includes(`${home.baseUrl}/docs`),
    file: home.output.includes(credentialsFile()),
    secrets: [demo().clientSecret, demo().apiKey].map((secret) => home.output.includes(secret)),
  });

  it('prints the URL of Swagger UI and the path of the demo credentials, without secrets if stdout is not a terminal', async () => {
    expect(printed()).toEqual({ docs: true, file: true, secrets: [false, false] });
    const docs = await fetch(`${home.baseUrl}/docs`);
    expect(docs.status).toBe(200);
    // A service that is reached by plain HTTP must not require HTTPS.
    expect(docs.headers.get('strict-transport-security')).toBeNull();
  });

  it('has a second user, who sees one part of the plant', async () => {
    const { workspaceId, restricted } = demo();
    const member = await new Api(home.baseUrl).signIn(restricted as Credentials);
    const read = async (path: string) =>
      (await member.get(`/v2/api/workspaces/${workspaceId}/cw/${path}`)).body.data.items;
    const locations = (await read('locations/Demo%20Locations/items')) as { tplnr: string }[];
    expect(locations.map(({ tplnr }) => tplnr)).toEqual(['VIE-UTL', 'VIE-UTL-CW', 'VIE-UTL-ST']);
    const all = (await api().get(`/v2/api/workspaces/${workspaceId}/cw/assets/Demo%20Equipment/items`)).body.data.items;
    const assets = (await read('assets/Demo%20Equipment/items')) as { location: string }[];
    expect(assets.length).toBeGreaterThan(0);
    expect(assets.length).toBeLessThan(all.length);
  });

  it('writes the demo credentials to a file that only its owner can read', () => {
    expect(Object.keys(demo()).sort()).toEqual(
      ['apiKey', 'baseUrl', 'clientId', 'clientSecret', 'projectId', 'restricted', 'userId', 'workspaceId'].sort(),
    );
    expect(demo().baseUrl).toBe(home.baseUrl);
    expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600);
  });

  it('returns the demo credentials to Swagger UI on this machine only, without a proxy and under a local name', async () => {
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(`${home.baseUrl}/docs/demo`, { headers });
      return [response.status, response.status === 200 ? await response.json() : undefined];
    };
    const { clientId, clientSecret, apiKey } = demo();
    expect(await ask({})).toEqual([200, { clientId, clientSecret, apiKey }]);
    expect(await ask({ 'X-Forwarded-For': '127.0.0.1' })).toEqual([204, undefined]);
    expect(await askAs('attacker.test', home.port)).toBe(204);
  });

  it('is the profile of the command line after `atrium login --demo`', async () => {
    const atrium = new CommandLine(home, demo(), { ATRIUM_URL: '', ATRIUM_API_KEY: '', ATRIUM_WORKSPACE: '' });
    const { workspace } = await atrium.json('login', '--demo', '--url', home.baseUrl);
    expect(workspace).toBe(demo().workspaceId);
    expect((await atrium.json('tables')).map(({ name }: { name: string }) => name)).toContain('Demo Equipment');
    await atrium.run(['logout']);
  });

  it('fills the demo workspace with a plant, a tour with tags, notes with a photo, and the tables of the examples', async () => {
    const list = async (path: string) =>
      ((await api().get(path)).body.data as { items: Record<string, unknown>[] }).items;
    const tables = await list(`/v2/api/workspaces/${demo().workspaceId}/cw/assets`);
    expect(tables.map(({ name }) => name)).toEqual(['Demo Equipment', 'Example Assets']);
    expect((await list('/v1/api/tours')).map(({ title }) => title)).toEqual(['Utilities, ground floor']);
    expect(await list('/v1/api/tags')).toHaveLength(2);
    const notes = await list('/v1/api/notes?sort=createdAt');
    expect(notes.map(({ title }) => title)).toEqual(['Leak at pump 1', expect.any(String)]);
    expect(JSON.stringify(notes[0])).toContain('leak-at-pump-1.jpg');
  });

  it('creates valid credentials, a project, and a workspace to which tables can be uploaded', async () => {
    const signedIn = await new Api(home.baseUrl).signIn(demo());
    expect((await signedIn.get(`/v1/api/projects/${demo().projectId}`)).body.data.workspaceId).toBe(demo().workspaceId);
    const table = { name: 'Kept', columns: [{ name: 'Key', type: 'text' }], items: [{ key: 'a' }, { key: 'b' }] };
    const pushed = await api().post(`/v2/api/workspaces/${demo().workspaceId}/cw/lists/bulk`, { lists: [table] });
    expect(pushed.status).toBe(201);
    await signedIn.post('/v1/api/oauth2/logout');
  });

  it('stops PostgreSQL with Ctrl-C and exits with 0', async () => {
    const postgres = home.postgresPid!;
    expect(await home.stop('SIGINT')).toBe(0);
    expect(home.postgresPid).toBeUndefined();
    // Its PID file is removed; the process ends shortly after.
    for (let attempt = 0; attempt < 200 && isRunning(postgres); attempt++) await sleep(25);
    expect(isRunning(postgres)).toBe(false);
  });

  it('starts again within 5 seconds with the same demo and all data, and prints the secrets on a terminal', async () => {
    const before = demo();
    const startedAt = Date.now();
    await home.start({ NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' });
    const took = Date.now() - startedAt;
    expect(demo()).toEqual(before);
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(printed()).toEqual({ docs: true, file: true, secrets: [true, true] });
    // The requirement is 5 s on an idle machine; a busy test machine gets three times that.
    expect(took).toBeLessThan(15_000);
  });

  it('starts with the same demo after its workspace was renamed', async () => {
    const before = demo();
    const names = { name: 'Northern plants', slug: 'northern-plants' };
    expect((await api().patch(`/v1/api/workspaces/${before.workspaceId}`, names)).status).toBe(200);
    await home.stop();
    await home.start();
    expect(demo()).toEqual(before);
  });

  it('starts with all data after service and PostgreSQL were killed', async () => {
    process.kill(home.postgresPid!, 'SIGKILL');
    await home.stop('SIGKILL');
    await home.start();
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
  });

  it('does not return the demo credentials under a public URL or in production', async () => {
    const stored = readFileSync(join(home.path, '.data/secrets.json'), 'utf8');
    const { pepper, encryptionKey } = JSON.parse(stored) as Record<string, string>;
    const production = { NODE_ENV: 'production', CREDENTIAL_PEPPER: pepper!, ENCRYPTION_KEY: encryptionKey! };
    const hiding: Record<string, string>[] = [{ PUBLIC_URL: 'https://atrium.test' }, production];
    for (const settings of hiding) {
      await home.stop();
      await home.start(settings);
      expect((await fetch(`${home.baseUrl}/docs/demo`)).status).toBe(204);
      const address = settings['PUBLIC_URL'] ?? home.baseUrl;
      expect(home.output).toContain(`Atrium is ready at ${address}\n  Swagger UI         ${address}/docs\n`);
    }
    await home.stop();
    await home.start();
    expect((await fetch(`${home.baseUrl}/docs/demo`)).status).toBe(200);
  });

  it('starts with all data after SIGKILL and reuses the running PostgreSQL', async () => {
    const postgres = home.postgresPid;
    await home.stop('SIGKILL');
    expect(home.postgresPid).toBeDefined();
    await home.start();
    expect(home.postgresPid).toBe(postgres);
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(await home.stop('SIGTERM')).toBe(0);
    expect(home.postgresPid).toBeUndefined();
  });

  it('ends with PostgreSQL if only npm receives SIGTERM after npm start', async () => {
    await home.startWithNpm();
    const postgres = home.postgresPid!;
    expect(await home.stop('SIGTERM')).toBe(0);
    expect(home.postgresPid).toBeUndefined();
    for (let attempt = 0; attempt < 200 && isRunning(postgres); attempt++) await sleep(25);
    expect(isRunning(postgres)).toBe(false);
    await expect(fetch(home.baseUrl)).rejects.toThrow();
  });

  it('stops PostgreSQL if Ctrl-C interrupts the start', async () => {
    for (const furtherMs of [0, 150, 300]) {
      home.spawn();
      while (home.postgresPid === undefined) await sleep(5);
      await sleep(furtherMs);
      const code = await home.stop('SIGINT');
      expect({ furtherMs, code, postgres: home.postgresPid }).toEqual({ furtherMs, code: 0, postgres: undefined });
    }
  });

  it('stops PostgreSQL if the start fails', async () => {
    const other = createServer().listen(home.port).unref();
    expect(await home.failedStart()).toMatchObject({ code: 1, output: expect.stringContaining('PORT: ') });
    expect(home.postgresPid).toBeUndefined();
    await new Promise((done) => other.close(done));

    const otherKey = { ENCRYPTION_KEY: 'c'.repeat(64) };
    expect(await home.failedStart(otherKey)).toMatchObject({
      code: 1,
      output: expect.stringContaining('ENCRYPTION_KEY: '),
    });
    expect(home.postgresPid).toBeUndefined();
  });

  it('writes the new address to the demo file if the port changes, with the same credentials', async () => {
    const before = demo();
    const moved = await freePort();
    home.spawn({ PORT: String(moved) });
    while (!(await fetch(`http://localhost:${moved}/health/ready`).catch(() => undefined))?.ok) await sleep(25);
    expect(demo()).toEqual({ ...before, baseUrl: `http://localhost:${moved}` });
  });

  it('a second service on the same DATA_DIR does not change the address in the demo file while the first service runs, and writes its own later', async () => {
    const { baseUrl } = demo();
    const second = await Home.make();
    const shared = { DATA_DIR: join(home.path, '.data') };
    try {
      await second.start(shared);
      expect(demo().baseUrl).toBe(baseUrl);
      expect(second.output).toContain(`ready at ${second.baseUrl}`);
      await second.stop();
      await home.stop();
      await second.start(shared);
      expect(demo().baseUrl).toBe(second.baseUrl);
    } finally {
      await second.stop();
      second.remove();
    }
  });
});

describe('two services started at once on one DATA_DIR', () => {
  it('share PostgreSQL and the demo, and the last one to stop stops PostgreSQL', async () => {
    const [one, two] = [await Home.make(), await Home.make()];
    const shared = { DATA_DIR: join(one.path, '.data') };
    try {
      await Promise.all([one.start(shared), two.start(shared)]);
      const demo = JSON.parse(readFileSync(join(one.path, '.data/demo-credentials.json'), 'utf8')) as Demo;
      for (const { baseUrl } of [one, two]) {
        expect((await new Api(baseUrl).withKey(demo.apiKey).get('/v1/api/projects')).body.data.items).toHaveLength(1);
      }
      expect(await one.stop()).toBe(0);
      expect((await fetch(`${two.baseUrl}/health/ready`)).status).toBe(200);
      expect(await two.stop()).toBe(0);
      expect(one.postgresPid).toBeUndefined();
    } finally {
      await Promise.all([one.stop('SIGKILL'), two.stop('SIGKILL')]);
      one.remove();
      two.remove();
    }
  });
});

describe('a service with DATABASE_URL', () => {
  it('reports which secrets the instances of a database share, and starts with them', async () => {
    const [first, second] = [await Home.make(), await Home.make()];
    try {
      await first.start();
      const postgres = join(first.path, '.data/postgres');
      const [, , , port, socket] = readFileSync(join(postgres, 'data/postmaster.pid'), 'utf8').split('\n');
      const password = readFileSync(join(postgres, 'password'), 'utf8');
      const address = `${encodeURIComponent(socket!)}:${port}`;
      const settings = { DATABASE_URL: `postgres://atrium:${password}@${address}/atrium?sslmode=disable` };
      const { code, output } = await second.failedStart(settings);
      expect(code).toBe(1);
      const message =
        /^ENCRYPTION_KEY: differs .* need the CREDENTIAL_PEPPER and ENCRYPTION_KEY .* copy DATA_DIR\/secrets\.json/m;
      expect(output).toMatch(message);
      // The guide that the message names.
      expect(readFileSync(join(ROOT, 'docs/how-to/operating.md'), 'utf8')).toContain('\n## Run several instances\n');

      copyFileSync(join(first.path, '.data/secrets.json'), join(second.path, '.data/secrets.json'));
      await second.start(settings);
      const demo = JSON.parse(readFileSync(join(first.path, '.data/demo-credentials.json'), 'utf8')) as {
        apiKey: string;
      };
      expect((await new Api(second.baseUrl).withKey(demo.apiKey).get('/v1/api/projects')).status).toBe(200);
      await second.stop();
    } finally {
      await first.stop();
      first.remove();
      second.remove();
    }
  });

  it('starts no embedded PostgreSQL and creates no demo', async () => {
    const database = await TestDatabase.createEmpty();
    const home = await Home.make();
    try {
      await home.start({ DATABASE_URL: database.url });
      expect(home.output).not.toContain('demo workspace');
      expect(existsSync(join(home.path, '.data/demo-credentials.json'))).toBe(false);
      expect(home.postgresPid).toBeUndefined();
      expect(await database.query('SELECT 1 FROM workspaces')).toEqual([]);
    } finally {
      await home.stop();
      home.remove();
      await database.drop();
    }
  });
});
