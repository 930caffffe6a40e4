import { randomUUID } from 'node:crypto';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { Tables, text } from '../support/tables.js';

const WORKSPACES = '/v1/api/workspaces';

describe('workspaces', () => {
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let outsider: Credentials;
  let api: Api;
  let mine: string;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    [me, outsider] = [await service.provision('Northern plants'), await service.provision('Southern plants')];
    api = new Api(service.baseUrl).withKey(me.apiKey);
    mine = `${WORKSPACES}/${me.workspaceId}`;
  });

  it('workspaces are returned with their settings and counts', async () => {
    expect((await api.get(mine)).body.data).toEqual({
      id: me.workspaceId,
      name: 'Northern plants',
      slug: 'northern-plants',
      timezone: 'UTC',
      settings: { assistants: 'read', noteStatuses: null, publicNotes: true },
      counts: { projects: 0, tours: 0, tags: 0, notes: 0, users: 1, tables: 0 },
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      createdBy: null,
      updatedAt: expect.any(String),
      updatedBy: null,
    });
  });

  it('count their records without archived ones', async () => {
    const make = async (path: string, body: object) => (await api.post(`/v1/api/${path}`, body)).body.data.id;
    const projectId = await make('projects', { name: 'Boiler house' });
    const tourId = await make('tours', { projectId, title: 'Ground floor' });
    for (const label of ['Pump', 'Valve', 'Fan']) await make('tags', { tourId, label });
    for (const title of ['Leaks', 'Hums']) await make('notes', { projectId, title });
    await make('users', { email: 'ada@example.com' });
    await Tables.of(service, me).bulk('assets', { name: 'Pumps', columns: [text('Key')], items: [{ key: 'P1' }] });
    const counts = async () => (await api.get(mine)).body.data.counts;
    expect(await counts()).toEqual({ projects: 1, tours: 1, tags: 3, notes: 2, users: 2, tables: 1 });
    const archived = await make('projects', { name: 'Archived' });
    await api.delete(`/v1/api/projects/${archived}`);
    const left = await make('users', { email: 'left@example.com' });
    await api.delete(`/v1/api/users/${left}`);
    expect(await counts()).toMatchObject({ projects: 1, users: 2 });
    const theirs = new Api(service.baseUrl).withKey(outsider.apiKey);
    expect((await theirs.get(WORKSPACES)).body.data.items).toMatchObject([
      { id: outsider.workspaceId, counts: { projects: 0, tours: 0, tags: 0, notes: 0, users: 1, tables: 0 } },
    ]);
  });

  it('workspaces are changed field by field, and contain their version and the user who changed them', async () => {
    const { version } = (await api.get(mine)).body.data;
    const sent = { name: 'North', slug: 'north-1', timezone: 'europe/vienna', settings: { publicNotes: false } };
    const changed = await api.patch(mine, sent, { 'If-Match': `"${version}"` });
    const tag = changed.headers.get('etag')!;
    expect(tag).toMatch(new RegExp(`^"${version + 1}-`));
    expect(changed.body.data).toMatchObject({
      ...sent,
      timezone: 'Europe/Vienna',
      settings: { assistants: 'read', noteStatuses: null, publicNotes: false },
      updatedBy: me.userId,
      version: version + 1,
    });
    expect((await api.patch(mine, { name: 'x' }, { 'If-Match': `"${version}"` })).status).toBe(412);
    expect((await api.patch(mine, { name: 'North', settings: {} })).body.data.version).toBe(version + 1);
    expect((await api.get(mine, { 'If-None-Match': tag })).status).toBe(304);
    const lines = await database.query(
      `SELECT actor_id AS "actorId", reason FROM auth_events WHERE kind = 'workspace_changed' AND workspace_id = $1`,
      [me.workspaceId],
    );
    expect(lines).toEqual([{ actorId: me.userId, reason: expect.stringMatching(/name.*slug.*timezone.*settings/) }]);
  });

  it('a change of a workspace does not change its note statuses, which have a separate route', async () => {
    const statuses = [{ key: 'open', category: 'open' }];
    const path = `/v2/api/workspaces/${me.workspaceId}/note-statuses`;
    expect((await api.send(path, { method: 'PUT', body: { statuses } })).status).toBe(200);
    const { body } = await api.patch(mine, { settings: { publicNotes: true } });
    expect(body.data.settings).toEqual({ assistants: 'read', noteStatuses: statuses, publicNotes: true });
    expect((await api.get(path)).body.data.statuses).toEqual(statuses);
    const recorded = await database.query(
      `SELECT details->'changes' AS changes FROM auth_events WHERE workspace_id = $1 AND reason = 'noteStatuses'`,
      [me.workspaceId],
    );
    expect(recorded).toEqual([{ changes: [{ attribute: 'noteStatuses', from: null, to: statuses }] }]);
    const rejected = await api.patch(mine, { settings: { noteStatuses: [] } });
    expect([rejected.status, rejected.body.details.errors]).toMatchObject([400, [{ field: 'settings.noteStatuses' }]]);
  });

  it('allow or forbid notes of anonymous callers from the next request on', async () => {
    const projectId = (await api.post('/v1/api/projects', { name: 'Public' })).body.data.id;
    const anonymous = new Api(service.baseUrl);
    const writeNote = async () => (await anonymous.post('/v1/public/saveThread', { projectId, title: 'Leak' })).status;
    await api.patch(mine, { settings: { publicNotes: false } });
    expect(await writeNote()).toBe(403);
    await api.patch(mine, { settings: { publicNotes: true } });
    expect(await writeNote()).toBe(201);
  });

  it.each([
    ['name', { name: ' ' }],
    ['slug', { slug: 'North Side' }],
    ['slug', { slug: 'a'.repeat(64) }],
    ['timezone', { timezone: 'Vienna' }],
    ['timezone', { timezone: '+01:00' }],
    ['timezone', { timezone: 7 }],
    ['settings', { settings: 'open' }],
    ['settings', { settings: [] }],
    ['settings.publicNotes', { settings: { publicNotes: 'yes' } }],
    ['counts', { counts: {} }],
  ])('workspaces return 400 and the field %s if it is invalid', async (field, body) => {
    const { status, body: answer } = await api.patch(mine, body);
    expect([status, answer.details.errors[0].field]).toEqual([400, field]);
  });

  it('workspaces have slugs that are unique in the service, even if two are set concurrently', async () => {
    const theirs = new Api(service.baseUrl).withKey(outsider.apiKey);
    const taken = await api.patch(mine, { slug: 'southern-plants' });
    expect([taken.status, taken.body.error]).toEqual([409, 'slug_taken']);
    const answers = await Promise.all([
      api.patch(mine, { slug: 'contested' }),
      theirs.patch(`${WORKSPACES}/${outsider.workspaceId}`, { slug: 'contested' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('workspaces accept one of several concurrent changes with the same version', async () => {
    const { version } = (await api.get(mine)).body.data;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => api.patch(mine, { name: `Name ${at}` }, { 'If-Match': `"${version}"` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });

  it("return the same 404 for another user's workspace as for one that does not exist", async () => {
    const asked = async (id: string) => {
      const answers = [await api.get(`${WORKSPACES}/${id}`), await api.patch(`${WORKSPACES}/${id}`, { name: 'Mine' })];
      return answers.map(({ status, body }) => [status, body.error, body.message]);
    };
    const foreign = await asked(outsider.workspaceId);
    expect(foreign).toEqual(await asked(randomUUID()));
    expect(foreign.map(([status]) => status)).toEqual([404, 404]);
  });

  it('cannot be created or deleted by callers', async () => {
    expect((await api.post(WORKSPACES, { name: 'New' })).status).toBe(405);
    expect((await api.delete(mine)).status).toBe(405);
  });

  it('workspaces are listed in the requested order, page by page, for a member of several', async () => {
    const created: string[] = [];
    for (const name of ['B plant', 'A plant', 'C plant'])
      created.push((await service.operator<{ id: string }>('workspace', 'create', '--name', name)).id);
    const workspaces = created.flatMap((id) => ['--workspace', id]);
    const user = await service.operator<{ id: string }>('user', 'create', '--email', 'b@example.com', ...workspaces);
    const caller = await new Api(service.baseUrl).signIn(await (await service.operatorClient()).newClient(user.id));
    const walk = async (query: string) => {
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const { data } = (await caller.get(`${WORKSPACES}?limit=2&${query}${cursor}`)).body;
        found.push(...data.items.map((item: { id: string }) => item.id));
        if (!data.hasMore) return found;
        cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`;
      }
    };
    expect(await walk('')).toEqual(created);
    expect(await walk('sort=name')).toEqual([created[1], created[0], created[2]]);
    expect(await walk('q=c%20PLANT')).toEqual([created[2]]);
    const { items } = (await caller.get(`${WORKSPACES}?limit=1&fields=slug,counts`)).body.data;
    expect(items).toEqual([{ slug: 'b-plant', counts: expect.objectContaining({ users: 1 }) }]);
    for (const query of ['archived=true', 'workspaceId=x', 'sort=timezone'])
      expect((await caller.get(`${WORKSPACES}?${query}`)).status).toBe(400);
  });
});
