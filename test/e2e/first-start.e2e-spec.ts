import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { Home } from '../support/home.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';

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
}

describe('the first start, with nothing but Node', () => {
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

  it('prints where Swagger UI and the credentials of the demo are, and no secret where a file may keep it', async () => {
    expect(printed()).toEqual({ docs: true, file: true, secrets: [false, false] });
    const docs = await fetch(`${home.baseUrl}/docs`);
    expect(docs.status).toBe(200);
    // Whoever speaks plain http must not be told to never do so again.
    expect(docs.headers.get('strict-transport-security')).toBeNull();
  });

  it('leaves the same facts in a file that only its owner may read', () => {
    expect(Object.keys(demo()).sort()).toEqual(
      ['apiKey', 'baseUrl', 'clientId', 'clientSecret', 'projectId', 'userId', 'workspaceId'].sort(),
    );
    expect(demo().baseUrl).toBe(home.baseUrl);
    expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600);
  });

  it('makes credentials that work, a project, and a workspace that takes tables', async () => {
    const signedIn = await new Api(home.baseUrl).signIn(demo());
    expect((await signedIn.get(`/v1/api/projects/${demo().projectId}`)).body.data.workspaceId).toBe(demo().workspaceId);
    const table = { name: 'Kept', columns: [{ name: 'Key', type: 'text' }], items: [{ key: 'a' }, { key: 'b' }] };
    const pushed = await api().post(`/v2/api/workspaces/${demo().workspaceId}/cw/lists/bulk`, { lists: [table] });
    expect(pushed.status).toBe(201);
    await signedIn.post('/v1/api/oauth2/logout');
  });

  it('prints how to use the demo, with its secrets, on a terminal', async () => {
    await home.stop();
    await home.start({ NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' });
    expect(printed()).toEqual({ docs: true, file: true, secrets: [true, true] });
  });

  it('stops PostgreSQL with Ctrl-C and exits with 0', async () => {
    const postgres = home.postgresPid!;
    expect(await home.stop('SIGINT')).toBe(0);
    expect(home.postgresPid).toBeUndefined();
    // It has taken its file away, and ends in this very moment.
    for (let attempt = 0; attempt < 200 && isRunning(postgres); attempt++) await sleep(25);
    expect(isRunning(postgres)).toBe(false);
  });

  it('comes up again within 5 seconds, with the same demo and all data', async () => {
    const before = demo();
    const startedAt = Date.now();
    await home.start();
    const took = Date.now() - startedAt;
    expect(demo()).toEqual(before);
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
    // The promise is 5 s on a machine of its own; a busy test machine gets three times that.
    expect(took).toBeLessThan(15_000);
  });

  it('comes up with all data after a kill -9, and takes its PostgreSQL over', async () => {
    await home.stop('SIGKILL');
    expect(home.postgresPid).toBeDefined();
    await home.start();
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(await home.stop('SIGTERM')).toBe(0);
    expect(home.postgresPid).toBeUndefined();
  });

  it('comes up with all data after service and PostgreSQL were killed', async () => {
    await home.start();
    process.kill(home.postgresPid!, 'SIGKILL');
    await home.stop('SIGKILL');
    await home.start();
    expect((await items()).data.items).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(await home.stop()).toBe(0);
  });

  it('leaves no PostgreSQL behind where Ctrl-C comes in the middle of it', async () => {
    for (const furtherMs of [0, 150, 300]) {
      home.spawn();
      while (home.postgresPid === undefined) await sleep(5);
      await sleep(furtherMs);
      const code = await home.stop('SIGINT');
      expect({ furtherMs, code, postgres: home.postgresPid }).toEqual({ furtherMs, code: 0, postgres: undefined });
    }
  });

  it('leaves no PostgreSQL behind where it fails half-way', async () => {
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

  it('names the new address where the service has moved, with the same credentials', async () => {
    const before = demo();
    const moved = await freePort();
    home.spawn({ PORT: String(moved) });
    while (!(await fetch(`http://localhost:${moved}/health/ready`).catch(() => undefined))?.ok) await sleep(25);
    expect(demo()).toEqual({ ...before, baseUrl: `http://localhost:${moved}` });
  });
});

describe('two services started at once on one DATA_DIR', () => {
  it('share the PostgreSQL and the demo, and the last to stop stops it', async () => {
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

describe('a service started beside another on one DATA_DIR', () => {
  it('leaves its address in the file of the demo alone while that one runs, and takes its place later', async () => {
    const [one, two] = [await Home.make(), await Home.make()];
    const shared = { DATA_DIR: join(one.path, '.data') };
    const named = () =>
      (JSON.parse(readFileSync(join(one.path, '.data/demo-credentials.json'), 'utf8')) as Demo).baseUrl;
    try {
      await one.start(shared);
      await two.start(shared);
      expect(named()).toBe(one.baseUrl);
      expect(two.output).toContain(`ready at ${two.baseUrl}`);
      await two.stop();
      await one.stop();
      await two.start(shared);
      expect(named()).toBe(two.baseUrl);
    } finally {
      await Promise.all([one.stop('SIGKILL'), two.stop()]);
      one.remove();
      two.remove();
    }
  });
});

describe('with a database of your own', () => {
  it('embeds nothing and makes no demo', async () => {
    const database = await TestDatabase.create();
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

  it('serves as a second instance on the same one', async () => {
    const database = await TestDatabase.create();
    const [one, two] = await Promise.all([TestService.start(database), TestService.start(database)]);
    const me = await one.provision();
    expect((await new Api(two.baseUrl).withKey(me.apiKey).get('/v1/api/tours')).status).toBe(200);
    await Promise.all([one.stop(), two.stop()]);
    await database.drop();
  });
});
