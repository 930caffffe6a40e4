import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import { COMMIT, findObstacle, FormerVersion } from '../support/former-version.js';
import { LoadBalancer } from '../support/load-balancer.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { Tables } from '../support/tables.js';
import { until } from '../support/until.js';
import { Writers } from '../support/writers.js';

const BATCHES = 40;
const SETTINGS = { SHUTDOWN_DRAIN_MS: '500' };

const PICTURE = readFileSync(join(ROOT, 'test/fixtures/files/picture.png'));

/** Columns of a table, and their values. */
const TYPES = ['text', 'number', 'date', 'checkbox', 'tagStatus'] as const;
const ROWS = [
  { code: 'P-1', text: 'Über\nzwei Zeilen', number: 1.5, date: '2026-11-26', checkbox: true, tagStatus: 'open' },
  { code: 'P-2', text: null, number: null, date: null, checkbox: null },
  { code: 'P-3' },
];

/** Without signed URLs, which differ in each response, and without states that jobs change. */
function stable(data: object): object {
  const volatile = ['url', 'thumbnailUrl', 'width', 'height', 'pending', 'indexed', 'state'];
  const text = JSON.stringify(data, (key, value: unknown) => (volatile.includes(key) ? undefined : value));
  return JSON.parse(text) as object;
}

const obstacle = findObstacle();
if (obstacle) process.stderr.write(`upgrade: skipped, because ${obstacle}\n`);

(obstacle ? describe.skip : describe)(`an upgrade from ${COMMIT}`, () => {
  let former: FormerVersion;
  let database: TestDatabase;
  let balancer: LoadBalancer;
  /** All instances share it. */
  let files: string;
  const instances: TestService[] = [];

  beforeAll(async () => {
    former = FormerVersion.build();
    files = mkdtempSync(join(tmpdir(), 'atrium-upgrade-'));
    database = await TestDatabase.createEmpty();
    balancer = await LoadBalancer.start();
  }, 300_000);

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await balancer?.stop();
    await database?.drop();
    former?.remove();
    if (files) rmSync(files, { recursive: true, force: true });
  });

  async function add(program?: string): Promise<TestService> {
    const settings = { ...SETTINGS, DATA_DIR: files, ...(program ? { NODE_OPTIONS: '' } : {}) };
    const instance = await TestService.start(database, settings, program ? [process.execPath, program] : undefined);
    instances.push(instance);
    balancer.add(instance.baseUrl);
    return instance;
  }

  async function remove(instance: TestService): Promise<void> {
    expect(await instance.stop()).toBe(0);
    balancer.remove(instance.baseUrl);
    expect(instance.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
  }

  it('returns everything that the former version has stored', async () => {
    const first = await add(former.program);
    const { apiKey, workspaceId, ...client } = await first.provision();
    const api = new Api(balancer.url).withKey(apiKey);
    const workspace = `/v2/api/workspaces/${workspaceId}`;
    const columns = TYPES.map((type) => ({ key: type, name: type, type }));
    const assets = [{ name: 'Pumps', columns: [{ key: 'code', name: 'Code', type: 'text' }, ...columns], items: ROWS }];
    expect((await api.post(`${workspace}/cw/assets/bulk`, { assets })).status).toBe(201);
    await api.post(`${workspace}/cw/assets/Pumps/items/delete`, { keys: ['P-3'] });
    const project = (await api.post('/v1/api/projects', { name: 'Plant' })).body.data.id as string;
    const body = new FormData();
    body.append('title', 'Type plate');
    body.append('files', new File([PICTURE], 'picture.png'));
    const created = await fetch(`${balancer.url}${workspace}/notes`, { method: 'POST', headers: api.headers, body });
    const note = ((await created.json()) as { data: { id: string; files: { id: string }[] } }).data;
    const url = 'https://receiver.test/webhooks';
    await api.post(`${workspace}/subscriptions`, { url, events: ['table.*'] });
    // Its token was issued by the former version.
    const session = await new Api(balancer.url).signIn({ ...client, apiKey, workspaceId });

    const paths = [
      `${workspace}/cw/assets`,
      `${workspace}/cw/assets/Pumps/items`,
      `${workspace}/cw/assets/Pumps/changes?since=0`,
      `${workspace}/cw/batches`,
      `${workspace}/events?after=0`,
      `${workspace}/subscriptions`,
      `${workspace}/notes/${note.id}`,
      `/v1/api/projects/${project}`,
    ];
    const read = () => Promise.all(paths.map(async (path) => stable((await session.get(path)).body.data as object)));
    const download = async () =>
      Buffer.from(
        await (
          await fetch(`${balancer.url}/v1/api/attachments/${note.files[0]!.id}`, { headers: api.headers })
        ).arrayBuffer(),
      );
    const before = await read();
    expect(await download()).toEqual(PICTURE);
    const second = await add();
    await remove(first);
    // New fields may be added.
    expect(await read()).toMatchObject(before);
    expect(await download()).toEqual(PICTURE);
    expect((await api.post('/v1/api/projects', { name: 'Another' })).status).toBe(201);
    await remove(second);
  }, 120_000);

  it('shows no error to callers while both versions run, nor after going back to the former one', async () => {
    const first = await add(former.program);
    const { apiKey, workspaceId } = await first.provision();
    const api = new Api(balancer.url).withKey(apiKey);
    const writers = await Writers.start(new Tables(api, workspaceId), 4, () => [balancer.url]);
    const progress = async () => {
      const before = writers.acknowledged;
      await until(() => writers.acknowledged >= before + BATCHES, Boolean);
    };
    const statuses = new Set<number>();
    let isDone = false;
    const others = (async () => {
      for (let count = 0; !isDone; count++) {
        const notes = `/v2/api/workspaces/${workspaceId}/notes`;
        const created = await api.post(notes, { title: `Note ${count}` });
        const read = await api.get(`${notes}/${created.body.data.id}`);
        expect(read.body.data.title).toBe(`Note ${count}`);
        const project = await api.post('/v1/api/projects', { name: `Project ${count}` });
        for (const { status } of [created, read, project, await api.get(notes)]) statuses.add(status);
      }
    })();
    try {
      await progress();
      // It migrates the database, while the former version serves requests.
      const second = await add();
      await progress();
      const third = await add(former.program);
      await remove(first);
      await progress();
      await remove(third);
      await add();
      await progress();
      await remove(second);
    } finally {
      isDone = true;
      await others;
    }
    expect(await writers.stop()).toEqual({ lost: 0, partial: 0, duplicates: 0 });
    expect([...writers.statuses.keys()]).toEqual([200]);
    expect([...statuses].sort()).toEqual([200, 201]);
  }, 120_000);
});
