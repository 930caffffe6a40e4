import { Api } from '../support/api.js';
import { Receiver } from '../support/receiver.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const SETTINGS = {
  CLEANUP_INTERVAL_S: '1',
  EVENT_RETENTION_DAYS: '2',
  EVENTS_ALLOW_HTTP: 'true',
  EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
  EVENTS_MAX_WAITING: '4',
};

describe('the limits of the event log', () => {
  let database: TestDatabase;
  let service: TestService;
  let api: Api;
  let workspaceId: string;
  let path: string;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, SETTINGS);
  });

  beforeEach(async () => {
    const me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    workspaceId = me.workspaceId;
    path = `/v2/api/workspaces/${workspaceId}`;
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const writeNote = (title: string) => api.post(`${path}/notes`, { title });
  const latest = async (): Promise<number> => (await api.get(`${path}/events`)).body.data.latestSequence;

  it('removes events and deliveries after the retention, and answers 410 to a reader that has missed some', async () => {
    const receiver = await Receiver.start();
    try {
      const { id } = (await api.post(`${path}/subscriptions`, { url: receiver.url, events: ['note.*'] })).body.data;
      for (const title of ['Old', 'Older', 'Recent']) await writeNote(title);
      await until(() => receiver.received.length === 3, Boolean);
      expect(await latest()).toBe(4);
      const age = "now() - interval '3 days'";
      const old = 'WHERE workspace_id = $1 AND sequence <= 3';
      await database.query(`UPDATE event_deliveries SET created_at = ${age} ${old}`, [workspaceId]);
      await database.query(`UPDATE events SET recorded_at = ${age} ${old}`, [workspaceId]);
      const missed = () => api.get(`${path}/events?after=2`);
      await until(async () => (await missed()).status === 410);
      const { body } = await missed();
      expect(body).toMatchObject({ error: 'events_removed', details: { limit: 3 } });
      const next = (await api.get(`${path}/events?after=${body.details.limit}`)).body.data;
      expect(next.events.map(({ sequence }: { sequence: number }) => sequence)).toEqual([4]);
      expect((await api.get(`${path}/events`)).body.data).toMatchObject({ latestSequence: 4, nextCursor: 4 });
      await until(async () => (await api.get(`${path}/subscriptions/${id}/deliveries`)).body.data.items.length === 1);
      const replayed = await api.post(`${path}/subscriptions/${id}/replay?from=3`);
      expect(replayed).toMatchObject({ status: 410, body: { error: 'events_removed', details: { limit: 3 } } });
      await writeNote('Next');
      await until(async () => (await latest()) === 5);
    } finally {
      receiver.stop();
    }
  });

  it('answers 503 to readers that wait beyond the limit, and not to others', async () => {
    const after = await latest();
    const wait = () => api.get(`${path}/events?after=${after}&wait=30`);
    // The request that checks the limit may occupy it before a reader does, which then tries again.
    const waitAccepted = async () => {
      for (;;) {
        const answer = await wait();
        if (answer.status !== 503) return answer;
      }
    };
    const waiting = [waitAccepted(), waitAccepted(), waitAccepted()];
    // The share of the caller is used when these requests have begun to wait.
    await until(async () => (await api.get(`${path}/events?after=${after}&wait=1`)).status === 503);
    const rejected = await wait();
    expect(rejected).toMatchObject({ status: 503, body: { error: 'too_many_waiting' } });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await api.get(`${path}/events?after=${after}`)).status).toBe(200);
    const other = await service.provision();
    const ofOther = await new Api(service.baseUrl)
      .withKey(other.apiKey)
      .get(`/v2/api/workspaces/${other.workspaceId}/events?after=1&wait=1`);
    expect(ofOther).toMatchObject({ status: 200, body: { data: { events: [] } } });
    await writeNote('Leak');
    for (const { status, body } of await Promise.all(waiting)) {
      expect(status).toBe(200);
      expect(body.data.events).toMatchObject([{ type: 'note.created' }]);
    }
    const later = await api.get(`${path}/events?after=${await latest()}&wait=1`);
    expect(later).toMatchObject({ status: 200, body: { data: { events: [] } } });
  });
});
