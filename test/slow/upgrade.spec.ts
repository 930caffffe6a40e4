import { Api } from '../support/api.js';
import { findObstacle, FormerVersion } from '../support/former-version.js';
import { LoadBalancer } from '../support/load-balancer.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables } from '../support/tables.js';
import { until } from '../support/until.js';
import { Writers } from '../support/writers.js';

const BATCHES = 40;
const SETTINGS = { SHUTDOWN_DRAIN_MS: '500' };

const obstacle = findObstacle();
if (obstacle) process.stderr.write(`upgrade: skipped, because ${obstacle}\n`);

(obstacle ? describe.skip : describe)('an upgrade from the previous commit', () => {
  let former: FormerVersion;
  let database: TestDatabase;
  let balancer: LoadBalancer;
  const instances: TestService[] = [];

  beforeAll(async () => {
    former = FormerVersion.build();
    database = await TestDatabase.createEmpty();
    balancer = await LoadBalancer.start();
  }, 300_000);

  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await balancer?.stop();
    await database?.drop();
    former?.remove();
  });

  async function add(program?: string): Promise<TestService> {
    const instance = await TestService.start(database, { ...SETTINGS, ...(program && { NODE_OPTIONS: '' }) }, program);
    instances.push(instance);
    balancer.add(instance.baseUrl);
    return instance;
  }

  async function remove(instance: TestService): Promise<void> {
    expect(await instance.stop()).toBe(0);
    balancer.remove(instance.baseUrl);
    expect(instance.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
  }

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
