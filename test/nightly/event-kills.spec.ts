import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { Receiver } from '../support/receiver.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

/** A run by hand may have more: `EVENT_KILLS=100 npm run test:nightly -- event-kills`. */
const KILLS = Number(process.env['EVENT_KILLS'] ?? 4);
const WRITERS = 8;

interface LoggedEvent {
  sequence: number;
  type: string;
  data: { table: { name: string }; fromRevision: number; toRevision: number; counts: { created: number } };
}

/** Two instances, of which one is killed again and again, with eight writers and a reader. */
it('each committed change has one event, and no rolled-back one, while instances are killed', async () => {
  const database = await TestDatabase.create();
  let stable: TestService | undefined;
  let killed: TestService | undefined;
  try {
    stable = await TestService.start(database);
    const me = await stable.provision();
    const path = `/v2/api/workspaces/${me.workspaceId}`;
    const api = new Api(stable.baseUrl).withKey(me.apiKey);
    const columns = [{ name: 'Key', type: 'text' }];
    const push = (caller: Api, name: string, items: object[]) =>
      caller.post(`${path}/cw/assets/bulk`, { assets: [{ name, columns, items }] });
    for (let writer = 0; writer < WRITERS; writer++) await push(api, `T${writer}`, [{ key: 'first' }]);

    let isWriting = true;
    let callers: Api[] = [api];
    const write = async (writer: number) => {
      for (let number = 0; isWriting; number++) {
        const caller = callers[number % callers.length]!;
        const items = [{ key: `a${number}` }, { key: `b${number}` }];
        // The instance may be killed before, during or after the commit.
        if (number % 2 === 0) await push(caller, `T${writer}`, items).catch(() => undefined);
        else await caller.put(`${path}/cw/assets/T${writer}/items/c${number}`, {}).catch(() => undefined);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const events: LoggedEvent[] = [];
    const readOnce = async (wait: number) => {
      const after = events.at(-1)?.sequence ?? 0;
      const { body } = await api.get(`${path}/events?after=${after}&limit=1000&wait=${wait}`);
      events.push(...(body.data.events as LoggedEvent[]));
      return body.data.events.length as number;
    };
    const reader = (async () => {
      while (isWriting) await readOnce(2);
    })();

    for (let kill = 0; kill < KILLS; kill++) {
      killed = await TestService.start(database);
      callers = [api, new Api(killed.baseUrl, api.headers)];
      await delay(200 + Math.random() * 300);
      await killed.stop('SIGKILL');
      callers = [api];
    }
    isWriting = false;
    await Promise.all([...writers, reader]);
    while ((await readOnce(0)) > 0);

    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    for (let writer = 0; writer < WRITERS; writer++) {
      const own = events.filter(({ type, data }) => type === 'table.rows_changed' && data.table.name === `T${writer}`);
      const revisions = own.map(({ data }) => data.toRevision);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
      expect(new Set(revisions).size).toBe(revisions.length);
      const changes = await readChanges(api, `${path}/cw/assets/T${writer}`);
      expect(new Set(changes.map(({ revision }) => revision))).toEqual(new Set(revisions));
      expect(own.reduce((sum, { data }) => sum + data.counts.created, 0)).toBe(changes.length);
    }
  } finally {
    await killed?.stop('SIGKILL');
    await stable?.stop();
    await database.drop();
  }
}, 600_000);

it('each event is delivered with its sequence while instances that send deliveries are killed', async () => {
  const database = await TestDatabase.create();
  const receiver = await Receiver.start((response) => {
    setTimeout(() => void response.writeHead(204).end(), 20);
  });
  const settings = {
    EVENTS_ALLOW_HTTP: 'true',
    EVENTS_ALLOWED_NETWORKS: '127.0.0.1',
    EVENTS_TIMEOUT_MS: '2000',
    EVENTS_RETRY_DELAYS_S: Array.from({ length: 20 }, () => '1').join(','),
  };
  let stable: TestService | undefined;
  let killed: TestService | undefined;
  try {
    stable = await TestService.start(database, settings);
    const me = await stable.provision();
    const path = `/v2/api/workspaces/${me.workspaceId}`;
    const api = new Api(stable.baseUrl).withKey(me.apiKey);
    const created = await api.post(`${path}/subscriptions`, { url: receiver.url, events: ['note.created'] });
    expect(created.status).toBe(201);
    let isWriting = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (isWriting) {
        await api.post(`${path}/notes`, { title: 'Leak' });
        await delay(20);
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      killed = await TestService.start(database, settings);
      await delay(200 + Math.random() * 300);
      await killed.stop('SIGKILL');
    }
    isWriting = false;
    await Promise.all(writers);
    const sent: [id: string, sequence: number][] = [];
    for (let after = 0, hasMore = true; hasMore;) {
      const { data } = (await api.get(`${path}/events?types=note.created&limit=1000&after=${after}`)).body;
      for (const { id, sequence } of data.events) sent.push([id, sequence]);
      hasMore = data.hasMore as boolean;
      after = data.nextCursor as number;
    }
    expect(sent.length).toBeGreaterThan(KILLS);
    const countReceived = () => new Set(receiver.received.map(({ event }) => event.id as string)).size;
    await until(countReceived, (count) => count >= sent.length, 120_000);
    // An event that arrives again has the same sequence, and the sequences of all are their order in the log.
    const received = new Set(receiver.received.map(({ event }) => `${event.id} ${event.sequence}`));
    expect(received).toEqual(new Set(sent.map(([id, sequence]) => `${id} ${sequence}`)));
  } finally {
    receiver.stop();
    await killed?.stop('SIGKILL');
    await stable?.stop();
    await database.drop();
  }
}, 300_000);

it('events of a killed instance are numbered while another instance is busy with other workspaces', async () => {
  const database = await TestDatabase.create();
  let busy: TestService | undefined;
  try {
    busy = await TestService.start(database);
    const [active, left] = [await busy.provision(), await busy.provision()];
    const body = { title: 'Leak' };
    let isWriting = true;
    const api = new Api(busy.baseUrl).withKey(active.apiKey);
    const writing = (async () => {
      while (isWriting) await api.post(`/v2/api/workspaces/${active.workspaceId}/notes`, body);
    })();
    const killed = await TestService.start(database);
    const caller = new Api(killed.baseUrl).withKey(left.apiKey);
    const { status } = await caller.post(`/v2/api/workspaces/${left.workspaceId}/notes`, body);
    await killed.stop('SIGKILL');
    expect(status).toBe(201);
    const countPending = async () => {
      const statement = 'SELECT 1 FROM pending_events WHERE workspace_id = $1';
      return (await database.query(statement, [left.workspaceId])).length;
    };
    await until(countPending, (count) => count === 0);
    isWriting = false;
    await writing;
  } finally {
    await busy?.stop();
    await database.drop();
  }
});

/** All rows of the table with the revision that created them. */
async function readChanges(api: Api, table: string): Promise<{ revision: number }[]> {
  const items: { revision: number }[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await api.get(`${table}/changes?since=0&limit=5000${next}`);
    items.push(...(body.data.items as { revision: number }[]));
    cursor = body.data.nextCursor as string | null;
  }
  return items;
}
