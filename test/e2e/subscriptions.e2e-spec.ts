import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { Receiver } from '../support/receiver.js';
import type { Database } from '../support/database.js';
import { DELIVERING, type SharedService, shareService, shareServices } from '../support/shared-services.js';
import { until } from '../support/until.js';

/** Delays in seconds. */
describe('subscriptions to events', () => {
  let database: Database;
  let me: Credentials;
  let services: SharedService[];
  let api: Api;
  let workspace: string;
  let path: string;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    ({ services, database } = await shareServices(2, DELIVERING));
  });

  beforeEach(async () => {
    me = await services[0]!.provision();
    api = new Api(services[0]!.baseUrl).withKey(me.apiKey);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    path = `${workspace}/subscriptions`;
  });

  afterEach(() => {
    for (const receiver of receivers.splice(0)) receiver.stop();
  });

  async function receive(...behavior: Parameters<typeof Receiver.start>): Promise<Receiver> {
    const receiver = await Receiver.start(...behavior);
    receivers.push(receiver);
    return receiver;
  }

  async function subscribe(url: string, events = ['*']): Promise<{ id: string; secret: string }> {
    const { status, body } = await api.post(path, { url, events });
    expect(status).toBe(201);
    return body.data;
  }

  /** Waits until the position of the subscription has passed all events. */
  async function untilQueued(id: string): Promise<void> {
    const sql = `SELECT 1 FROM subscriptions s JOIN event_counters c ON c.workspace_id = s.workspace_id
                  WHERE s.id = $1 AND s.queued_through = c.last_sequence
                    AND NOT EXISTS (SELECT 1 FROM pending_events p WHERE p.workspace_id = s.workspace_id)`;
    await until(async () => (await database.query(sql, [id])).length > 0);
  }

  const writeNote = (title: string, caller = api) => caller.post(`${workspace}/notes`, { title });
  const read = async (id: string) => (await api.get(`${path}/${id}`)).body.data;
  const deliveries = async (id: string) =>
    (await api.get(`${path}/${id}/deliveries?limit=100`)).body.data.items as any[];

  it('deliver no events of the excluded actor', async () => {
    const receiver = await receive();
    const body = { url: receiver.url, events: ['note.created'], excludedActorId: me.userId };
    const { id } = (await api.post(path, body)).body.data;
    expect(await read(id as string)).toMatchObject({ excludedActorId: me.userId });
    await writeNote('Own change');
    await untilQueued(id as string);
    expect((await api.patch(`${path}/${id}`, { excludedActorId: null })).status).toBe(200);
    await writeNote('Change of another');
    await until(() => receiver.received.length, Boolean);
    const titles = receiver.received.map(({ event }) => (event.data as { note: { title: string } }).note.title);
    expect(titles).toEqual(['Change of another']);
  });

  it('deliver only events of notes that the user watches', async () => {
    const receiver = await receive();
    const body = { url: receiver.url, events: ['note.*', 'project.created'], watcherId: me.userId };
    const { id } = (await api.post(path, body)).body.data;
    expect(await read(id as string)).toMatchObject({ watcherId: me.userId });
    const watched = (await writeNote('Watched')).body.data.id as string;
    const other = (await writeNote('Not watched')).body.data.id as string;
    await api.post('/v1/api/projects', { name: 'Not a note' });
    const deleted = (await writeNote('Deleted')).body.data.id as string;
    expect((await api.post(`${workspace}/notes/${deleted}/watchers`, {})).status).toBe(200);
    expect((await api.delete(`${workspace}/notes/${deleted}?purge=true`)).status).toBe(200);
    const watchers = `${workspace}/notes/${watched}/watchers`;
    expect((await api.post(watchers, {})).status).toBe(200);
    for (const note of [other, watched]) {
      await api.patch(`${workspace}/notes/${note}`, { status: 'in_progress' });
      await api.post(`${workspace}/notes/${note}/messages`, { description: 'More' });
    }
    expect((await api.delete(watchers)).status).toBe(200);
    await api.patch(`${workspace}/notes/${watched}`, { status: 'closed' });
    await untilQueued(id as string);
    expect((await api.patch(`${path}/${id}`, { watcherId: null })).status).toBe(200);
    await writeNote('Every event again');
    await until(() => receiver.received.some(({ event }) => event.type === 'note.created'), Boolean);
    const names = new Map([
      [watched, 'watched'],
      [other, 'other'],
      [deleted, 'deleted'],
    ]);
    const nameOf = ({ note, noteId }: any) => names.get((note?.id ?? noteId) as string) ?? 'last';
    expect(receiver.received.map(({ event }) => `${event.type} ${nameOf(event.data)}`).toSorted()).toEqual([
      'note.created last',
      'note.deleted deleted',
      'note.message_created watched',
      'note.updated deleted',
      'note.updated watched',
      'note.updated watched',
    ]);
  });

  it('are rejected with the ID of a user who is not a member', async () => {
    const receiver = await receive();
    const body = { url: receiver.url, events: ['note.*'] };
    const { id } = (await api.post(path, body)).body.data;
    const outsider = { excludedActorId: randomUUID(), watcherId: randomUUID() };
    for (const answer of [await api.post(path, { ...body, ...outsider }), await api.patch(`${path}/${id}`, outsider)]) {
      const fields = answer.body.details.errors.map(({ field, code }: any) => `${field} ${code}`);
      expect([answer.status, fields]).toEqual([400, ['excludedActorId not_found', 'watcherId not_found']]);
    }
  });

  it('deliver events that the verifier of Standard Webhooks accepts, and it rejects everything else', async () => {
    const receiver = await receive();
    const { id, secret } = await subscribe(receiver.url, ['note.created']);
    expect(secret).toMatch(/^whsec_/);
    expect(await read(id)).not.toHaveProperty('secret');
    await writeNote('Leak');
    await until(() => receiver.received.length === 1, Boolean);
    const [{ body, headers, event }] = receiver.received as [Receiver['received'][0]];
    expect(new Webhook(secret).verify(body, headers)).toEqual(event);
    expect(headers['webhook-id']).toBe(event.id);
    const { events } = (await api.get(`${workspace}/events`)).body.data;
    const [logged] = events.filter(({ type }: { type: string }) => type === 'note.created');
    expect(event).toEqual(logged);
    const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(() => new Webhook(other).verify(body, headers)).toThrow();
    expect(() => new Webhook(secret).verify(body.replace('Leak', 'Lake'), headers)).toThrow();
    const old = String(Number(headers['webhook-timestamp']) - 600);
    expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-timestamp': old })).toThrow();
  });

  it('sign with both secrets after a new one was issued', async () => {
    const receiver = await receive();
    const { id, secret } = await subscribe(receiver.url);
    const next = (await api.post(`${path}/${id}/secret`)).body.data.secret as string;
    expect((await api.post(`${path}/${id}/ping`)).status).toBe(200);
    await until(() => receiver.received.length === 1, Boolean);
    const { body, headers } = receiver.received[0]!;
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2);
    for (const each of [secret, next]) expect(new Webhook(each).verify(body, headers)).toMatchObject({ type: 'ping' });
    expect((await api.get(`${workspace}/events?after=1`)).body.data.events).toEqual([]);
    const [{ left }] = (await database.query(
      'SELECT (extract(epoch FROM previous_secret_until - now()) / 3600)::float8 AS left FROM subscriptions WHERE id = $1',
      [id],
    )) as [{ left: number }];
    await database.query('UPDATE subscriptions SET previous_secret_until = now() WHERE id = $1', [id]);
    expect(left).toBeCloseTo(24, 0);
    await api.post(`${path}/${id}/ping`);
    await until(() => receiver.received.length === 2, Boolean);
    const later = receiver.received[1]!;
    expect(new Webhook(next).verify(later.body, later.headers)).toMatchObject({ type: 'ping' });
    expect(() => new Webhook(secret).verify(later.body, later.headers)).toThrow();
  });

  it('deliver the selected types, to each receiver, once from two instances', async () => {
    const [notes, tables] = [await receive(), await receive()];
    const ids = [
      (await subscribe(notes.url, ['note.*'])).id,
      (await subscribe(tables.url, ['table.rows_changed'])).id,
    ] as const;
    const callers = services.map(({ baseUrl }) => new Api(baseUrl, api.headers));
    await Promise.all(Array.from({ length: 40 }, (_, number) => writeNote(`Note ${number}`, callers[number % 2])));
    const columns = [{ name: 'Key', type: 'text' }];
    await api.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: 'Pumps', columns, items: [{ key: 'a' }] }] });
    const sequencesOf = (all: { event: { sequence: number } }[]) =>
      all.map(({ event }) => event.sequence).sort((a, b) => a - b);
    const expectOnce = async (receiver: Receiver, id: string, count: number) => {
      await until(
        () => deliveries(id),
        (all) => all.length === count && all.every(({ status }) => status === 'succeeded'),
      );
      const logged = await deliveries(id);
      // No instance attempts what has succeeded: each copy is an attempt of the log, and all but one have failed.
      for (const { event, attempts } of logged) {
        const failed = attempts.filter(({ responseStatus }: { responseStatus: number | null }) => !responseStatus);
        expect(attempts.length - failed.length).toBe(1);
        const copies = receiver.received.filter((received) => received.event.id === event.id).length;
        expect(copies).toBeGreaterThan(0);
        expect(copies).toBeLessThanOrEqual(attempts.length);
      }
      expect([...new Set(sequencesOf(receiver.received))]).toEqual(sequencesOf(logged));
    };
    await expectOnce(tables, ids[1], 1);
    expect(new Set(tables.types)).toEqual(new Set(['table.rows_changed']));
    await expectOnce(notes, ids[0], 40);
    expect(new Set(notes.types)).toEqual(new Set(['note.created']));
    expect(sequencesOf(await deliveries(ids[0]))).toEqual(Array.from({ length: 40 }, (_, index) => index + 2));
    // A copy that was in progress would arrive before the next delivery ends.
    await writeNote('Next', callers[1]);
    await expectOnce(notes, ids[0], 41);
  });

  it('repeat what failed, log each attempt, and delay no other receiver', async () => {
    const flaky = await receive((response) => {
      if (flaky.received.length === 1) response.writeHead(500).end('broken \0 here');
      else response.writeHead(200).end('x'.repeat(5_000));
    });
    let isGivenUp = false;
    const hanging = await receive((response) => void response.once('close', () => (isGivenUp = true)));
    const healthy = await receive();
    const { id } = await subscribe(flaky.url);
    const stuck = await subscribe(hanging.url);
    await subscribe(healthy.url);
    await writeNote('Leak');
    await until(() => hanging.received.length > 0 && healthy.received.length === 1, Boolean);
    expect(isGivenUp).toBe(false);
    await until(async () => (await deliveries(id))[0]?.status === 'succeeded');
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({
      event: { type: 'note.created', sequence: 2 },
      nextAttemptAt: null,
      attempts: [
        { responseStatus: 500, responseBody: 'broken \ufffd here', error: null },
        { responseStatus: 200, responseBody: 'x'.repeat(1_024), error: null },
      ],
    });
    expect(flaky.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill(flaky.received[0]!.event.id),
    );
    await until(async () => (await deliveries(stuck.id))[0].attempts.length > 0);
    expect((await deliveries(stuck.id))[0].attempts[0]).toMatchObject({
      responseStatus: null,
      error: 'No response within 5 s',
    });
  });

  it('respect Retry-After, do not follow redirects, and read long bodies only in part', async () => {
    const target = await receive();
    const redirecting = await receive((response) => response.writeHead(302, { Location: target.url }).end());
    const busy = await receive((response) =>
      busy.received.length === 1
        ? response.writeHead(429, { 'Retry-After': '3' }).end()
        : response.writeHead(204).end(),
    );
    let isClosed = false;
    const endless = await receive((response) => {
      response.writeHead(200);
      response.on('error', () => undefined).on('close', () => (isClosed = true));
      response.write(Buffer.alloc(10 * 1024 * 1024, 'x'));
    });
    const closing = await receive((response) => response.destroy());
    const ids: string[] = [];
    for (const { url } of [redirecting, busy, endless, closing]) ids.push((await subscribe(url)).id);
    await writeNote('Leak');
    await until(async () => (await Promise.all(ids.map(deliveries))).every(([one]) => one?.attempts.length > 0));
    await until(() => busy.received.length === 2, Boolean);
    const [first, , long, closed] = await Promise.all(ids.map(async (id) => (await deliveries(id))[0].attempts[0]));
    expect(first.responseStatus).toBe(302);
    expect(target.received).toEqual([]);
    expect(busy.received[1]!.at - busy.received[0]!.at).toBeGreaterThanOrEqual(2_900);
    expect(long).toMatchObject({ responseStatus: 200, responseBody: 'x'.repeat(1_024), error: null });
    // The service does not wait for the end of the body, which does not follow.
    expect(long.durationMs).toBeLessThan(4_500);
    await until(() => isClosed, Boolean);
    expect(closed).toMatchObject({ responseStatus: null, error: expect.any(String) });
  });

  it('end with 410 and after days of failures, and continue when they are enabled again', async () => {
    const gone = await receive((response) => response.writeHead(410).end());
    const failing = await receive((response) => response.writeHead(503).end());
    const ids = [(await subscribe(gone.url)).id, (await subscribe(failing.url)).id] as const;
    await writeNote('First');
    await until(async () => (await read(ids[0])).status === 'disabled');
    expect(await read(ids[0])).toMatchObject({ disabledReason: 'gone' });
    const failFor = async (time: string) => {
      const isFailing = `SELECT FROM subscriptions WHERE id = $1 AND failing_since IS NOT NULL`;
      await until(async () => (await database.query(isFailing, [ids[1]])).length === 1, Boolean);
      await database.query(`UPDATE subscriptions SET failing_since = now() - $2::interval WHERE id = $1`, [
        ids[1],
        time,
      ]);
    };
    await failFor('4 days 23 hours');
    const { length } = failing.received;
    await until(() => failing.received.length > length, Boolean);
    expect(await read(ids[1])).toMatchObject({ status: 'enabled' });
    await failFor('5 days');
    await until(async () => (await read(ids[1])).status === 'disabled');
    expect(await read(ids[1])).toMatchObject({ disabledReason: 'failing' });
    expect((await deliveries(ids[1]))[0]).toMatchObject({ status: 'failed', nextAttemptAt: null });
    const audit = await services[0]!.operator<{ reason: string }[]>('audit', '--kind', 'subscription_disabled');
    expect(audit.map(({ reason }) => reason)).toEqual(expect.arrayContaining([`${ids[0]} gone`, `${ids[1]} failing`]));
    expect((await api.post(`${path}/${ids[0]}/ping`)).status).toBe(409);
    await writeNote('Missed');
    gone.behavior = (response) => response.writeHead(204).end();
    const enabled = await api.patch(`${path}/${ids[0]}`, { status: 'enabled' });
    expect(enabled.body.data).toMatchObject({ status: 'enabled', disabledReason: null });
    await writeNote('Next');
    await until(() => gone.received.length === 2, Boolean);
    expect(gone.received.map(({ event }) => event.data.note.title)).toEqual(['First', 'Next']);
    expect((await api.post(`${path}/${ids[0]}/replay?from=3`)).body.data).toMatchObject({ id: ids[0] });
    await until(() => gone.received.length === 4, Boolean);
    const titles = gone.received.slice(2).map(({ event }) => event.data.note.title as string);
    expect(titles.sort()).toEqual(['Missed', 'Next']);
  });

  it('are not disabled by one failure days after another delivery has failed', async () => {
    const failing = await receive((response) => response.writeHead(503).end());
    const { id } = await subscribe(failing.url, ['note.created']);
    await writeNote('First');
    const statuses = async () => (await deliveries(id)).map(({ status }) => status as string);
    await until(async () => (await statuses()).join() === 'failed');
    const failEarlier = `UPDATE subscriptions SET failing_since = failing_since - interval '6 days' WHERE id = $1`;
    await database.query(failEarlier, [id]);
    await writeNote('Second');
    await until(() => failing.received.at(-1)?.event.data.note.title === 'Second', Boolean);
    await until(async () => (await deliveries(id))[0].attempts.length > 1);
    expect(await read(id)).toMatchObject({ status: 'enabled' });
  });

  it('are queued once each, however often they are replayed', async () => {
    const failing = await receive((response) => response.writeHead(503, { 'Retry-After': '3600' }).end());
    const { id } = await subscribe(failing.url, ['note.created']);
    for (const title of ['First', 'Second', 'Third']) await writeNote(title);
    await until(async () => (await deliveries(id)).filter(({ attempts }) => attempts.length > 0).length === 3);
    for (let replay = 0; replay < 3; replay++) {
      const { length } = failing.received;
      expect((await api.post(`${path}/${id}/replay?from=1`)).status).toBe(200);
      await until(() => failing.received.length === length + 3, Boolean);
    }
    await until(async () => (await deliveries(id)).every(({ attempts }) => attempts.length > 0));
    const { items } = (await api.get(`${path}/${id}/deliveries?limit=100`)).body.data;
    const pending = items.filter(({ status }: { status: string }) => status === 'pending');
    expect([items.length, pending.length]).toEqual([12, 3]);
    // Those without an attempt are removed.
    await database.query(`UPDATE event_deliveries SET attempts = '[]' WHERE subscription_id = $1`, [id]);
    expect((await api.post(`${path}/${id}/replay?from=1`)).status).toBe(200);
    await until(async () => (await deliveries(id)).filter(({ attempts }) => attempts.length > 0).length === 3);
    expect(await deliveries(id)).toHaveLength(12);
  });

  it('repeat a delivery on request, and can be changed and deleted', async () => {
    const receiver = await receive();
    const { id } = await subscribe(receiver.url);
    await writeNote('Leak');
    await until(async () => (await deliveries(id))[0]?.status === 'succeeded');
    const [delivery] = await deliveries(id);
    expect((await api.post(`${path}/${id}/deliveries/${delivery.id}/redeliver`)).status).toBe(200);
    await until(async () => (await deliveries(id))[0].attempts.length === 2);
    expect((await api.patch(`${path}/${id}`, { events: ['table.*'] }, { 'If-Match': '"9"' })).status).toBe(412);
    expect((await api.patch(`${path}/${id}`, { events: ['table.*'], description: 'ERP' })).status).toBe(200);
    expect((await api.get(path)).body.data.items).toMatchObject([{ id, events: ['table.*'], description: 'ERP' }]);
    await writeNote('Not selected');
    expect((await api.delete(`${path}/${id}`)).status).toBe(200);
    expect((await api.get(`${path}/${id}`)).status).toBe(404);
    expect(receiver.received).toHaveLength(2);
  });

  it('are recorded in the audit log with the caller and the changed fields, without secrets', async () => {
    const receiver = await receive();
    const { id, secret } = await subscribe(receiver.url);
    await api.patch(`${path}/${id}`, { events: ['table.*'], description: 'ERP' });
    await api.patch(`${path}/${id}`, { status: 'disabled' });
    await api.patch(`${path}/${id}`, { status: 'enabled' });
    const rotated = await api.post(`${path}/${id}/secret`);
    await api.delete(`${path}/${id}`);
    const lines = await database.query<{ kind: string; reason: string }>(
      `SELECT kind, reason, actor_id::text AS actor, workspace_id::text AS workspace FROM auth_events WHERE reason LIKE $1 ORDER BY id`,
      [`${id}%`],
    );
    const by = { actor: me.userId, workspace: me.workspaceId };
    expect(lines).toEqual([
      { kind: 'subscription_created', reason: id, ...by },
      { kind: 'subscription_changed', reason: `${id} events, description`, ...by },
      { kind: 'subscription_disabled', reason: `${id} caller`, ...by },
      { kind: 'subscription_changed', reason: `${id} status`, ...by },
      { kind: 'subscription_secret_rotated', reason: id, ...by },
      { kind: 'subscription_deleted', reason: id, ...by },
    ]);
    for (const hidden of [secret, rotated.body.data.secret as string, receiver.url]) {
      expect(hidden).toEqual(expect.any(String));
      expect(JSON.stringify(lines)).not.toContain(hidden);
    }
  });

  it('are listed, disabled and replayed by the operator', async () => {
    const receiver = await receive();
    const { id } = await subscribe(receiver.url);
    await writeNote('Leak');
    await until(() => receiver.received.length === 1, Boolean);
    const service = services[0]!;
    const workspaceId = workspace.split('/').at(-1)!;
    await service.operator('subscription', 'replay', id, '--from', '2');
    await until(() => receiver.received.length === 2, Boolean);
    expect(receiver.received[1]!.event.id).toBe(receiver.received[0]!.event.id);
    await service.operator('subscription', 'disable', id);
    expect(await read(id)).toMatchObject({ status: 'disabled', disabledReason: 'operator' });
    expect(await service.operator('subscription', 'list', '--workspace', workspaceId)).toMatchObject([
      { id, workspaceId, url: receiver.url, status: 'disabled', disabledReason: 'operator', pending: 0 },
    ]);
  });

  it('require https, unless the operator allows http', async () => {
    const { service: strict } = await shareService();
    const { workspaceId, apiKey } = await strict.provision();
    const caller = new Api(strict.baseUrl).withKey(apiKey);
    const create = (url: string) =>
      caller.post(`/v2/api/workspaces/${workspaceId}/subscriptions`, { url, events: ['*'] });
    expect(await create('http://example.com/')).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/https:.* EVENTS_ALLOW_HTTP=true/) },
    });
    expect((await create('https://example.com/')).status).toBe(201);
  });

  it('reject private addresses, credentials in URLs, unknown types and callers of another workspace', async () => {
    for (const url of ['http://10.0.0.1/', 'http://[::1]/', 'http://0x7f000002/', 'https://a:b@example.com/'])
      expect((await api.post(path, { url, events: ['*'] })).status).toBe(422);
    expect(await api.post(path, { url: 'https://10.0.0.1/', events: ['*'] })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('EVENTS_ALLOWED_NETWORKS') },
    });
    for (const body of [
      { url: 'ftp://example.com', events: ['*'] },
      { url: 'https://example.com', events: ['nosuch.*'] },
      { url: 'https://example.com', events: [] },
    ])
      expect((await api.post(path, body)).status).toBe(400);
    const { id } = await subscribe('https://example.com/', ['table.deleted']);
    const other = new Api(api.baseUrl).withKey((await services[0]!.provision()).apiKey);
    expect((await other.get(`${path}/${id}`)).status).toBe(404);
  });

  it('a workspace has at most 500, also if several are created at once, and each gets its deliveries', async () => {
    const receiver = await receive();
    const { id } = await subscribe(receiver.url, ['note.created']);
    await database.query(
      `INSERT INTO subscriptions (workspace_id, id, url, events, secret, queued_through, created_by)
       SELECT workspace_id, gen_random_uuid(), url, events, secret, queued_through, created_by
         FROM subscriptions, generate_series(1, 496)
        WHERE id = $1`,
      [id],
    );
    const other = new Api(services[1]!.baseUrl).withKey(me.apiKey);
    const creating = [api, other, api, other, api, other].map((caller) =>
      caller.post(path, { url: receiver.url, events: ['note.created'] }),
    );
    const codes = (await Promise.all(creating)).map(({ status, body }) => body.error ?? status);
    expect(codes.sort()).toEqual([201, 201, 201, ...Array.from({ length: 3 }, () => 'too_many_subscriptions')]);
    await writeNote('Leak');
    await writeNote('Noise');
    const count = async () => {
      const [queued] = await database.query<{ count: number }>(
        'SELECT count(DISTINCT (subscription_id, event_id))::int AS count FROM event_deliveries WHERE workspace_id = $1',
        [me.workspaceId],
      );
      return queued!.count;
    };
    await until(count, (queued) => queued === 2 * 500);
  });
});
