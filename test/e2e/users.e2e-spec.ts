import { randomBytes, randomUUID } from 'node:crypto';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

const USERS = '/v1/api/users';
const TOURS = '/v1/api/tours';
const INVITATIONS = '/v1/api/users/me/invitations';

/** A user with an access token and an API key for one workspace. */
interface Person {
  id: string;
  email: string;
  bearer: Api;
  key: Api;
}

describe('users', () => {
  let database: Database;
  let services: SharedService[];
  let me: Credentials;
  let outsider: Credentials;
  let api: Api;
  let elsewhere: Api;
  let theirs: Api;

  beforeAll(async () => {
    ({ database, services } = await shareServices(2));
    [me, outsider] = [await services[0]!.provision(), await services[0]!.provision()];
    [api, elsewhere] = services.map(({ baseUrl }) => new Api(baseUrl).withKey(me.apiKey)) as [Api, Api];
    theirs = new Api(services[0]!.baseUrl).withKey(outsider.apiKey);
  });

  const newEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
  const added = (more: object = {}, instance = api) => instance.post(USERS, { email: newEmail(), ...more });
  const add = async (more: object = {}, instance = api) => (await added(more, instance)).body.data;
  const ids = async (query: string, instance = api) =>
    (await instance.get(`${USERS}?${query}`)).body.data.items.map(({ id }: { id: string }) => id);
  const lines = (userId: string) =>
    database.query(
      `SELECT kind, actor_id AS "actorId", workspace_id AS "workspaceId", reason
         FROM auth_events WHERE user_id = $1 AND kind ~ '^(member|user|invitation)_' ORDER BY id`,
      [userId],
    );

  /** What `operator user create` does. */
  const admit = (email: string, ...workspaceIds: string[]) =>
    services[0]!.operator<{ id: string }>('user', 'create', '--email', email, '--workspace', ...workspaceIds);

  const signIn = async (id: string, scopes?: string[]) =>
    new Api(services[0]!.baseUrl).signIn(await (await services[0]!.operatorClient()).newClient(id), scopes);

  async function createKey(id: string, workspaceId: string): Promise<Api> {
    const create = ['api-key', 'create', '--user', id, '--workspace', workspaceId];
    const { apiKey } = await services[0]!.operator<{ apiKey: string }>(...create);
    return new Api(services[1]!.baseUrl).withKey(apiKey);
  }

  /** A member of the workspace who has accepted the invitation, with credentials issued by the operator. */
  async function createMember(workspaceId = me.workspaceId): Promise<Person> {
    const { id, email } = await add({}, workspaceId === me.workspaceId ? api : theirs);
    const bearer = await signIn(id);
    await accept(bearer, workspaceId);
    return { id, email, bearer, key: await createKey(id, workspaceId) };
  }

  /** A caller who is an owner of both workspaces. */
  async function createMemberOfBoth(): Promise<{ id: string; api: Api }> {
    const { id } = await admit(newEmail(), me.workspaceId, outsider.workspaceId, '--role', 'owner');
    return { id, api: await signIn(id) };
  }

  const accept = async (bearer: Api, workspaceId: string) =>
    expect((await bearer.post(`${INVITATIONS}/${workspaceId}/accept`)).status).toBe(200);

  describe('adding members by email address', () => {
    it('stores all fields of a new member and returns them unchanged', async () => {
      const sent = { email: newEmail(), displayName: 'Ada Lovelace', externalId: `SAP-${randomUUID()}` };
      const answer = await api.post(USERS, { ...sent, email: ` ${sent.email.toUpperCase()} ` });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('etag')).toMatch(/^"1-/);
      const user = answer.body.data;
      expect(user).toEqual({
        ...sent,
        id: expect.any(String),
        status: 'active',
        memberships: [
          {
            workspaceId: me.workspaceId,
            displayName: sent.displayName,
            externalId: sent.externalId,
            status: 'active',
            role: 'editor',
            policyId: null,
            createdAt: user.createdAt,
            acceptedAt: null,
            archivedAt: null,
          },
        ],
        archivedAt: null,
        version: 1,
        createdAt: expect.stringMatching(/Z$/),
        createdBy: me.userId,
        updatedAt: user.createdAt,
        updatedBy: me.userId,
      });
      expect((await api.get(`${USERS}/${user.id}`)).body.data).toEqual(user);
      expect(await ids(`externalId=${sent.externalId}`)).toEqual([user.id]);
      expect(await lines(user.id)).toEqual([
        { kind: 'member_added', actorId: me.userId, workspaceId: me.workspaceId, reason: null },
      ]);
    });

    it('updates an existing member with the fields that are sent', async () => {
      const { id, email } = await add({ displayName: 'Old', externalId: randomUUID() });
      const again = await added({ email, displayName: 'New' });
      expect([again.status, again.body.data]).toMatchObject([200, { id, displayName: 'New', version: 2 }]);
      expect((await added({ email })).body.data.version).toBe(2);
      expect((await lines(id)).slice(1)).toEqual([
        { kind: 'member_changed', actorId: me.userId, workspaceId: me.workspaceId, reason: 'displayName' },
      ]);
    });

    it('adds a member once per workspace with concurrent requests to several instances', async () => {
      for (let round = 0; round < 3; round++) {
        const email = newEmail();
        const callers = [api, elsewhere, theirs];
        const answers = await Promise.all(Array.from({ length: 18 }, (_, at) => added({ email }, callers[at % 3])));
        expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(16).fill(200), 201, 201]);
        expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
        const stored = await database.query(
          'SELECT (SELECT count(*)::int FROM users WHERE email = $1) AS users, count(*)::int AS members FROM workspace_members WHERE user_id = $2',
          [email, answers[0]!.body.data.id],
        );
        expect(stored).toEqual([{ users: 1, members: 2 }]);
      }
    });

    it('neither reveals nor changes data of a user in other workspaces', async () => {
      const known = await createMember(outsider.workspaceId);
      await theirs.patch(`${USERS}/${known.id}`, { displayName: 'Their name', externalId: `theirs-${known.id}` });
      const before = (await theirs.get(`${USERS}/${known.id}`)).body.data;
      const [old, fresh] = [
        await added({ email: known.email, displayName: 'My name' }),
        await added({ displayName: 'My name' }),
      ];
      const shape = ({ status, headers, body: { message, data } }: typeof old) => {
        const { createdAt, updatedAt, memberships } = data;
        const own = { id: 0, email: 0, createdAt: 0, updatedAt: 0, memberships: 0 };
        const times = [createdAt === updatedAt, memberships[0].createdAt === createdAt];
        return [status, message, headers.get('etag')!.split('-')[0], { ...data, ...own }, times, memberships.length];
      };
      expect(shape(old)).toEqual(shape(fresh));
      expect((await theirs.get(`${USERS}/${known.id}`)).body.data).toEqual(before);
      for (const { body } of [old, fresh]) {
        // A UUID v7 would be as old as the user.
        expect(body.data.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/);
        const changes = { displayName: 'Another', externalId: `mine-${body.data.id}`, status: 'suspended' };
        expect((await api.patch(`${USERS}/${body.data.id}`, changes)).body.data).toMatchObject({
          ...changes,
          version: 2,
        });
        expect((await api.delete(`${USERS}/${body.data.id}`)).body.data.version).toBe(3);
      }
      expect((await theirs.get(`${USERS}/${known.id}`)).body.data).toEqual(before);
      expect((await known.bearer.get(TOURS)).status).toBe(200);
    });

    it.each([
      ['email', {}],
      ['email', { email: 'ada' }],
      ['email', { email: `${'a'.repeat(250)}@example.com` }],
      ['displayName', { email: 'a@example.com', displayName: 7 }],
      ['externalId', { email: 'a@example.com', externalId: 7 }],
      ['status', { email: 'a@example.com', status: 'active' }],
      ['workspaceId', { email: 'a@example.com', workspaceId: 'x' }],
    ])('returns 400 with the field %s if it is invalid', async (field, body) => {
      const { status, body: answer } = await api.post(USERS, body);
      expect([status, answer.details.errors[0].field]).toEqual([400, field]);
    });

    it('rejects an email address with an unpaired surrogate', async () => {
      for (const email of ['a\ud800b@example.com', 'ab@exa\udc00mple.com', 'x', 5, null]) {
        const { status, body } = await api.post(USERS, { email });
        expect({ email, status, errors: body.details.errors }).toEqual({
          email,
          status: 400,
          errors: [{ field: 'email', code: 'invalid_field', message: 'email must be an email address' }],
        });
      }
      const items = [{ email: newEmail() }, { email: 'a\ud800b@example.com' }, null];
      const all = await api.post(`${USERS}/bulk`, { items });
      expect([all.status, all.body.details.errors]).toMatchObject([
        422,
        [{ field: 'items[1].email' }, { field: 'items[2]', message: 'items[2] must be an object' }],
      ]);
      const { status, body } = await api.post(`${USERS}/bulk?onError=continue`, { items });
      expect([status, body.data.created, body.data.failed]).toEqual([207, 1, 2]);
    });

    it('rejects the external ID of another user in the workspace', async () => {
      const externalId = randomUUID();
      const first = await add({ externalId });
      const email = newEmail();
      const taken = await added({ email, externalId });
      expect([taken.status, taken.body.error]).toEqual([409, 'parent_immutable']);
      expect(taken.body.details.errors).toMatchObject([{ field: 'email', code: 'parent_immutable' }]);
      expect(await database.query('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
      const other = await add({}, api);
      const changed = await api.patch(`${USERS}/${other.id}`, { externalId });
      expect([changed.status, changed.body.error]).toEqual([409, 'external_id_taken']);
      expect((await added({ email: first.email, externalId }, theirs)).status).toBe(201);
    });
  });

  describe('adding members in bulk', () => {
    it('adds up to 1,000 members in order, and repeating the request changes nothing', async () => {
      const items = Array.from({ length: 1_000 }, (_, at) => ({
        email: newEmail(),
        displayName: `User ${at}`,
        externalId: `bulk-${at}`,
      }));
      const first = await api.post(`${USERS}/bulk`, { items });
      expect([first.status, first.body.data]).toMatchObject([201, { received: 1_000, created: 1_000, failed: 0 }]);
      expect(first.body.data.items[999]).toMatchObject({ index: 999, outcome: 'created', externalId: 'bulk-999' });
      const last = (await api.get(`${USERS}/${first.body.data.items[999].id}`)).body.data;
      expect(last).toMatchObject({ ...items[999], version: 1 });
      const again = await elsewhere.post(`${USERS}/bulk`, { items: items.slice(0, 10) });
      expect([again.status, again.body.data]).toMatchObject([200, { created: 0, updated: 0, unchanged: 10 }]);
    });

    it('adds no member if one item is invalid, unless onError is continue', async () => {
      const [good, twice] = [newEmail(), newEmail()];
      const [email, externalId] = [newEmail(), randomUUID()];
      await add({ externalId });
      const repeated = [{ email: twice }, { email: twice.toUpperCase() }];
      const items = [{ email: good }, { email: 'wrong' }, { email, externalId }, ...repeated];
      const rejected = await api.post(`${USERS}/bulk`, { items });
      expect(rejected.status).toBe(422);
      const stopped = await api.post(`${USERS}/bulk`, { items: [items[2], items[0]] });
      expect([stopped.status, stopped.body.details.errors]).toMatchObject([422, [{ field: 'items[0].email' }]]);
      expect(await database.query('SELECT 1 FROM users WHERE email = ANY ($1)', [[good, email]])).toEqual([]);
      const { status, body } = await api.post(`${USERS}/bulk?onError=continue`, { items });
      expect([status, body.data.created, body.data.failed]).toEqual([207, 1, 4]);
      expect(body.data.items).toMatchObject([
        { outcome: 'created', id: expect.any(String), externalId: null, errors: [] },
        { outcome: 'failed', errors: [{ field: 'email', code: 'invalid_field' }] },
        { outcome: 'failed', errors: [{ field: 'email', code: 'parent_immutable' }] },
        { outcome: 'failed', errors: [{ field: 'email', code: 'duplicate' }] },
        { outcome: 'failed', errors: [{ field: 'email', code: 'duplicate' }] },
      ]);
      expect(await database.query('SELECT 1 FROM users WHERE email = $1', [email])).toEqual([]);
    });

    it('adds members once with concurrent requests in different order', async () => {
      const items = Array.from({ length: 50 }, () => ({ email: newEmail() }));
      const answers = await Promise.all([
        api.post(`${USERS}/bulk`, { items }),
        elsewhere.post(`${USERS}/bulk`, { items: items.toReversed() }),
        theirs.post(`${USERS}/bulk`, { items: items.toSorted() }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201, 201]);
      const [users] = await database.query('SELECT count(*)::int FROM users WHERE email = ANY ($1)', [
        items.map(({ email }) => email),
      ]);
      expect(users).toEqual({ count: 50 });
    });
  });

  describe('changing members', () => {
    it('changes only the fields sent and returns the version', async () => {
      const { id, version } = await add({ displayName: 'Old' });
      const externalId = randomUUID();
      const changed = await api.patch(`${USERS}/${id}`, { externalId }, { 'If-Match': `"${version}"` });
      expect([changed.status, changed.body.data]).toMatchObject([200, { displayName: 'Old', externalId, version: 2 }]);
      expect(changed.headers.get('etag')).toMatch(/^"2-/);
      const outrun = await api.patch(`${USERS}/${id}`, { displayName: 'x' }, { 'If-Match': `"${version}"` });
      expect([outrun.status, outrun.body.error]).toEqual([412, 'version_mismatch']);
      expect((await api.patch(`${USERS}/${id}`, { externalId })).body.data.version).toBe(2);
      expect((await api.get(`${USERS}/${id}`, { 'If-None-Match': changed.headers.get('etag')! })).status).toBe(304);
      expect((await api.patch(`${USERS}/${id}`, { email: newEmail() })).body.details.errors).toMatchObject([
        { field: 'email', code: 'unknown_field' },
      ]);
    });

    it('accepts one of several concurrent changes with the same version', async () => {
      const { id } = await add();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          (at % 2 ? api : elsewhere).patch(`${USERS}/${id}`, { displayName: `Name ${at}` }, { 'If-Match': '"1"' }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
    });
  });

  describe('archiving memberships', () => {
    it('ends access with the next request, until the membership is restored', async () => {
      const { id, bearer, key } = await createMember();
      const project = (await key.post('/v1/api/projects', { name: 'Mine' })).body.data.id;
      const asked = async () => [
        (await bearer.get(`/v1/api/projects/${project}`)).status,
        (await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status,
        (await bearer.get(`/v2/api/workspaces/${me.workspaceId}/note-statuses`)).status,
        (await key.get(`/v1/api/projects/${project}`)).status,
      ];
      expect(await asked()).toEqual([200, 200, 200, 200]);
      const removed = await api.delete(`${USERS}/${id}`);
      expect([removed.status, removed.body.data.archivedAt]).toEqual([200, expect.any(String)]);
      expect(await asked()).toEqual([404, 404, 404, 401]);
      expect((await bearer.get(TOURS)).body.data.items).toEqual([]);
      expect((await api.delete(`${USERS}/${id}`)).body.data.version).toBe(removed.body.data.version);
      expect([
        await ids(`q=${removed.body.data.email}`),
        await ids(`q=${removed.body.data.email}&archived=true`),
      ]).toEqual([[], [id]]);
      for (const rejected of [
        await api.patch(`${USERS}/${id}`, { displayName: 'x' }),
        await api.patch(`${USERS}/${id}`, { status: 'suspended' }),
        await added({ email: removed.body.data.email }),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([409, 'archived']);
      const restored = await api.post(`${USERS}/${id}/restore`, {});
      expect([restored.status, restored.body.data.archivedAt]).toEqual([200, null]);
      expect(await asked()).toEqual([200, 200, 200, 200]);
      expect((await lines(id)).slice(2).map(({ kind }) => kind)).toEqual(['member_removed', 'member_restored']);
    });

    it('lets a member whose access policy was deleted return only after an owner has decided on the policy', async () => {
      const policies = `/v2/api/workspaces/${me.workspaceId}/access-policies`;
      const { id: policyId } = (await api.post(policies, { name: newEmail(), tables: [] })).body.data;
      const { id, email } = await add({ policyId });
      await api.delete(`${USERS}/${id}`);
      expect((await api.delete(`${policies}/${policyId}`)).status).toBe(200);
      const restore = () => api.post(`${USERS}/${id}/restore`, {});
      const rejected = await restore();
      expect([rejected.status, rejected.body.error]).toEqual([422, 'policy_not_assignable']);
      expect(rejected.body.message).toContain('Change policyId');
      await expect(admit(email, me.workspaceId)).rejects.toThrow(/Change policyId/);
      for (const change of [{ policyId: null, role: 'reader' }, { policyId: null, displayName: 'x' }, {}])
        expect((await api.patch(`${USERS}/${id}`, change)).body.error).toBe('archived');
      const unknown = await api.patch(`${USERS}/${id}`, { policyId: randomUUID() });
      expect(unknown.body.error).toBe('policy_not_assignable');
      const changed = await api.patch(`${USERS}/${id}`, { policyId: null });
      expect([changed.status, changed.body.data.archivedAt]).toEqual([200, expect.any(String)]);
      expect((await lines(id)).at(-1)).toMatchObject({ kind: 'member_changed', reason: 'policyId: none' });
      const restored = await restore();
      expect([restored.status, restored.body.data.memberships[0].policyId]).toEqual([200, null]);
    });

    it('ends access even if many requests are in progress', async () => {
      const { id, bearer, key } = await createMember();
      let removed = false;
      const late: number[] = [];
      /** Also as long as a busy machine takes for the removal. */
      const readRepeatedly = async (caller: Api) => {
        for (let reads = 0, afterwards = 0; reads < 15 || afterwards < 3; reads++) {
          const after = removed;
          const { status } = await caller.get(`/v1/api/workspaces/${me.workspaceId}`);
          if (!after) continue;
          afterwards++;
          late.push(status);
        }
      };
      const remove = async () => {
        await bearer.get(TOURS);
        const { status } = await elsewhere.delete(`${USERS}/${id}`);
        removed = true;
        expect(status).toBe(200);
      };
      await Promise.all([
        readRepeatedly(bearer),
        readRepeatedly(key),
        readRepeatedly(bearer),
        readRepeatedly(key),
        remove(),
      ]);
      expect(new Set(late)).not.toContain(200);
      expect([
        (await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status,
        (await key.get(TOURS)).status,
      ]).toEqual([404, 401]);
    });

    it('leaves a consistent state after concurrent removals and restorations', async () => {
      const { id } = await add();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => {
          const caller = at % 4 < 2 ? api : elsewhere;
          return at % 2 ? caller.delete(`${USERS}/${id}`) : caller.post(`${USERS}/${id}/restore`, {});
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      const kinds = (await lines(id)).slice(1).map(({ kind }) => kind);
      expect(kinds).toEqual(kinds.map((_, at) => (at % 2 ? 'member_restored' : 'member_removed')));
      expect((await api.get(`${USERS}/${id}`)).body.data.version).toBe(1 + kinds.length);
    });
  });

  describe('suspending members', () => {
    const asked = async ({ bearer, key }: Person, workspaceId: string) => [
      (await bearer.get(`/v1/api/workspaces/${workspaceId}`)).status,
      (await bearer.get(`/v2/api/workspaces/${workspaceId}/note-statuses`)).status,
      (await key.get(TOURS)).status,
    ];

    it('ends the access of sessions and API keys to the workspace, until the member is activated', async () => {
      const member = await createMember();
      const { id, email, bearer } = member;
      expect(await asked(member, me.workspaceId)).toEqual([200, 200, 200]);
      const suspended = await api.patch(`${USERS}/${id}`, { status: 'suspended' });
      expect([suspended.status, suspended.body.data]).toMatchObject([
        200,
        { status: 'suspended', memberships: [{ status: 'suspended' }], version: 3, updatedBy: me.userId },
      ]);
      expect(await asked(member, me.workspaceId)).toEqual([404, 404, 401]);
      expect((await bearer.get(TOURS)).body.data.items).toEqual([]);
      await expect(createKey(id, me.workspaceId)).rejects.toThrow(/was not found/);
      expect(await ids(`status=suspended&q=${email}`)).toEqual([id]);
      expect(await ids(`status=active&q=${email}`)).toEqual([]);
      expect((await api.patch(`${USERS}/${id}`, { status: 'suspended' })).body.data.version).toBe(3);
      expect((await api.patch(`${USERS}/${id}`, { status: 'active' })).body.data.status).toBe('active');
      expect(await asked(member, me.workspaceId)).toEqual([200, 200, 200]);
      expect((await lines(id)).slice(2)).toEqual(
        ['suspended', 'active'].map((status) => ({
          kind: 'member_changed',
          actorId: me.userId,
          workspaceId: me.workspaceId,
          reason: `status: ${status}`,
        })),
      );
    });

    it('affects only the workspace of the caller, and is not visible to others', async () => {
      const mine = await createMember();
      const { id, email, bearer } = mine;
      await added({ email }, theirs);
      await accept(bearer, outsider.workspaceId);
      const elsewhereToo = { ...mine, key: await createKey(id, outsider.workspaceId) };
      const read = async () => [
        (await theirs.get(`${USERS}/${id}`)).body.data,
        (await theirs.get(`${USERS}?q=${email}`)).body.data,
        (await theirs.get(`/v2/api/workspaces/${outsider.workspaceId}/events?types=member.*`)).body.data.events,
      ];
      const before = await read();
      expect((await api.patch(`${USERS}/${id}`, { status: 'suspended' })).status).toBe(200);
      expect(await asked(mine, me.workspaceId)).toEqual([404, 404, 401]);
      expect(await asked(elsewhereToo, outsider.workspaceId)).toEqual([200, 200, 200]);
      // A new session is as limited as the former one.
      expect(await asked({ ...mine, bearer: await signIn(id) }, me.workspaceId)).toEqual([404, 404, 401]);
      await api.delete(`${USERS}/${id}`);
      await api.post(`${USERS}/${id}/restore`);
      expect((await theirs.patch(`${USERS}/${id}`, { status: 'active' })).status).toBe(200);
      expect(await read()).toEqual(before);
      expect((await api.get(`${USERS}/${id}`)).body.data.status).toBe('suspended');
    });

    it('of an invitation does not reach beyond the workspace either, and survives the acceptance', async () => {
      const member = await createMember();
      const { id, email, bearer } = member;
      await added({ email }, theirs);
      expect((await theirs.patch(`${USERS}/${id}`, { status: 'suspended' })).body.data.status).toBe('suspended');
      expect(await asked(member, me.workspaceId)).toEqual([200, 200, 200]);
      await accept(bearer, outsider.workspaceId);
      expect((await bearer.get(`/v1/api/workspaces/${outsider.workspaceId}`)).status).toBe(404);
    });

    it('is reported for a caller in several workspaces if all of them have suspended the user', async () => {
      const own = await createMemberOfBoth();
      const { id, email } = await createMember();
      await added({ email }, theirs);
      const there = `${USERS}/${id}?workspaceId=${outsider.workspaceId}`;
      expect((await own.api.patch(there, { status: 'suspended' })).body.data.status).toBe('suspended');
      const both = (await own.api.get(`${USERS}/${id}`)).body.data;
      expect([both.status, both.memberships]).toMatchObject([
        'active',
        [{ status: 'active' }, { status: 'suspended' }],
      ]);
      expect((await own.api.patch(`${USERS}/${id}`, { status: 'suspended' })).body.data.status).toBe('suspended');
      expect((await api.get(`${USERS}/${id}`)).body.data.status).toBe('suspended');
    });
  });

  it('rejects requests of users to remove or suspend themselves', async () => {
    for (const rejected of [
      await api.delete(`${USERS}/${me.userId}`),
      await api.patch(`${USERS}/${me.userId}`, { status: 'suspended' }),
    ])
      expect([rejected.status, rejected.body.error]).toEqual([409, 'own_access']);
    expect((await api.get(`${USERS}/${me.userId}`)).body.data).toMatchObject({ status: 'active', archivedAt: null });
  });

  it('returns the same 404 for users of other workspaces as for unknown IDs', async () => {
    const { id } = await add();
    const asked = (target: string) =>
      Promise.all([
        theirs.get(`${USERS}/${target}`),
        theirs.patch(`${USERS}/${target}`, { displayName: 'Mine' }),
        theirs.patch(`${USERS}/${target}`, { status: 'suspended' }),
        theirs.delete(`${USERS}/${target}`),
        theirs.post(`${USERS}/${target}/restore`, {}),
        theirs.get(`${USERS}?workspaceId=${me.workspaceId}`),
        theirs.post(USERS, { email: newEmail(), workspaceId: me.workspaceId }),
        api.get(`${USERS}/${target}?workspaceId=${outsider.workspaceId}`),
      ]);
    const bare = (answers: Awaited<ReturnType<typeof asked>>) =>
      answers.map(({ status, body }) => [status, body.error, body.message]);
    const [foreign, absent] = [bare(await asked(id)), bare(await asked(randomUUID()))];
    expect(foreign).toEqual(absent);
    expect(new Set(foreign.map(([status]) => status))).toEqual(new Set([404]));
    expect(
      (await theirs.get(`${USERS}?limit=500`)).body.data.items.map((user: { id: string }) => user.id),
    ).not.toContain(id);
  });

  describe('inviting members of other workspaces', () => {
    const invitations = async (bearer: Api) => (await bearer.get(INVITATIONS)).body.data.items;

    it('grants no access until the user accepts with an access token', async () => {
      const { id, email, bearer, key } = await createMember();
      const joined = await added({ email, displayName: 'Theirs' }, theirs);
      expect([joined.status, joined.body.data]).toMatchObject([
        201,
        { version: 1, memberships: [{ acceptedAt: null }] },
      ]);
      await api.post('/v1/api/projects', { name: 'Mine' });
      await theirs.post('/v1/api/projects', { name: 'Theirs' });
      const listWorkspaceIds = async () => {
        const { items } = (await bearer.get('/v1/api/workspaces')).body.data;
        return items.map((workspace: { id: string }) => workspace.id).sort();
      };
      expect(await listWorkspaceIds()).toEqual([me.workspaceId]);
      // A client that does not name a workspace works as before.
      expect((await bearer.post('/v1/api/projects', { name: 'x' })).status).toBe(201);
      const create = ['api-key', 'create', '--user', id, '--workspace', outsider.workspaceId];
      await expect(services[0]!.operator(...create)).rejects.toThrow(/was not found/);
      expect(await invitations(bearer)).toEqual([
        { workspaceId: outsider.workspaceId, workspaceName: expect.any(String), createdAt: expect.any(String) },
      ]);
      for (const rejected of [
        await key.get(INVITATIONS),
        await key.post(`${INVITATIONS}/${outsider.workspaceId}/accept`),
        await key.delete(`${INVITATIONS}/${outsider.workspaceId}`),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([401, 'unauthenticated']);
      await accept(bearer, outsider.workspaceId);
      expect((await bearer.post(`${INVITATIONS}/${outsider.workspaceId}/accept`)).status).toBe(404);
      expect(await invitations(bearer)).toEqual([]);
      expect(await listWorkspaceIds()).toEqual([me.workspaceId, outsider.workspaceId].sort());
      expect((await theirs.get(`${USERS}/${id}`)).body.data).toMatchObject({
        version: 2,
        updatedBy: id,
        memberships: [{ acceptedAt: expect.any(String) }],
      });
      expect(await services[0]!.operator(...create)).toMatchObject({ apiKey: expect.any(String) });
      expect((await lines(id)).map(({ kind, actorId }) => [kind, actorId])).toEqual([
        ['member_added', me.userId],
        ['invitation_accepted', id],
        ['member_added', outsider.userId],
        ['invitation_accepted', id],
      ]);
    });

    it('lets users decline with any scope, and be invited again', async () => {
      const { id, email } = await createMember();
      await added({ email }, theirs);
      const reader = await signIn(id, ['read:tours']);
      const path = `${INVITATIONS}/${outsider.workspaceId}`;
      expect((await reader.delete(path)).status).toBe(200);
      expect([(await reader.delete(path)).status, (await reader.post(`${path}/accept`)).status]).toEqual([404, 404]);
      expect((await theirs.get(`${USERS}/${id}`)).body.data.archivedAt).toEqual(expect.any(String));
      expect((await theirs.post(`${USERS}/${id}/restore`)).status).toBe(200);
      expect(await invitations(reader)).toMatchObject([{ workspaceId: outsider.workspaceId }]);
      expect((await reader.delete(`${INVITATIONS}/${randomUUID()}`)).status).toBe(404);
    });

    it('lets members leave all but their last workspace, and requires a new acceptance to return', async () => {
      const { id, email, bearer } = await createMember();
      await added({ email }, theirs);
      const leave = (query: string) => bearer.delete(`${USERS}/${id}${query}`);
      // The other membership is only an invitation.
      expect((await leave(`?workspaceId=${me.workspaceId}`)).body.error).toBe('own_access');
      await accept(bearer, outsider.workspaceId);
      expect((await leave('')).body.error).toBe('own_access');
      const left = await leave(`?workspaceId=${outsider.workspaceId}`);
      expect([left.status, left.body.data.archivedAt]).toEqual([200, expect.any(String)]);
      expect((await leave(`?workspaceId=${me.workspaceId}`)).body.error).toBe('own_access');
      expect((await theirs.post(`${USERS}/${id}/restore`)).status).toBe(200);
      expect((await bearer.get('/v1/api/workspaces')).body.data.items).toMatchObject([{ id: me.workspaceId }]);
      expect(await invitations(bearer)).toHaveLength(1);
    });

    it('invites users whom no workspace knows, and those who share another workspace with the caller', async () => {
      const email = newEmail();
      const answers = await Promise.all([added({ email }), added({ email }, theirs)]);
      const stored = await database.query(
        'SELECT count(*)::int AS all, count(accepted_at)::int AS accepted FROM workspace_members WHERE user_id = $1',
        [answers[0].body.data.id],
      );
      expect(stored).toEqual([{ all: 2, accepted: 0 }]);
      const own = await createMemberOfBoth();
      const member = await createMember();
      await added({ email: member.email, workspaceId: outsider.workspaceId }, own.api);
      expect(await invitations(member.bearer)).toMatchObject([{ workspaceId: outsider.workspaceId }]);
    });

    it('lets a user without any membership sign in, but only to answer invitations', async () => {
      const { id } = await add();
      const bearer = await signIn(id);
      expect((await bearer.get('/v1/api/workspaces')).body.data.items).toEqual([]);
      expect((await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status).toBe(404);
      expect((await bearer.post('/v1/api/projects', { name: 'x' })).status).toBeGreaterThanOrEqual(400);
      await accept(bearer, me.workspaceId);
      expect((await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status).toBe(200);
    });
  });

  describe('the operator', () => {
    it('makes users members without consent, whatever workspaces have done with their email address before', async () => {
      const email = newEmail();
      const { id } = await add({ email, displayName: 'Claimed' }, theirs);
      await theirs.patch(`${USERS}/${id}`, { status: 'suspended' });
      const before = (await theirs.get(`${USERS}/${id}`)).body.data;
      expect((await admit(email, me.workspaceId)).id).toBe(id);
      const bearer = await signIn(id);
      expect((await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status).toBe(200);
      expect((await theirs.get(`${USERS}/${id}`)).body.data).toEqual(before);
      expect((await bearer.get(INVITATIONS)).body.data.items).toMatchObject([{ workspaceId: outsider.workspaceId }]);
      const invited = await createMember();
      await added({ email: invited.email, displayName: 'Theirs' }, theirs);
      await theirs.delete(`${USERS}/${invited.id}`);
      await admit(invited.email, outsider.workspaceId);
      const [membership] = (await theirs.get(`${USERS}/${invited.id}`)).body.data.memberships;
      expect(membership).toMatchObject({ displayName: 'Theirs', acceptedAt: expect.any(String), archivedAt: null });
      expect((await invited.bearer.get(`/v1/api/workspaces/${outsider.workspaceId}`)).status).toBe(200);
      expect((await lines(invited.id)).at(-1)).toMatchObject({
        kind: 'member_admitted',
        actorId: null,
        workspaceId: outsider.workspaceId,
      });
    });

    it('changes nothing by adding a member again', async () => {
      const { id, email } = await createMember();
      const before = (await api.get(`${USERS}/${id}`)).body.data;
      await admit(email, me.workspaceId);
      expect((await api.get(`${USERS}/${id}`)).body.data).toEqual(before);
    });

    it('suspends users for all workspaces, whatever the status of their memberships', async () => {
      const own = await createMemberOfBoth();
      const key = await createKey(own.id, outsider.workspaceId);
      await services[0]!.operator('user', 'suspend', own.id);
      expect((await api.patch(`${USERS}/${own.id}`, { status: 'active' })).status).toBe(200);
      expect([(await own.api.get(TOURS)).status, (await key.get(TOURS)).status]).toEqual([401, 401]);
      await api.patch(`${USERS}/${own.id}`, { status: 'suspended' });
      await services[0]!.operator('user', 'activate', own.id);
      const bearer = await signIn(own.id);
      expect((await bearer.get(`/v1/api/workspaces/${me.workspaceId}`)).status).toBe(404);
      expect((await bearer.get(`/v1/api/workspaces/${outsider.workspaceId}`)).status).toBe(200);
      expect((await key.get(TOURS)).status).toBe(200);
    });

    it('deletes users with their memberships, credentials and sessions', async () => {
      const { id, email, bearer, key } = await createMember();
      await added({ email }, theirs);
      const project = (await bearer.post('/v1/api/projects', { name: 'Mine' })).body.data;
      await services[0]!.operator('user', 'delete', email, '--yes');
      expect([(await bearer.get(TOURS)).status, (await key.get(TOURS)).status]).toEqual([401, 401]);
      for (const caller of [api, theirs]) expect((await caller.get(`${USERS}/${id}`)).status).toBe(404);
      expect((await api.get(`/v1/api/projects/${project.id}`)).body.data.createdBy).toBe(id);
      const rows = await database.query(
        `SELECT (SELECT count(*) FROM users WHERE id = $1) + (SELECT count(*) FROM sessions WHERE user_id = $1)
              + (SELECT count(*) FROM oauth_clients WHERE user_id = $1) + (SELECT count(*) FROM api_keys WHERE user_id = $1) AS count`,
        [id],
      );
      expect(Number(rows[0]!['count'])).toBe(0);
      const { status, body } = await added({ email });
      expect([status, body.data.id === id]).toEqual([201, false]);
      await expect(services[0]!.operator('user', 'delete', id, '--yes')).rejects.toThrow(/was not found/);
      expect((await lines(id)).slice(-3).map(({ kind, workspaceId }) => [kind, workspaceId])).toEqual([
        ['member_removed', expect.any(String)],
        ['member_removed', expect.any(String)],
        ['user_deleted', null],
      ]);
    });
  });

  it('invites a user again while the operator deletes the user', async () => {
    for (let round = 0; round < 3; round++) {
      const email = newEmail();
      const { id } = await add({ email });
      const statuses = new Set<number>();
      let isDeleted = false;
      const inviteRepeatedly = async (caller: Api) => {
        while (!isDeleted) statuses.add((await added({ email }, caller)).status);
      };
      const remove = async () => {
        await services[0]!.operator('user', 'delete', id, '--yes');
        isDeleted = true;
      };
      await Promise.all([remove(), ...[api, elsewhere, theirs, theirs].map(inviteRepeatedly)]);
      expect([...statuses].sort()).toEqual([200, 201]);
      const invited = await add({ email });
      expect(invited.id).not.toBe(id);
      expect((await theirs.get(`${USERS}?q=${email}`)).body.data.items).toMatchObject([{ id: invited.id }]);
    }
  });

  describe('members of two workspaces', () => {
    it('returns one record to a caller in both workspaces, and can be addressed per workspace', async () => {
      const own = await createMemberOfBoth();
      const { id, email } = await add({ displayName: 'In mine', externalId: randomUUID() });
      expect((await added({ email }, own.api)).body.details.errors[0].field).toBe('workspaceId');
      await added({ email, displayName: 'In theirs', workspaceId: outsider.workspaceId }, own.api);
      const all = (await own.api.get(`${USERS}/${id}`)).body.data;
      expect(all).toMatchObject({ displayName: 'In mine', version: 2 });
      expect(all.memberships.map((each: { displayName: string }) => each.displayName)).toEqual([
        'In mine',
        'In theirs',
      ]);
      expect(await ids(`q=${email}`, own.api)).toEqual([id]);
      const there = `${USERS}/${id}?workspaceId=${outsider.workspaceId}`;
      expect((await own.api.get(there)).body.data).toMatchObject({ displayName: 'In theirs', memberships: [{}] });
      expect((await own.api.delete(there)).body.data.archivedAt).toEqual(expect.any(String));
      expect((await own.api.get(`${USERS}/${id}`)).body.data).toMatchObject({ archivedAt: null, version: 3 });
      expect((await theirs.get(`${USERS}/${id}`)).body.data.archivedAt).toEqual(expect.any(String));
      expect((await api.get(`${USERS}/${id}`)).body.data).toMatchObject({ archivedAt: null, version: 1 });
    });
  });

  describe('listing users', () => {
    it('lists each user once in the requested order, page by page', async () => {
      const mark = randomBytes(6).toString('hex');
      const created: string[] = [];
      for (const letter of ['c', 'a', 'e', 'b', 'd'])
        created.push((await add({ email: `${letter}.${mark}@example.com`, displayName: `${letter} ${mark}` })).id);
      await api.patch(`${USERS}/${created[0]}`, { displayName: `last ${mark}` });
      const walk = async (sort: string) => {
        const found: string[] = [];
        for (let cursor = ''; ;) {
          const { data } = (await api.get(`${USERS}?q=${mark}&limit=2&sort=${sort}${cursor}`)).body;
          found.push(...data.items.map((item: { id: string }) => item.id));
          if (!data.hasMore) return found;
          cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`;
        }
      };
      expect(await walk('createdAt')).toEqual(created);
      expect(await walk('-createdAt')).toEqual(created.toReversed());
      expect((await walk('-updatedAt'))[0]).toBe(created[0]);
      expect(await walk('email')).toEqual([1, 3, 0, 4, 2].map((at) => created[at]));
      const some = await api.get(`${USERS}?q=${mark}&limit=1&fields=id,email`);
      expect(some.body.data.items).toEqual([{ id: created[0], email: `c.${mark}@example.com` }]);
    });

    it('returns 400 for an unknown field, sort order, status or cursor', async () => {
      for (const query of ['fields=secret', 'sort=status', 'status=unknown', 'cursor=x'])
        expect([query, (await api.get(`${USERS}?${query}`)).status]).toEqual([query, 400]);
      const { nextCursor } = (await api.get(`${USERS}?limit=1`)).body.data;
      const [bound, at, id] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
      for (const values of [
        [null, id],
        ['2026', id],
        [at, 'x'],
        [7, id],
      ]) {
        const cursor = Buffer.from(JSON.stringify([bound, ...values])).toString('base64url');
        expect((await api.get(`${USERS}?limit=1&cursor=${cursor}`)).body.error).toBe('invalid_cursor');
      }
    });
  });
});
