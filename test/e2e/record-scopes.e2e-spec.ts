import { randomUUID } from 'node:crypto';
import { type Api, type ApiResponse, Api as Caller } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

/** Each kind of events with the scope that reads its records. */
const SCOPES: Record<string, string> = {
  project: 'read:projects',
  tour: 'read:tours',
  tag: 'read:tours',
  virtual_staging: 'read:tours',
  member: 'read:users',
  note: 'read:workspaces',
  table: 'read:workspaces',
  import: 'read:workspaces',
};

const URL_OF_RECEIVER = 'https://receiver.example/';

let service: SharedService;
let me: Credentials;
let api: Api;
let workspace: string;
let projectId: string;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  api = new Caller(service.baseUrl).withKey(me.apiKey);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  projectId = (await api.post('/v1/api/projects', { name: 'Boiler house' })).body.data.id;
  const tour = (await api.post('/v1/api/tours', { projectId, title: 'Tour' })).body.data.id;
  await api.post('/v1/api/tags', { tourId: tour, label: 'Tag' });
  await api.post(`${workspace}/notes`, { title: 'Note' });
  const columns = [{ name: 'Key', type: 'text' }];
  await api.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: 'Pumps', columns, items: [{ key: 'a' }] }] });
});

/** Ten sessions at most: each test ends its own. */
async function withScopes<T>(scopes: string[], work: (caller: Api) => Promise<T>): Promise<T> {
  const caller = await new Caller(service.baseUrl).signIn(me, scopes);
  try {
    return await work(caller);
  } finally {
    await caller.post('/v1/api/oauth2/logout');
  }
}

const kindOf = (type: string): string => type.split('.')[0]!;
const answer = ({ status, body, headers }: ApiResponse) => [
  status,
  body.error,
  /scope="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1],
];

describe('events', () => {
  const read = async (caller: Api, query = ''): Promise<ApiResponse> =>
    caller.get(`${workspace}/events?limit=1000${query}`);

  it('of each kind are read only with the scope of their records', async () => {
    const all = (await read(api)).body.data.events as { type: string }[];
    expect(new Set(all.map(({ type }) => kindOf(type)))).toEqual(
      new Set(['member', 'project', 'tour', 'tag', 'note', 'table']),
    );
    for (const scopes of [
      ['read:workspaces'],
      ['read:workspaces', 'read:tours'],
      ['write:workspaces', 'delete:projects', 'write:users'],
    ]) {
      const granted = scopes.map((scope) => scope.replace(/^\w+/, 'read'));
      const { events } = (await withScopes(scopes, (caller) => read(caller))).body.data;
      expect(events).toEqual(all.filter(({ type }) => granted.includes(SCOPES[kindOf(type)]!)));
    }
  });

  it('of a requested type without its scope are rejected, and omitted of a pattern', async () => {
    await withScopes(['read:workspaces'], async (caller) => {
      for (const [kind, scope] of Object.entries(SCOPES)) {
        const result = answer(await read(caller, `&types=note.*,${kind}.*`));
        expect([kind, ...result]).toEqual(
          scope === 'read:workspaces' ? [kind, 200, undefined, undefined] : [kind, 403, 'insufficient_scope', scope],
        );
      }
      const kinds = (await read(caller, '&types=*')).body.data.events.map(({ type }: { type: string }) => kindOf(type));
      // The rejections above become entries of the audit log, sooner or later.
      expect(new Set(['audit', ...kinds])).toEqual(new Set(['audit', 'note', 'table']));
    });
  });

  it('that arrive while a caller waits are omitted, too', async () => {
    await withScopes(['read:workspaces'], async (caller) => {
      const { nextCursor } = (await read(api)).body.data;
      const waiting = read(caller, `&after=${nextCursor}&wait=10`);
      await api.post('/v1/api/projects', { name: 'Hidden' });
      await api.post(`${workspace}/notes`, { title: 'Visible' });
      const { events } = (await waiting).body.data;
      expect(events.map(({ type }: { type: string }) => type)).toEqual(['note.created']);
    });
  });
});

describe('subscriptions', () => {
  const create = (caller: Api, events: string[]) =>
    caller.post(`${workspace}/subscriptions`, { url: URL_OF_RECEIVER, events });
  const forbidden = (scope: string) => [403, 'insufficient_scope', scope];

  it('need the scopes of all their types when they are created', async () => {
    await withScopes(['write:workspaces'], async (caller) => {
      expect((await create(caller, ['note.*', 'table.rows_changed'])).status).toBe(201);
      expect(answer(await create(caller, ['*']))).toEqual([403, 'insufficient_scope', expect.any(String)]);
      for (const [kind, scope] of Object.entries(SCOPES))
        if (scope !== 'read:workspaces')
          expect(answer(await create(caller, ['note.*', `${kind}.*`]))).toEqual(forbidden(scope));
    });
    const all = ['write:workspaces', 'read:projects', 'read:tours', 'read:users'];
    expect(await withScopes(all, async (caller) => (await create(caller, ['*'])).status)).toBe(201);
  });

  it('of others give their events to no caller with fewer scopes', async () => {
    const { id } = (await create(api, ['project.*'])).body.data;
    const path = `${workspace}/subscriptions/${id}`;
    expect((await api.post(`${path}/replay?from=1`)).status).toBe(200);
    const deliveries = await until(
      async () => (await api.get(`${path}/deliveries`)).body.data.items as { id: string }[],
      (items) => items.length > 0,
    );
    await withScopes(['write:workspaces'], async (caller) => {
      for (const response of [
        await caller.patch(path, { url: 'https://other.example/' }),
        await caller.patch(path, { events: ['tour.*', 'note.*'] }),
        await caller.patch(path, { events: ['project.created', 'note.*'] }),
        await caller.patch(path, { url: 'https://other.example/', events: ['note.*'] }),
        await caller.patch(path, { status: 'enabled' }),
        await caller.post(`${path}/secret`),
        await caller.post(`${path}/replay?from=1`),
        await caller.post(`${path}/deliveries/${deliveries[0]!.id}/redeliver`),
      ])
        expect(answer(response).slice(0, 2)).toEqual([403, 'insufficient_scope']);
      expect((await api.get(path)).body.data).toMatchObject({
        url: URL_OF_RECEIVER,
        events: ['project.*'],
        version: 1,
      });
      expect((await caller.patch(path, { status: 'disabled' })).status).toBe(200);
      expect((await caller.delete(path)).status).toBe(200);
    });
  });

  it('send no events of types that they had before to a caller with fewer scopes', async () => {
    const { id } = (await create(api, ['*'])).body.data;
    const path = `${workspace}/subscriptions/${id}`;
    expect((await api.post(`${path}/replay?from=1`)).status).toBe(200);
    interface Delivery {
      id: string;
      event: { type: string };
      nextAttemptAt: string | null;
      attempts: object[];
    }
    const list = async () => (await api.get(`${path}/deliveries?limit=100`)).body.data.items as Delivery[];
    // Each delivery waits for a retry, because the receiver does not exist.
    await until(list, (items) => items.length > 0 && items.every(({ attempts }) => attempts.length > 0));
    expect((await api.patch(path, { events: ['note.*'] })).status).toBe(200);
    const deliveries = await list();
    const queued = deliveries.filter(({ nextAttemptAt }) => nextAttemptAt !== null);
    expect(new Set(queued.map(({ event }) => kindOf(event.type)))).toEqual(new Set(['note']));
    const ofProject = deliveries.find(({ event }) => kindOf(event.type) === 'project')!;
    await withScopes(['write:workspaces'], async (caller) => {
      expect((await caller.patch(path, { url: 'https://other.example/' })).status).toBe(200);
      const redelivered = await caller.post(`${path}/deliveries/${ofProject.id}/redeliver`);
      expect(answer(redelivered)).toEqual(forbidden('read:projects'));
      expect((await caller.post(`${path}/deliveries/${queued[0]!.id}/redeliver`)).status).toBe(200);
    });
    expect((await api.delete(path)).status).toBe(200);
  });
});

describe('notes', () => {
  /** Each write of a note, on both surfaces. */
  const writes: [string, 'write' | 'delete', (caller: Api, id: string) => Promise<ApiResponse>][] = [
    ['a change', 'write', (caller, id) => caller.patch(`/v1/api/notes/${id}`, { title: 'Changed' })],
    ['saveThread', 'write', (caller, id) => caller.post('/v1/api/notes', { id, title: 'Saved' })],
    ['a message', 'write', (caller, id) => caller.post('/v1/api/notes/messages', { threadId: id, description: 'x' })],
    ['an archival', 'delete', (caller, id) => caller.delete(`/v1/api/notes/${id}`)],
    ['a restoration', 'write', (caller, id) => caller.post(`/v1/api/notes/${id}/restore`)],
    ['a change', 'write', (caller, id) => caller.patch(`${workspace}/notes/${id}`, { title: 'Changed again' })],
    ['a message', 'write', (caller, id) => caller.post(`${workspace}/notes/${id}/messages`, { description: 'x' })],
    ['an archival', 'delete', (caller, id) => caller.delete(`${workspace}/notes/${id}`)],
    ['a restoration', 'write', (caller, id) => caller.post(`${workspace}/notes/${id}/restore`)],
  ];

  it('of a project are written only with its scope, those of the workspace only with that of the workspace', async () => {
    const newNote = async (path: string, body: object) => (await api.post(path, body)).body.data.id as string;
    const ofProject = await newNote('/v1/api/notes', { projectId });
    const ofWorkspace = await newNote(`${workspace}/notes`, { title: 'x' });
    const read = async (id: string) => (await api.get(`/v1/api/notes/${id}`)).body.data;
    for (const [scope, id] of [
      ['write:workspaces', ofProject],
      ['delete:projects', ofWorkspace],
    ] as const)
      await withScopes([scope], async (caller) => {
        const before = await read(id);
        for (const [name, , write] of writes) expect([name, (await write(caller, id)).status]).toEqual([name, 403]);
        expect(await read(id)).toEqual(before);
      });
    await withScopes(['write:workspaces', 'write:projects'], async (caller) => {
      for (const [name, verb, write] of writes)
        expect([name, (await write(caller, ofProject)).status < 300]).toEqual([name, verb === 'write']);
    });
    await withScopes(['write:workspaces', 'delete:projects'], async (caller) => {
      for (const id of [ofProject, ofWorkspace])
        for (const [name, , write] of writes)
          expect([name, (await write(caller, id)).status < 300]).toEqual([name, true]);
    });
  });

  it('move only with the scopes of both parents, also by an external ID', async () => {
    const externalId = randomUUID();
    const { id } = (await api.post(`${workspace}/notes`, { externalId })).body.data;
    const notes = `${workspace}/notes`;
    await withScopes(['write:workspaces'], async (caller) => {
      expect((await caller.patch(`${notes}/${id}`, { projectId })).status).toBe(403);
      expect((await caller.post(notes, { externalId, title: 'Changed' })).status).toBe(200);
      expect((await api.patch(`${notes}/${id}`, { projectId })).status).toBe(200);
      expect((await caller.post(notes, { externalId, title: 'Again' })).status).toBe(403);
      expect((await caller.patch(`${notes}/${id}`, { projectId: null })).status).toBe(403);
    });
    expect((await api.get(`${notes}/${id}`)).body.data).toMatchObject({ title: 'Changed', projectId });
  });
});
