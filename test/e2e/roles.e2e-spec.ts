import { randomBytes, randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { findRole, loadDocument } from '../support/openapi.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

const USERS = '/v1/api/users';
const PROJECTS = '/v1/api/projects';
const ROLES = ['reader', 'editor', 'owner'] as const;
type Role = (typeof ROLES)[number];

/** A member with an access token and an API key. */
interface Member {
  id: string;
  bearer: Api;
  key: Api;
}

describe('roles of members', () => {
  let database: Database;
  let services: SharedService[];
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    ({ database, services } = await shareServices(2));
    me = await services[0]!.provision();
    api = new Api(services[0]!.baseUrl).withKey(me.apiKey);
  });

  const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
  const onSecond = ({ headers }: Api) => new Api(services[1]!.baseUrl, headers);
  const expectRole = ({ status, body }: ApiResponse, role: Role) =>
    expect([status, body.error, body.message]).toEqual([
      403,
      'insufficient_role',
      `This needs the role ${role} in the workspace. Ask an owner of the workspace.`,
    ]);

  /** What `operator user create --role` does for each of the workspaces. */
  async function admit(roles: Record<string, Role>): Promise<Member> {
    const email = newEmail();
    let id = '';
    for (const [workspaceId, role] of Object.entries(roles)) {
      const create = ['user', 'create', '--email', email, '--workspace', workspaceId, '--role', role];
      ({ id } = await services[0]!.operator<{ id: string }>(...create));
    }
    const client = await (await services[0]!.operatorClient()).newClient(id);
    const [workspaceId] = Object.keys(roles) as [string];
    const key = ['api-key', 'create', '--user', id, '--workspace', workspaceId];
    const { apiKey } = await services[0]!.operator<{ apiKey: string }>(...key);
    return {
      id,
      bearer: await new Api(services[0]!.baseUrl).signIn(client),
      key: new Api(services[0]!.baseUrl).withKey(apiKey),
    };
  }

  const roleOf = async (id: string) => {
    const { memberships } = (await api.get(`${USERS}/${id}`)).body.data;
    return memberships.find((each: { workspaceId: string }) => each.workspaceId === me.workspaceId).role as Role;
  };

  it.each(ROLES)('%s: every operation that needs more is rejected, and no other one', async (role) => {
    const { bearer, key } = await admit({ [me.workspaceId]: role });
    const { paths } = loadDocument<{ paths: Record<string, Record<string, { description: string }>> }>();
    const differing: string[] = [];
    for (const [path, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods)) {
        const needed = findRole(operation) as Role | undefined;
        if (!needed) continue;
        const url = path
          .replace('{workspaceId}', me.workspaceId)
          .replace('{entity}', 'lists')
          .replace('{table}', 'nothing')
          .replace(/\{\w+\}/g, randomUUID());
        for (const caller of path.endsWith('/webhook') ? [key] : [bearer, key]) {
          const { status, body } = await caller.send(url, { method: method.toUpperCase() });
          const isRejected = status === 403 && body.error === 'insufficient_role';
          const isPermitted = ROLES.indexOf(role) >= ROLES.indexOf(needed);
          if (isRejected === isPermitted || (isPermitted && status === 403))
            differing.push(`${method} ${path} ${status}`);
        }
      }
    expect(differing).toEqual([]);
  });

  it('a new member is an editor unless the request names a role, and only owners change roles', async () => {
    const { body: invited } = await api.post(USERS, { email: newEmail() });
    expect(await roleOf(invited.data.id)).toBe('editor');
    const named = await api.post(USERS, { email: newEmail(), role: 'reader' });
    expect(named.body.data.memberships).toMatchObject([{ role: 'reader' }]);
    const member = await admit({ [me.workspaceId]: 'editor' });
    for (const caller of [member.bearer, member.key]) {
      expectRole(await caller.patch(`${USERS}/${member.id}`, { role: 'owner' }), 'owner');
      expectRole(await caller.post(USERS, { email: newEmail(), role: 'owner' }), 'owner');
      expectRole(await caller.post(`${USERS}/bulk`, { items: [{ email: newEmail() }] }), 'owner');
    }
    const unknown = await api.patch(`${USERS}/${member.id}`, { role: 'admin' });
    expect([unknown.status, unknown.body.details.errors[0].field]).toEqual([400, 'role']);
    expect((await api.patch(`${USERS}/${member.id}`, { role: 'owner' })).status).toBe(200);
    expect((await member.key.post(USERS, { email: newEmail() })).status).toBe(201);
    const events = await database.query(
      `SELECT kind, reason FROM auth_events WHERE user_id = $1 AND kind = 'member_changed'`,
      [member.id],
    );
    expect(events).toEqual([{ kind: 'member_changed', reason: 'role: owner' }]);
  });

  it('a change applies to tokens and API keys from the next request on, on every instance', async () => {
    const { id, bearer, key } = await admit({ [me.workspaceId]: 'editor' });
    const write = async () => {
      const callers = [bearer, key, onSecond(bearer), onSecond(key)];
      const written = await Promise.all(callers.map((caller) => caller.post(PROJECTS, { name: 'Project' })));
      return written.map(({ status }) => status);
    };
    for (let round = 0; round < 3; round++) {
      expect(await write()).toEqual([201, 201, 201, 201]);
      expect((await api.patch(`${USERS}/${id}`, { role: 'reader' })).status).toBe(200);
      expect(await write()).toEqual([403, 403, 403, 403]);
      expect((await bearer.get(PROJECTS)).status).toBe(200);
      expect((await api.patch(`${USERS}/${id}`, { role: 'editor' })).status).toBe(200);
    }
  });

  it('a rejection for the role is in the audit log, once per minute', async () => {
    const { id, bearer } = await admit({ [me.workspaceId]: 'reader' });
    for (let time = 0; time < 3; time++) expectRole(await bearer.post(PROJECTS, { name: 'No' }), 'editor');
    const events = await services[0]!.operator<{ kind: string; reason: string }[]>('audit', '--user', id);
    expect(events.filter(({ kind }) => kind === 'role_rejected')).toMatchObject([
      { reason: 'This needs the role editor in the workspace. Ask an owner of the workspace.' },
    ]);
  });

  it('of a caller in two workspaces is that of the workspace that the request, or its record, is in', async () => {
    const other = await services[0]!.provision();
    const theirs = new Api(services[0]!.baseUrl).withKey(other.apiKey);
    const { bearer, id } = await admit({ [me.workspaceId]: 'owner', [other.workspaceId]: 'reader' });
    const project = (await theirs.post(PROJECTS, { name: 'Theirs' })).body.data;
    const tour = (await theirs.post('/v1/api/tours', { projectId: project.id, title: 'Theirs' })).body.data;
    const tag = (await theirs.post('/v1/api/tags', { tourId: tour.id, label: 'Theirs' })).body.data;
    const note = (await theirs.post('/v1/api/notes', { projectId: project.id, title: 'Theirs' })).body.data;
    const table = { name: 'Priorities', columns: [{ name: 'PRIOK', type: 'text' }], items: [{ priok: '1' }] };
    for (const path of [`${PROJECTS}/${project.id}`, `/v1/api/tags/${tag.id}`, `/v1/api/notes/${note.id}`])
      expect((await bearer.get(path)).status).toBe(200);
    const cw = `/v2/api/workspaces/${other.workspaceId}/cw`;
    for (const rejected of await Promise.all([
      bearer.post(PROJECTS, { name: 'No', workspaceId: other.workspaceId }),
      bearer.patch(`${PROJECTS}/${project.id}`, { name: 'No' }),
      bearer.delete(`${PROJECTS}/${project.id}`),
      bearer.post('/v1/api/tours', { projectId: project.id, title: 'No' }),
      bearer.patch(`/v1/api/tours/${tour.id}`, { title: 'No' }),
      bearer.post('/v1/api/tags', { tourId: tour.id, label: 'No' }),
      bearer.patch(`/v1/api/tags/${tag.id}`, { label: 'No' }),
      bearer.post('/v1/api/notes', { projectId: project.id, title: 'No' }),
      bearer.post('/v1/api/notes', { id: note.id, title: 'No' }),
      bearer.post('/v1/api/notes/messages', { threadId: note.id, description: 'No' }),
      bearer.patch(`/v1/api/notes/${note.id}`, { title: 'No' }),
      bearer.delete(`/v1/api/notes/${note.id}`),
      bearer.post(`${cw}/lists/bulk`, { lists: [table] }),
    ]))
      expectRole(rejected, 'editor');
    for (const rejected of [
      await bearer.patch(`${USERS}/${other.userId}`, { displayName: 'No' }),
      await bearer.patch(`${USERS}/${id}?workspaceId=${other.workspaceId}`, { role: 'owner' }),
      await bearer.patch(`/v1/api/workspaces/${other.workspaceId}`, { name: 'No' }),
    ])
      expectRole(rejected, 'owner');
    // The only workspace in which the caller may write is that of new records.
    expect((await bearer.post(PROJECTS, { name: 'Mine' })).body.data.workspaceId).toBe(me.workspaceId);
    // Changes of the caller's own memberships leave those of workspaces that others own unchanged.
    expect((await bearer.patch(`${USERS}/${id}`, { displayName: 'Ada' })).status).toBe(200);
    const [membership] = await database.query<{ display_name: string | null }>(
      'SELECT display_name FROM workspace_members WHERE workspace_id = $1 AND user_id = $2',
      [other.workspaceId, id],
    );
    expect(membership!.display_name).toBeNull();
    expect((await bearer.patch(`${PROJECTS}/${randomUUID()}`, { name: 'No' })).status).toBe(404);
    expect((await theirs.get(`${PROJECTS}?archived=all`)).body.data.items).toMatchObject([{ name: 'Theirs' }]);
  });

  it('a reader may leave a workspace', async () => {
    const other = await services[0]!.provision();
    const { bearer, id } = await admit({ [me.workspaceId]: 'editor', [other.workspaceId]: 'reader' });
    expectRole(await bearer.delete(`${USERS}/${me.userId}?workspaceId=${me.workspaceId}`), 'owner');
    expect((await bearer.delete(`${USERS}/${id.toUpperCase()}?workspaceId=${other.workspaceId}`)).status).toBe(200);
    expect((await bearer.get('/v1/api/workspaces')).body.data.items).toMatchObject([{ id: me.workspaceId }]);
  });

  describe('the last owner', () => {
    const expectLast = ({ status, body }: ApiResponse) => expect([status, body.error]).toEqual([409, 'last_owner']);
    const countOwners = async (workspaceId: string) => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM workspace_members
          WHERE workspace_id = $1 AND role = 'owner' AND status = 'active' AND accepted_at IS NOT NULL
            AND archived_at IS NULL`,
        [workspaceId],
      );
      return row!.count;
    };

    it('remains an owner, until another member is one who can sign in', async () => {
      const mine = await services[0]!.provision();
      const owner = new Api(services[0]!.baseUrl).withKey(mine.apiKey);
      const { body } = await owner.get(`${USERS}/${mine.userId}`);
      expectLast(await owner.patch(`${USERS}/${mine.userId}`, { role: 'editor' }));
      expectLast(await owner.post(USERS, { email: body.data.email, role: 'reader' }));
      const bulk = { items: [{ email: body.data.email, role: 'reader' }, { email: newEmail() }] };
      const stored = await owner.post(`${USERS}/bulk?onError=continue`, bulk);
      expect([stored.status, stored.body.data]).toMatchObject([207, { created: 1, failed: 1 }]);
      // An invited owner has no access yet, and a suspended one has none any more.
      expect((await owner.post(USERS, { email: newEmail(), role: 'owner' })).status).toBe(201);
      expectLast(await owner.patch(`${USERS}/${mine.userId}`, { role: 'editor' }));
      const second = await admit({ [mine.workspaceId]: 'owner' });
      const client = await services[0]!.operatorClient();
      await client.suspend(second.id);
      expectLast(await owner.patch(`${USERS}/${mine.userId}`, { role: 'editor' }));
      await client.activate(second.id);
      expect((await owner.patch(`${USERS}/${mine.userId}`, { role: 'editor' })).status).toBe(200);
      for (const caller of [second.key, onSecond(second.key)])
        expectLast(await caller.patch(`${USERS}/${second.id}`, { role: 'reader' }));
      expect(await countOwners(mine.workspaceId)).toBe(1);
    });

    it('cannot leave, although a member of another workspace', async () => {
      const mine = await services[0]!.provision();
      await services[0]!.operator('user', 'create', '--email', newEmail(), '--workspace', mine.workspaceId);
      const { id, bearer } = await admit({ [me.workspaceId]: 'editor', [mine.workspaceId]: 'owner' });
      const leave = () => bearer.delete(`${USERS}/${id}?workspaceId=${mine.workspaceId}`);
      const owner = new Api(services[0]!.baseUrl).withKey(mine.apiKey);
      expect((await owner.patch(`${USERS}/${mine.userId}`, { role: 'editor' })).status).toBe(200);
      expectLast(await leave());
      const restored = await bearer.patch(`${USERS}/${mine.userId}`, { role: 'owner' });
      expect(restored.status).toBe(200);
      expect((await leave()).status).toBe(200);
    });

    it('remains if all owners give up the role, leave or are suspended at the same time on two instances', async () => {
      const mine = await services[0]!.provision();
      const first = new Api(services[0]!.baseUrl).withKey(mine.apiKey);
      const members = [{ id: mine.userId, key: first }];
      for (let count = 0; count < 3; count++) members.push(await admit({ [mine.workspaceId]: 'owner' }));
      for (let round = 0; round < 10; round++) {
        const ended = await Promise.all(
          members.map(({ key, id }, index) => {
            const caller = index % 2 === 0 ? key : onSecond(key);
            const { id: next } = members[(index + 1) % members.length]!;
            if ((index + round) % 3 === 0) return caller.patch(`${USERS}/${next}`, { status: 'suspended' });
            return caller.patch(`${USERS}/${id}`, { role: 'editor' });
          }),
        );
        for (const { status, body } of ended)
          expect([200, '409 last_owner', '403 insufficient_role', '401 invalid_api_key']).toContain(
            status === 200 ? 200 : `${status} ${body.error}`,
          );
        expect(await countOwners(mine.workspaceId)).toBeGreaterThan(0);
        await database.query(`UPDATE workspace_members SET role = 'owner', status = 'active' WHERE workspace_id = $1`, [
          mine.workspaceId,
        ]);
      }
    });

    it('can be removed by the operator, and the next member whom the operator adds becomes an owner', async () => {
      const mine = await services[0]!.provision();
      await services[0]!.operator('user', 'delete', mine.userId, '--yes');
      expect(await countOwners(mine.workspaceId)).toBe(0);
      const create = (email: string) =>
        services[0]!.operator('user', 'create', '--email', email, '--workspace', mine.workspaceId);
      await create(newEmail());
      const editor = newEmail();
      await create(editor);
      expect(await countOwners(mine.workspaceId)).toBe(1);
      const users = await services[0]!.operator<{ email: string; roles: string[] }[]>('user', 'list');
      expect(users.find(({ email }) => email === editor)).toMatchObject({ roles: ['editor'] });
    });
  });
});
