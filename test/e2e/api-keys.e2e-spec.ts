import { randomBytes, randomUUID } from 'node:crypto';
import { type ApiResponse, Api } from '../support/api.js';
import { type Credentials, unknownCredential } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { until } from '../support/until.js';

const PROJECTS = '/v1/api/projects';
const UUID = /^[0-9a-f-]{36}$/;

interface Key {
  id: string;
  name: string;
  apiKey: string;
  expiresAt: string | null;
}

describe('API keys of a workspace', () => {
  let database: Database;
  let services: SharedService[];
  let me: Credentials;
  let owner: Api;
  let path: string;

  beforeAll(async () => {
    ({ database, services } = await shareServices(2));
    me = await services[0]!.provision();
    owner = await new Api(services[0]!.baseUrl).signIn(me);
    path = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
  });

  const withKey = (apiKey: string, instance = 0) => new Api(services[instance]!.baseUrl).withKey(apiKey);
  const create = async (body: object = {}, caller = owner): Promise<Key> => {
    const created = await caller.post(path, { name: 'Reports', ...body });
    expect(created.status).toBe(201);
    return created.body.data as Key;
  };
  const statuses = async (apiKey: string) =>
    Promise.all([0, 1].map(async (instance) => (await withKey(apiKey, instance).get(PROJECTS)).status));
  const expectField = ({ status, body }: ApiResponse, field: string) =>
    expect([status, body.details?.errors[0]?.field]).toEqual([400, field]);
  const expectScope = ({ status, body }: ApiResponse, scope: string) =>
    expect([status, body.error, body.message]).toEqual([
      403,
      'insufficient_scope',
      `This needs the scope ${scope}. Sign in with it.`,
    ]);

  /** A member of the workspace with a client. */
  async function admit(role: string): Promise<{ id: string; api: Api; signIn: (scope: string[]) => Promise<Api> }> {
    const operator = await services[0]!.operatorClient();
    const { id } = await operator.newUser(randomBytes(6).toString('hex'), me.workspaceId, role);
    const client = await operator.newClient(id);
    const signIn = (scope?: string[]) => new Api(services[0]!.baseUrl).signIn(client, scope);
    return { id, api: await signIn(), signIn };
  }

  it('are shown once, listed with name, scopes, prefix, creator and last use, and stored as a hash', async () => {
    const created = await owner.post(path, { name: 'BI export', scopes: ['read:projects', 'read:tours'] });
    const { apiKey, ...key } = created.body.data;
    expect(created.status).toBe(201);
    expect(key).toEqual({
      id: expect.stringMatching(UUID),
      name: 'BI export',
      policyId: null,
      scopes: ['read:projects', 'read:tours'],
      prefix: apiKey.slice(0, 8),
      last4: apiKey.slice(-4),
      status: 'active',
      userId: me.userId,
      createdBy: me.userId,
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: null,
      revokedAt: null,
      formerSecrets: [],
    });
    expect(await statuses(apiKey)).toEqual([200, 200]);
    const { body } = await owner.get(`${path}?limit=2`);
    expect(body.data.items).toEqual([
      { ...key, lastUsedAt: expect.any(String) },
      // Issued by the operator.
      expect.objectContaining({ name: 'API key', scopes: ['api'], createdBy: null, last4: me.apiKey.slice(-4) }),
    ]);
    expect((await owner.get(`${path}/${key.id}`)).body.data).toEqual(body.data.items[0]);
    const stored = await database.query('SELECT * FROM api_keys WHERE id = $1', [key.id]);
    expect(JSON.stringify([stored, body])).not.toContain(apiKey);
  });

  it('are listed page by page, the newest first', async () => {
    const other = await services[0]!.provision();
    const caller = withKey(other.apiKey);
    const keys = `/v2/api/workspaces/${other.workspaceId}/api-keys`;
    for (const name of ['A', 'B', 'C']) expect((await caller.post(keys, { name })).status).toBe(201);
    const names: string[] = [];
    for (let cursor = ''; ;) {
      const { data } = (await caller.get(`${keys}?limit=2${cursor}`)).body;
      names.push(...data.items.map(({ name }: Key) => name));
      if (!data.hasMore) break;
      cursor = `&cursor=${data.nextCursor}`;
    }
    expect(names).toEqual(['C', 'B', 'A', 'API key']);
  });

  it('permit what their scopes permit', async () => {
    const { apiKey } = await create({ scopes: ['read:projects'] });
    const caller = withKey(apiKey);
    expect((await caller.get(PROJECTS)).status).toBe(200);
    expectScope(await caller.post(PROJECTS, { name: 'No' }), 'write:projects');
    expectScope(await caller.get('/v1/api/tours'), 'read:tours');
    expectScope(await caller.get(path), 'write:workspaces');
    expect((await caller.get(`${PROJECTS}?workspaceId=${randomUUID()}`)).status).toBe(404);
  });

  it('never permit more than their creator may do', async () => {
    const { signIn } = await admit('owner');
    const narrow = await signIn(['write:workspaces', 'read:tours']);
    expectScope(await narrow.post(path, { name: 'No', scopes: ['api'] }), 'api');
    expectScope(await narrow.post(path, { name: 'No', scopes: ['read:workspaces', 'write:tours'] }), 'write:tours');
    // By default, the scopes of the caller.
    const { apiKey } = await create({}, narrow);
    expectScope(await withKey(apiKey).get(PROJECTS), 'read:projects');
    // Neither does a key whose secret is replaced.
    const { id } = await create({ scopes: ['api'] }, await signIn(['api']));
    expectScope(await narrow.post(`${path}/${id}/rotate`, {}), 'api');
    expectScope(await withKey(apiKey).post(`${path}/${id}/rotate`, {}), 'api');
  });

  it('follow the role of their creator', async () => {
    const { id, api } = await admit('owner');
    const { apiKey } = await create({ scopes: ['api'] }, api);
    const member = `/v1/api/users/${id}`;
    const write = async () => (await withKey(apiKey, 1).post(PROJECTS, { name: 'Project' })).status;
    expect(await write()).toBe(201);
    expect((await owner.patch(member, { role: 'reader' })).status).toBe(200);
    expect(await write()).toBe(403);
    expect(await statuses(apiKey)).toEqual([200, 200]);
    const rejected = await withKey(apiKey).post(path, { name: 'No' });
    expect([rejected.status, rejected.body.error]).toEqual([403, 'insufficient_role']);
    expect((await owner.delete(member)).status).toBe(200);
    expect(await statuses(apiKey)).toEqual([401, 401]);
  });

  it('that create keys do not let them outlive themselves', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const parent = withKey((await create({ scopes: ['write:workspaces'], expiresAt })).apiKey);
    const later = new Date(Date.now() + 3_700_000).toISOString();
    expectField(await parent.post(path, { name: 'No' }), 'expiresAt');
    expectField(await parent.post(path, { name: 'No', expiresAt: later }), 'expiresAt');
    const { id, ...child } = await create({ expiresAt }, parent);
    expect(child.expiresAt).toBe(expiresAt);
    expectField(await parent.post(`${path}/${id}/rotate`, { expiresAt: later }), 'expiresAt');
    expectField(await parent.post(`${path}/${id}/rotate`, { expiresAt: null }), 'expiresAt');
    expect((await parent.post(`${path}/${id}/rotate`, {})).status).toBe(200);
  });

  it('are managed by owners only, within their workspace', async () => {
    const { id } = await create();
    for (const role of ['editor', 'reader']) {
      const { api } = await admit(role);
      for (const rejected of [
        await api.get(path),
        await api.post(path, { name: 'No' }),
        await api.post(`${path}/${id}/rotate`, {}),
        await api.delete(`${path}/${id}`),
      ])
        expect([rejected.status, rejected.body.error]).toEqual([403, 'insufficient_role']);
    }
    const other = await services[0]!.provision();
    const outsider = withKey(other.apiKey);
    const theirs = `/v2/api/workspaces/${other.workspaceId}/api-keys`;
    for (const rejected of [
      await outsider.get(`${path}/${id}`),
      await outsider.get(`${theirs}/${id}`),
      await outsider.post(`${theirs}/${id}/rotate`, {}),
      await outsider.delete(`${theirs}/${id}`),
      await owner.get(`${path}/${randomUUID()}`),
      await owner.post(`${path}/${randomUUID()}/rotate`, {}),
      await owner.delete(`${path}/${randomUUID()}`),
    ])
      expect(rejected.status).toBe(404);
    expect((await owner.get(`${path}/${id}`)).body.data.status).toBe('active');
  });

  it('reject invalid fields, and name them', async () => {
    expectField(await owner.post(path, {}), 'name');
    expectField(await owner.post(path, { name: 'No', scopes: [] }), 'scopes');
    expectField(await owner.post(path, { name: 'No', scopes: ['read:everything'] }), 'scopes');
    expectField(await owner.post(path, { name: 'No', expiresAt: new Date().toISOString() }), 'expiresAt');
    expectField(await owner.post(path, { name: 'No', expiresAt: '2027-02-30T00:00:00Z' }), 'expiresAt');
    const { id } = await create();
    expectField(await owner.post(`${path}/${id}/rotate`, { overlapS: -1 }), 'overlapS');
    expectField(await owner.post(`${path}/${id}/rotate`, { overlapS: 2_592_001 }), 'overlapS');
  });

  it('are rejected from their expiry on, on every instance, although each has accepted them', async () => {
    const [{ now }] = (await database.query('SELECT now()')) as [{ now: Date }];
    // Later than a busy machine sends the first requests.
    const expiresAt = new Date(now.getTime() + 6_000);
    const { apiKey, id } = await create({ expiresAt: expiresAt.toISOString() });
    const seen: { time: number; status: number }[] = [];
    await Promise.all(
      [0, 1].map((instance) =>
        until(async () => {
          const sent = Date.now();
          const { status } = await withKey(apiKey, instance).get(PROJECTS);
          const isAfter = sent > expiresAt.getTime();
          // A request that began before the expiry and ended after it may have either result.
          if (isAfter || Date.now() < expiresAt.getTime()) seen.push({ time: sent - expiresAt.getTime(), status });
          return isAfter;
        }),
      ),
    );
    expect(seen.filter(({ time, status }) => status !== (time < 0 ? 200 : 401))).toEqual([]);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 401]));
    expect((await owner.get(`${path}/${id}`)).body.data.status).toBe('expired');
    const rotated = await owner.post(`${path}/${id}/rotate`, { expiresAt: null });
    expect([rotated.status, rotated.body.error]).toEqual([409, 'api_key_ended']);
  });

  it('are rejected on every instance with the first request after their revocation', async () => {
    for (let round = 0; round < 5; round++) {
      const { apiKey, id } = await create();
      expect(await statuses(apiKey)).toEqual([200, 200]);
      const revoked = await owner.delete(`${path}/${id}`);
      expect([revoked.status, revoked.body.data.status]).toEqual([200, 'revoked']);
      expect(await statuses(apiKey)).toEqual([401, 401]);
      const again = await owner.delete(`${path}/${id}`);
      expect(again.body.data.revokedAt).toBe(revoked.body.data.revokedAt);
      expect((await owner.post(`${path}/${id}/rotate`, {})).body.error).toBe('api_key_ended');
    }
  });

  describe('after a rotation', () => {
    const rotate = async (id: string, body: object = {}) => {
      const rotated = await owner.post(`${path}/${id}/rotate`, body);
      expect(rotated.status).toBe(200);
      return rotated.body.data as Key & { formerSecrets: object[]; lastUsedAt: string | null };
    };

    it('have the same ID, name and scopes, and another secret, which replaces the former one at once', async () => {
      const { apiKey, ...key } = await create({ scopes: ['read:projects'] });
      expect(await statuses(apiKey)).toEqual([200, 200]);
      const { apiKey: next, ...rotated } = await rotate(key.id);
      expect(rotated).toEqual({ ...key, prefix: next.slice(0, 8), last4: next.slice(-4) });
      expect(await statuses(apiKey)).toEqual([401, 401]);
      expect(await statuses(next)).toEqual([200, 200]);
      expectScope(await withKey(next).get('/v1/api/tours'), 'read:tours');
    });

    it('have the former secrets, too, until the overlap ends, and show whether they are used', async () => {
      const first = await create();
      const second = await rotate(first.id, { overlapS: 3_600 });
      const third = await rotate(first.id, { overlapS: 1_800 });
      const former = third.formerSecrets as { last4: string; lastUsedAt: string | null }[];
      expect(former.map(({ last4 }) => last4)).toEqual([first.apiKey.slice(-4), second.apiKey.slice(-4)]);
      expect(await statuses(first.apiKey)).toEqual([200, 200]);
      // The use is recorded after the response.
      const shown = await until(
        async () => (await owner.get(`${path}/${first.id}`)).body.data,
        ({ formerSecrets: [secret] }) => secret.lastUsedAt !== null,
      );
      expect(shown).toMatchObject({ lastUsedAt: null, formerSecrets: [{ lastUsedAt: expect.any(String) }, {}] });
      expect(await statuses(second.apiKey)).toEqual([200, 200]);
      // The last overlap is the end of all former secrets.
      const fourth = await rotate(first.id, { overlapS: 2 });
      for (const { apiKey } of [first, second, third])
        await until(async () => (await statuses(apiKey)).every((status) => status === 401), Boolean);
      expect(await statuses(fourth.apiKey)).toEqual([200, 200]);
      const events = await database.query<{ id: string }>(
        `SELECT DISTINCT api_key_id AS id FROM auth_events WHERE kind = 'api_key_used' AND workspace_id = $1
            AND at > now() - interval '10 minutes' AND api_key_id = $2`,
        [me.workspaceId, first.id],
      );
      expect(events).toEqual([{ id: first.id }]);
      expect((await owner.get(path)).body.data.items.filter(({ id }: Key) => id === first.id)).toHaveLength(1);
      expect((await owner.delete(`${path}/${first.id}`)).status).toBe(200);
      for (const { apiKey } of [first, second, third, fourth]) expect(await statuses(apiKey)).toEqual([401, 401]);
    });

    it('have a former secret for no longer than the key was valid, and the new expiry', async () => {
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const { id } = await create({ expiresAt });
      const later = new Date(Date.now() + 3_600_000).toISOString();
      expect(await rotate(id, { overlapS: 3_600, expiresAt: later })).toMatchObject({
        expiresAt: later,
        formerSecrets: [{ expiresAt }],
      });
      expect(await rotate(id, { expiresAt: null })).toMatchObject({ expiresAt: null });
    });

    it('have no former secret that outlives the new expiry', async () => {
      const { id } = await create();
      await rotate(id, { overlapS: 3_600 });
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      expect(await rotate(id, { overlapS: 3_600, expiresAt })).toMatchObject({
        expiresAt,
        formerSecrets: [{ expiresAt }, { expiresAt }],
      });
    });

    it('let no former secret create or rotate keys that outlive this secret', async () => {
      const { id, apiKey } = await create({ scopes: ['write:workspaces'] });
      const { formerSecrets } = await rotate(id, { overlapS: 60 });
      const former = withKey(apiKey);
      expectField(await former.post(path, { name: 'No' }), 'expiresAt');
      for (const body of [{}, { expiresAt: null }])
        expectField(await former.post(`${path}/${id}/rotate`, body), 'expiresAt');
      const { expiresAt } = formerSecrets[0] as { expiresAt: string };
      expect(await create({ expiresAt }, former)).toMatchObject({ expiresAt });
    });

    it('have no former secret if the rotation has no overlap', async () => {
      const secrets: Key[] = [await create()];
      const [{ id }] = secrets as [Key];
      for (const overlapS of [3_600, 3_600, 0]) secrets.push(await rotate(id, { overlapS }));
      expect((await owner.get(`${path}/${id}`)).body.data.formerSecrets).toEqual([]);
      const valid = await Promise.all(secrets.map(({ apiKey }) => statuses(apiKey)));
      expect(valid).toEqual([...Array<number[]>(3).fill([401, 401]), [200, 200]]);
    });

    it('show their secret only to their user, and are revoked by other owners', async () => {
      const { api: other } = await admit('owner');
      const { id, apiKey } = await create();
      const { id: keyOfOther } = await create({}, other);
      for (const rejected of [
        await other.post(`${path}/${id}/rotate`, { overlapS: 60 }),
        await owner.post(`${path}/${keyOfOther}/rotate`, {}),
      ])
        expect([rejected.status, rejected.body.error, rejected.body.data]).toEqual([403, 'not_own_api_key', undefined]);
      expect(await statuses(apiKey)).toEqual([200, 200]);
      expect((await withKey(apiKey).post(`${path}/${id}/rotate`, {})).status).toBe(200);
      expect((await other.delete(`${path}/${id}`)).status).toBe(200);
    });

    it('have exactly one current secret if several rotations run at the same time on two instances', async () => {
      const { id } = await create();
      const onSecond = new Api(services[1]!.baseUrl, owner.headers);
      const rotated = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 ? onSecond : owner).post(`${path}/${id}/rotate`, { overlapS: index < 4 ? 600 : 0 }),
        ),
      );
      expect(rotated.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const keys = rotated.map(({ body }) => body.data.apiKey as string);
      const { data } = (await owner.get(`${path}/${id}`)).body;
      const valid = (await Promise.all(keys.map((key) => withKey(key).get(PROJECTS)))).filter(
        (one) => one.status === 200,
      );
      // The secrets that a rotation with an overlap replaced, except that of the key before the first one.
      expect([keys.filter((key) => key.endsWith(data.last4)).length, valid.length]).toEqual([
        1,
        1 + data.formerSecrets.filter(({ last4 }: { last4: string }) => keys.some((key) => key.endsWith(last4))).length,
      ]);
    });
  });

  it('are in the audit log with who created, rotated and revoked them', async () => {
    const { id, api } = await admit('owner');
    const key = await create({ name: 'Audited', scopes: ['read:projects'] });
    expect((await api.post(`${path}/${key.id}/rotate`, {})).body.error).toBe('not_own_api_key');
    expect((await owner.post(`${path}/${key.id}/rotate`, { overlapS: 60 })).status).toBe(200);
    expect((await api.delete(`${path}/${key.id}`)).status).toBe(200);
    const events = await database.query(
      `SELECT kind, user_id AS "userId", actor_id AS "actorId", workspace_id AS "workspaceId", reason, counts
         FROM auth_events WHERE api_key_id = $1 ORDER BY id`,
      [key.id],
    );
    const about = { userId: me.userId, workspaceId: me.workspaceId };
    expect(events).toEqual([
      { kind: 'api_key_created', ...about, actorId: me.userId, reason: 'Audited: read:projects', counts: null },
      { kind: 'api_key_rotated', ...about, actorId: me.userId, reason: null, counts: { overlapS: 60 } },
      { kind: 'api_key_revoked', ...about, actorId: id, reason: null, counts: null },
    ]);
  });

  it('are limited per workspace', async () => {
    const other = await services[0]!.provision();
    await database.query(
      `INSERT INTO api_keys (id, user_id, workspace_id, hmac, pepper_id, last4)
       SELECT gen_random_uuid(), $1, $2, decode(md5(random()::text), 'hex'), 'x', '0000' FROM generate_series(1, 498)`,
      [other.userId, other.workspaceId],
    );
    const keys = `/v2/api/workspaces/${other.workspaceId}/api-keys`;
    const created = await Promise.all(
      Array.from({ length: 4 }, (_, index) => withKey(other.apiKey, index % 2).post(keys, { name: 'Last' })),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(created.find(({ status }) => status === 409)!.body.error).toBe('too_many_api_keys');
    const last = created.find(({ status }) => status === 201)!.body.data as Key;
    // A rotation needs no further key.
    expect((await withKey(other.apiKey).post(`${keys}/${last.id}/rotate`, {})).status).toBe(200);
    expect((await withKey(other.apiKey).delete(`${keys}/${last.id}`)).status).toBe(200);
    expect((await withKey(other.apiKey).post(keys, { name: 'Again' })).status).toBe(201);
  });

  describe('that are created while the operator ends their user', () => {
    it.each(['delete', 'erase'])('are deleted with the user: %s', async (command) => {
      const { id, api } = await admit('owner');
      const { body } = await owner.post(`/v2/api/workspaces/${me.workspaceId}/access-policies`, { name: id });
      const policyId = body.data.id as string;
      const unlock = await database.lock(`SELECT 1 FROM access_policies WHERE id = '${policyId}' FOR UPDATE`);
      const created = api.post(path, { name: 'Late', policyId });
      await until(
        () => database.countWaiting(),
        (count) => count === 1,
      );
      let hasEnded = false;
      const ended = services[0]!.operator('user', command, id, '--yes').then(() => (hasEnded = true));
      await until(async () => hasEnded || (await database.countWaiting()) === 2);
      await unlock();
      // The response reads the key, which the operator may have deleted by then.
      expect([201, 404]).toContain((await created).status);
      await ended;
      expect(await database.query('SELECT id FROM api_keys WHERE user_id = $1', [id])).toEqual([]);
    });

    it('are rejected if the deletion is first, as clients are', async () => {
      const { id, api } = await admit('owner');
      const unlock = await database.lock(`SELECT 1 FROM users WHERE id = '${id}' FOR UPDATE`);
      const untilWaiting = (expected: number) =>
        until(
          () => database.countWaiting(),
          (count) => count === expected,
        );
      const deleted = services[0]!.operator('user', 'delete', id, '--yes');
      await untilWaiting(1);
      const created = api.post(path, { name: 'Late' });
      await untilWaiting(2);
      const client = services[0]!.operator('client', 'create', '--user', id).catch(String);
      await untilWaiting(3);
      await unlock();
      await deleted;
      expect((await created).status).toBe(404);
      expect(await client).toContain('was not found');
    });
  });

  describe('of the operator', () => {
    it('are not issued for a workspace that is deleted', async () => {
      const other = await services[0]!.provision('Deleted');
      await services[0]!.operator('workspace', 'delete', other.workspaceId, '--confirm', 'Deleted');
      const create = ['api-key', 'create', '--user', other.userId, '--workspace', other.workspaceId];
      await expect(services[0]!.operator(...create)).rejects.toThrow(/was not found/);
    });

    it('have names and scopes, and are rotated with an overlap', async () => {
      const operator = <T>(...args: string[]) => services[0]!.operator<T>('api-key', ...args);
      const owned = ['--user', me.userId, '--workspace', me.workspaceId];
      const created = await operator<Key>('create', ...owned, '--name', 'ERP', '--scope', 'read:projects');
      const rotated = await operator<Key>('rotate', created.id, '--overlap', '60');
      expect(rotated.id).toBe(created.id);
      for (const { apiKey } of [created, rotated]) expect(await statuses(apiKey)).toEqual([200, 200]);
      expectScope(await withKey(rotated.apiKey).get('/v1/api/tours'), 'read:tours');
      const listed = (await operator<Key[]>('list')).filter(({ id }) => id === created.id);
      expect(listed).toMatchObject([
        { name: 'ERP', scopes: ['read:projects'], prefix: rotated.apiKey.slice(0, 8), createdBy: null },
      ]);
      await operator('revoke', created.id);
      for (const { apiKey } of [created, rotated]) expect(await statuses(apiKey)).toEqual([401, 401]);
    });
  });

  it('answer as before to keys that were never issued', async () => {
    const { status, body } = await withKey(unknownCredential('wsk_')).get(path);
    expect([status, body.error]).toEqual([401, 'invalid_api_key']);
  });
});
