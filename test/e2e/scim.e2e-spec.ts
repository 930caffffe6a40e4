import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { measureElapsed } from '../support/elapsed.js';
import { Operator } from '../support/operator.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { readLongestStall } from '../support/stalls.js';
import { signIn } from '../support/tokens.js';
import { until } from '../support/until.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** The domains of the trusted issuer. */
const DOMAIN = 'works.example';
const FORMER_DOMAIN = 'former-works.example';

interface Membership {
  role: string;
  policyId: string | null;
  acceptedAt: string | null;
}

interface AuditEntry {
  kind: string;
  principal: { type: string };
  details: { userId?: string; reason?: string; action?: string; group?: { id: string } };
}

/** A client of SCIM, as an identity provider sends requests. */
class ScimClient {
  readonly api: Api;

  constructor(
    baseUrl: string,
    readonly owner: Credentials,
    key = owner.apiKey,
  ) {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/scim+json; charset=utf-8' };
    this.api = new Api(`${baseUrl}/scim/v2/${owner.workspaceId}`, headers);
  }

  patch(path: string, ...Operations: object[]): Promise<ApiResponse> {
    return this.api.patch(path, { schemas: [PATCH], Operations });
  }

  find(type: 'Users' | 'Groups', filter: string, more = ''): Promise<ApiResponse> {
    return this.api.get(`/${type}?filter=${encodeURIComponent(filter)}${more}`);
  }
}

describe('SCIM', () => {
  let folder: string;
  let database: TestDatabase;
  let services: TestService[];
  let operator: Operator;
  let api: Api;
  let other: Api;
  let owner: Credentials;
  let scim: ScimClient;
  let policy: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'atrium-scim-'));
    database = await TestDatabase.create();
    services = [await TestService.start(database), await TestService.start(database)];
    operator = new Operator(services[0]!.env);
    [api, other] = services.map(({ baseUrl }) => new Api(baseUrl)) as [Api, Api];
    owner = await services[0]!.provision();
    scim = new ScimClient(api.baseUrl, owner);
    const file = join(folder, 'claims.json');
    const workspace = owner.workspaceId;
    const { body } = await api.withKey(owner.apiKey).post(`/v2/api/workspaces/${workspace}/access-policies`, {
      name: 'Assets',
      tables: [{ entity: 'assets', table: '*' }],
    });
    policy = body.data.id as string;
    const memberships = [
      { group: 'Atrium.Owners', workspace, role: 'owner' },
      { group: 'Atrium.Editors', workspace, role: 'editor', policy },
      { group: 'Atrium.Leads', workspace, role: 'editor' },
    ];
    writeFileSync(file, JSON.stringify({ groups: null, memberships }));
    // It is never reached: only its domains and its mapping count.
    const domains = ['--domain', DOMAIN, '--domain', FORMER_DOMAIN];
    const issuer = ['--url', 'http://127.0.0.1:9', '--audience', 'atrium', ...domains, '--claims', file];
    await operator.json('issuer', 'add', ...issuer);
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const newName = () => `${randomUUID()}@${DOMAIN}`;
  const create = async (userName = newName(), more: object = {}) => {
    const answer = await scim.api.post('/Users', { schemas: [USER], userName, active: true, ...more });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; userName: string };
  };
  const expectError = ({ status, headers, body }: ApiResponse, expected: number, scimType?: string) => {
    expect([status, body.status, body.schemas]).toEqual([expected, String(expected), [ERROR]]);
    expect(body.detail).toMatch(/\S/);
    expect(body.scimType).toBe(scimType);
    expect(headers.get('content-type')).toContain('application/scim+json');
  };
  const membership = async (id: string) => {
    const { body } = await api.withKey(owner.apiKey).get(`/v1/api/users/${id}`);
    return body.data as { status: string; memberships: Membership[] };
  };

  describe('access', () => {
    it('is for API keys of owners with the scope write:users, in both headers', async () => {
      expect((await scim.api.get('/Users')).status).toBe(200);
      const path = `/scim/v2/${owner.workspaceId}/Users`;
      expect((await api.withKey(owner.apiKey).get(path)).status).toBe(200);
      const limited = await operator.json<{ apiKey: string }>(
        ...['api-key', 'create', '--user', owner.userId, '--workspace', owner.workspaceId, '--scope', 'read:users'],
      );
      expectError(await new ScimClient(api.baseUrl, owner, limited.apiKey).api.get('/Users'), 403);
      expectError(await new ScimClient(api.baseUrl, owner, 'wsk_nothing').api.get('/Users'), 401);
      const basic = { Authorization: `Basic ${Buffer.from('scim:secret').toString('base64')}` };
      for (const answer of [await api.get(path), await api.get(path, basic)]) {
        expectError(answer, 401);
        expect(answer.body.detail).toContain('Authorization: Bearer, or in X-API-Key');
      }
      const session = await signIn(api, owner);
      expectError(await api.withToken(session.access_token).get(path), 401);
      const editor = await operator.json<{ id: string }>(
        ...['user', 'create', '--email', newName(), '--workspace', owner.workspaceId, '--role', 'editor'],
      );
      const key = await operator.json<{ apiKey: string }>(
        ...['api-key', 'create', '--user', editor.id, '--workspace', owner.workspaceId],
      );
      expectError(await new ScimClient(api.baseUrl, owner, key.apiKey).api.get('/Users'), 403);
    });

    it('is only for the workspace of the key', async () => {
      const foreigner = await services[0]!.provision();
      expectError(await new ScimClient(api.baseUrl, foreigner, owner.apiKey).api.get('/Users'), 404);
      const { id } = await create();
      const theirs = new ScimClient(api.baseUrl, foreigner);
      expectError(await theirs.api.get(`/Users/${id}`), 404);
      expectError(await theirs.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }), 404);
      expect((await theirs.find('Users', `id eq "${id}"`)).body.totalResults).toBe(0);
      const group = (await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Private' })).body.id as string;
      for (const answer of [await theirs.api.get(`/Groups/${group}`), await theirs.api.delete(`/Groups/${group}`)])
        expectError(answer, 404);
      const withForeignMember = { schemas: [GROUP], displayName: 'x', members: [{ value: id }] };
      expectError(await theirs.api.post('/Groups', withForeignMember), 400, 'invalidValue');
    });

    it('has no route for anything else', async () => {
      const unknown = await scim.api.get('/Devices');
      expectError(unknown, 404);
      expect(unknown.body.detail).toContain('are Users, Groups,');
      expectError(await scim.api.put('/Users', {}), 405);
    });
  });

  it('describes itself', async () => {
    const config = (await scim.api.get('/ServiceProviderConfig')).body;
    expect(config).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true },
    });
    const types = (await scim.api.get('/ResourceTypes')).body;
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['/Users', '/Groups']);
    expect((await scim.api.get('/ResourceTypes/User')).body).toMatchObject({ id: 'User', schema: USER });
    const schemas = (await scim.api.get('/Schemas')).body;
    expect(schemas.Resources.map(({ id }: { id: string }) => id)).toEqual([USER, GROUP]);
    expect((await scim.api.get(`/Schemas/${USER}`)).body).toMatchObject({ id: USER });
    expectError(await scim.api.get('/Schemas/urn:unknown'), 404);
  });

  it('Entra ID: queries, creates, changes, disables, enables and deletes a user', async () => {
    const userName = `Godfrey.${randomUUID()}@${DOMAIN}`;
    const email = userName.toLowerCase();
    // Entra ID asks for the user before it creates it, and for an unknown one to test the connection.
    const absent = await scim.find('Users', `userName eq "${userName}"`);
    expect([absent.status, absent.body]).toMatchObject([200, { schemas: [LIST], totalResults: 0, Resources: [] }]);
    const created = await scim.api.post('/Users', {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName,
      active: true,
      addresses: [{ primary: false, type: 'work', country: 'Austria' }],
      displayName: 'Godfrey Stiedemann',
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Godfrey Stiedemann', familyName: 'Stiedemann', givenName: 'Godfrey' },
      phoneNumbers: [{ primary: true, type: 'mobile', value: '555-555' }],
      roles: [],
      title: 'Engineer',
      [ENTERPRISE]: { department: 'Works', manager: { value: '7' } },
    });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    const location = `https://atrium.test/scim/v2/${owner.workspaceId}/Users/${id}`;
    expect(created.headers.get('location')).toBe(location);
    expect(created.headers.get('content-type')).toContain('application/scim+json');
    expect(created.body).toEqual({
      schemas: [USER],
      id,
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: email,
      displayName: 'Godfrey Stiedemann',
      active: true,
      emails: [{ value: email, type: 'work', primary: true }],
      meta: { resourceType: 'User', created: expect.any(String), lastModified: expect.any(String), location },
    });
    // The domain is one of a trusted issuer, so the user need not accept. Groups give more than reading.
    expect((await membership(id)).memberships).toMatchObject([{ role: 'reader', acceptedAt: expect.any(String) }]);

    expect((await scim.api.get(`/Users/${id}`)).body).toEqual(created.body);
    for (const filter of [`userName eq "${userName}"`, `externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`])
      expect((await scim.find('Users', filter)).body).toMatchObject({ totalResults: 1, Resources: [{ id }] });

    const renamed = await scim.patch(
      `/Users/${id}`,
      { op: 'Replace', path: 'displayName', value: 'Godfrey von Ruecker' },
      { op: 'Replace', path: 'name.familyName', value: 'von Ruecker' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'g@other.example' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Other' },
    );
    expect([renamed.status, renamed.body.displayName, renamed.body.userName]).toEqual([
      200,
      'Godfrey von Ruecker',
      email,
    ]);
    const others = newName();
    await create(others);
    const rename = (value: string) => scim.patch(`/Users/${id}`, { op: 'Replace', path: 'userName', value });
    const former = `G.${randomUUID()}@${FORMER_DOMAIN}`;
    for (const name of [former, userName]) {
      const { status, body } = await rename(name);
      expect([status, body.userName, body.emails[0].value]).toEqual([200, name.toLowerCase(), name.toLowerCase()]);
      expect((await scim.find('Users', `userName eq "${name}"`)).body.Resources).toMatchObject([{ id }]);
    }
    expectError(await rename(others), 409, 'uniqueness');
    for (const value of ['False', 'false', false]) {
      const disabled = await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value });
      expect([disabled.status, disabled.body.active]).toEqual([200, false]);
      expect((await membership(id)).status).toBe('suspended');
      expect((await scim.find('Users', `userName eq "${userName}"`)).body.Resources).toMatchObject([{ active: false }]);
      const enabled = await scim.patch(`/Users/${id}`, { op: 'Add', path: 'active', value: [{ value: 'True' }] });
      expect([enabled.status, enabled.body.active]).toEqual([200, true]);
    }
    const without = await scim.patch(`/Users/${id}`, { op: 'Remove', path: 'externalId' });
    expect(without.body).not.toHaveProperty('externalId');

    expect((await scim.api.delete(`/Users/${id}`)).status).toBe(204);
    expectError(await scim.api.get(`/Users/${id}`), 404);
    expectError(await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true }), 404);
    expect((await scim.find('Users', `userName eq "${userName}"`)).body.totalResults).toBe(0);
    // The user returns with the same ID, as a reader and without groups.
    expect((await create(userName)).id).toBe(id);
    // An erasure also finds the former address.
    const notes = `/v2/api/workspaces/${owner.workspaceId}/notes`;
    const note = await api.withKey(owner.apiKey).post(notes, { title: 'Leak', reporter: former.toLowerCase() });
    expect(note.status).toBe(201);
    const { pseudonym } = await operator.json<{ pseudonym: string }>('user', 'erase', id, '--yes');
    const read = await api.withKey(owner.apiKey).get(`${notes}/${note.body.data.id}`);
    expect(read.body.data.reporter).toBe(pseudonym);
    expect(await database.query("SELECT 1 FROM users WHERE former_emails <> '{}'")).toEqual([]);
  });

  it('Entra ID: creates a group, adds and removes members, renames and deletes it', async () => {
    const [first, second] = [await create(), await create()];
    expect(
      (await scim.find('Groups', 'displayName eq "Atrium.Editors"', '&excludedAttributes=members')).body,
    ).toMatchObject({ totalResults: 0 });
    const created = await scim.api.post('/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'Atrium.Editors',
      meta: { resourceType: 'Group' },
    });
    expect([created.status, created.body]).toMatchObject([201, { schemas: [GROUP], displayName: 'Atrium.Editors' }]);
    const path = `/Groups/${created.body.id}`;
    const members = async () =>
      ((await scim.api.get(path)).body.members ?? []).map(({ value }: { value: string }) => value) as string[];

    const added = await scim.patch(path, {
      op: 'Add',
      path: 'members',
      value: [
        { $ref: null, value: first.id },
        { $ref: null, value: second.id },
      ],
    });
    expect([added.status, await members()]).toEqual([204, [first.id, second.id]]);
    const access = async ({ id }: { id: string }) => {
      const [{ role, policyId }] = (await membership(id)).memberships as [Membership];
      return [role, policyId];
    };
    for (const user of [first, second]) expect(await access(user)).toEqual(['editor', policy]);
    expect((await scim.api.get(`${path}?excludedAttributes=members`)).body).not.toHaveProperty('members');

    for (const more of [{ $ref: null }, { display: 'Ada' }, { $ref: `../Users/${first.id}`, type: 'User' }]) {
      await scim.patch(path, { op: 'Add', path: 'members', value: [{ value: first.id }] });
      expect(await access(first)).toEqual(['editor', policy]);
      const removed = await scim.patch(path, { op: 'Remove', path: 'members', value: [{ value: first.id, ...more }] });
      expect([removed.status, await members(), await access(first)]).toEqual([204, [second.id], ['reader', policy]]);
    }
    const filtered = await scim.patch(path, { op: 'Remove', path: `members[value eq "${second.id}"]` });
    expect([filtered.status, await members()]).toEqual([204, []]);

    await scim.patch(path, { op: 'Add', path: 'members', value: [{ value: first.id }] });
    expect((await scim.patch(path, { op: 'Replace', path: 'displayName', value: 'Guests' })).status).toBe(204);
    expect((await membership(first.id)).memberships[0]!.role).toBe('reader');
    await scim.patch(path, { op: 'Replace', path: 'displayName', value: 'Atrium.Leads' });
    expect(await access(first)).toEqual(['editor', null]);
    await scim.patch(path, { op: 'Replace', path: 'displayName', value: 'Atrium.Editors' });
    expect(await access(first)).toEqual(['editor', policy]);
    await scim.patch(path, { op: 'Add', path: 'members', value: [{ value: second.id }] });
    await scim.api.delete(`/Users/${second.id}`);
    expect(await members()).toEqual([first.id]);
    await scim.patch(path, { op: 'Replace', value: { members: [{ value: first.id.toUpperCase() }] } });
    expect(await members()).toEqual([first.id]);
    expect((await create(second.userName)).id).toBe(second.id);
    expect((await membership(second.id)).memberships[0]!.role).toBe('reader');
    expect((await scim.api.delete(path)).status).toBe(204);
    expect((await membership(first.id)).memberships[0]!.role).toBe('reader');
    expectError(await scim.api.get(path), 404);
  });

  it('suspends the members of a group whose access policy was deleted, and the group can still be changed', async () => {
    const policies = `/v2/api/workspaces/${owner.workspaceId}/access-policies`;
    const contractors = await api.withKey(owner.apiKey).post(policies, { name: 'Contractors' });
    const file = join(folder, 'contractors.json');
    const mapping = { workspace: owner.workspaceId, role: 'editor', policy: contractors.body.data.id };
    writeFileSync(file, JSON.stringify({ groups: null, memberships: [{ group: 'Contractors', ...mapping }] }));
    await operator.json('issuer', 'add', '--url', 'http://127.0.0.1:11', '--audience', 'a', '--claims', file);
    try {
      const [first, second] = [await create(), await create()];
      expect((await api.withKey(owner.apiKey).delete(`${policies}/${mapping.policy}`)).status).toBe(200);
      const body = { schemas: [GROUP], displayName: 'Contractors', members: [{ value: first.id }] };
      const created = await scim.api.post('/Groups', body);
      expect(created.status).toBe(201);
      const path = `/Groups/${created.body.id}`;
      const added = await scim.patch(path, { op: 'add', path: 'members', value: [{ value: second.id }] });
      expect(added.status).toBe(204);
      for (const { id } of [first, second]) expect((await membership(id)).status).toBe('suspended');
      const warning = `groups to the access policy ${mapping.policy}`;
      await until(() => services[0]!.output.join('').includes(warning), Boolean);
      expect((await scim.api.delete(path)).status).toBe(204);
    } finally {
      await operator.json('issuer', 'remove', 'http://127.0.0.1:11');
    }
  });

  it('Okta: tests the connection, creates, replaces, deactivates and reactivates a user', async () => {
    const userName = newName();
    const first = await scim.api.get('/Users?startIndex=1&count=2');
    expect(first.body).toMatchObject({ schemas: [LIST], startIndex: 1, itemsPerPage: 2 });
    expect((await scim.find('Users', `userName eq "${userName}"`, '&startIndex=1&count=100')).body).toMatchObject({
      totalResults: 0,
      Resources: [],
    });
    const profile = {
      schemas: [USER],
      userName,
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const created = await scim.api.post('/Users', profile);
    expect([created.status, created.body.displayName]).toEqual([201, 'Test User']);
    expect(JSON.stringify(created.body)).not.toContain('1mz050nq');
    expectError(await scim.api.post('/Users', profile), 409, 'uniqueness');
    const { id } = created.body as { id: string };

    const replaced = await scim.api.put(`/Users/${id}`, {
      schemas: [USER],
      id,
      userName,
      name: { givenName: 'Another', familyName: 'User' },
      emails: [{ primary: true, value: userName, type: 'work', display: userName }],
      active: true,
      groups: [],
      meta: { resourceType: 'User' },
    });
    expect([replaced.status, replaced.body.displayName]).toEqual([200, 'Another User']);

    const deactivated = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    expect([deactivated.status, deactivated.body.active]).toEqual([200, false]);
    const reactivated = await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect([reactivated.status, reactivated.body.active]).toEqual([200, true]);
  });

  it('finds by the qualified names of attributes, and distinguishes upper and lower case as its schema states', async () => {
    const { id, userName } = await create();
    const path = `userName,${USER}:displayName`;
    const found = await scim.find('Users', `${USER}:userName eq "${userName}"`, `&attributes=${USER}:userName`);
    expect(found.body.Resources).toEqual([expect.objectContaining({ id, userName })]);
    expect(found.body.Resources[0]).not.toHaveProperty('emails');
    const without = await scim.api.get(`/Users/${id}?excludedAttributes=${path}`);
    expect(without.body).not.toHaveProperty('userName');
    for (const displayName of ['Painters', 'PAINTERS'])
      expect((await scim.api.post('/Groups', { schemas: [GROUP], displayName })).status).toBe(201);
    const groups = await scim.find('Groups', `${GROUP}:displayName eq "PAINTERS"`, '&attributes=displayName');
    expect(groups.body.Resources).toEqual([expect.objectContaining({ displayName: 'PAINTERS' })]);
    for (const schema of [USER, GROUP]) {
      const { attributes } = (await scim.api.get(`/Schemas/${schema}`)).body;
      expect(attributes).toContainEqual(expect.objectContaining({ name: 'displayName', caseExact: true }));
    }
  });

  it('names the attribute that another user has', async () => {
    const externalId = randomUUID();
    await create(newName(), { externalId });
    const { id } = await create();
    for (const answer of [
      await scim.api.post('/Users', { schemas: [USER], userName: newName(), externalId }),
      await scim.patch(`/Users/${id}`, { op: 'add', path: 'externalId', value: externalId }),
    ]) {
      expectError(answer, 409, 'uniqueness');
      expect(answer.body.detail).toBe('Another user of the workspace has this externalId.');
    }
  });

  it('gives the externalId of a deleted user to another one, and the deleted one can return without it', async () => {
    const externalId = randomUUID();
    const first = await create(newName(), { externalId });
    expect((await scim.api.delete(`/Users/${first.id}`)).status).toBe(204);
    // The user who returns has it again.
    expect(await create(first.userName, { externalId })).toMatchObject({ id: first.id, externalId });
    expect((await scim.api.delete(`/Users/${first.id}`)).status).toBe(204);
    const second = await create(newName(), { externalId });
    expect(second).toMatchObject({ externalId });
    const returned = await create(first.userName);
    expect([returned.id, (returned as { externalId?: string }).externalId]).toEqual([first.id, undefined]);
    await scim.api.delete(`/Users/${second.id}`);
    const changed = await scim.patch(`/Users/${first.id}`, { op: 'add', path: 'externalId', value: externalId });
    expect([changed.status, changed.body.externalId]).toEqual([200, externalId]);
  });

  describe('a user whom another request creates at the same time', () => {
    /** Stores a member in a transaction that is committed when the request waits for it. */
    const createMeanwhile = async (email: string, externalId: string | null, request: () => Promise<ApiResponse>) => {
      const client = await database.connect();
      try {
        const id = randomUUID();
        await client.query('BEGIN');
        await client.query('INSERT INTO users (id, email) VALUES ($1, $2)', [id, email]);
        await client.query(
          `INSERT INTO workspace_members (workspace_id, user_id, external_id, role, status, accepted_at)
           VALUES ($1, $2, $3, 'editor', 'suspended', now())`,
          [owner.workspaceId, id, externalId],
        );
        const answer = request();
        await until(
          () => database.countWaiting(),
          (count) => count === 1,
        );
        await client.query('COMMIT');
        return { id, answer: await answer };
      } finally {
        await client.end();
      }
    };

    it('with the same externalId is 409', async () => {
      const externalId = randomUUID();
      const { answer } = await createMeanwhile(newName(), externalId, () =>
        scim.api.post('/Users', { schemas: [USER], userName: newName(), externalId }),
      );
      expectError(answer, 409, 'uniqueness');
      expect(answer.body.detail).toBe('Another user of the workspace has this externalId.');
    });

    it('with the same userName is 409, and does not change', async () => {
      const userName = newName();
      const { id, answer } = await createMeanwhile(userName, null, () =>
        scim.api.post('/Users', { schemas: [USER], userName, active: true }),
      );
      expectError(answer, 409, 'uniqueness');
      const { status, memberships } = await membership(id);
      expect([status, memberships[0]!.role]).toEqual(['suspended', 'editor']);
    });

    it('again, after a deletion, is 409', async () => {
      const { id, userName } = await create();
      await scim.api.delete(`/Users/${id}`);
      const body = { schemas: [USER], userName };
      const unlock = await database.lock(`SELECT 1 FROM users WHERE id = '${id}' FOR UPDATE`);
      const answers = [scim.api.post('/Users', body), scim.api.post('/Users', body)];
      await until(
        () => database.countWaiting(),
        (count) => count === 2,
      );
      await unlock();
      expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([201, 409]);
    });
  });

  it('Okta: pushes a group', async () => {
    const [first, second] = [await create(), await create()];
    const created = await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Test SCIMv2', members: [] });
    expect(created.status).toBe(201);
    const path = `/Groups/${created.body.id}`;
    const rename = { op: 'replace', value: { id: created.body.id as string, displayName: 'Test SCIMv2 0' } };
    expect((await scim.patch(path, rename)).status).toBe(204);
    const both = [first, second].map(({ id, userName }) => ({ value: id, display: userName }));
    expect((await scim.patch(path, { op: 'replace', path: 'members', value: both })).status).toBe(204);
    const removal = await scim.patch(
      path,
      { op: 'remove', path: `members[value eq "${first.id}"]` },
      { op: 'add', path: 'members', value: [{ value: second.id, display: second.userName }] },
    );
    expect(removal.status).toBe(204);
    const { body } = await scim.api.get(path);
    expect([body.displayName, body.members]).toEqual([
      'Test SCIMv2 0',
      [expect.objectContaining({ value: second.id })],
    ]);
    const replaced = await scim.api.put(path, { schemas: [GROUP], displayName: 'Test SCIMv2 0', members: both });
    expect([replaced.status, replaced.body.members.length]).toEqual([200, 2]);
    expectError(await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Test SCIMv2 0' }), 409, 'uniqueness');
    expect((await scim.api.delete(path)).status).toBe(204);
  });

  describe('deactivation', () => {
    it('ends sessions, keys and access at once on every instance; a key does not return with the user', async () => {
      const { id } = await create();
      const [client, key] = [
        await operator.json<{ clientId: string; clientSecret: string }>('client', 'create', '--user', id),
        await operator.json<{ apiKey: string }>('api-key', 'create', '--user', id, '--workspace', owner.workspaceId),
      ];
      const session = await signIn(api, client);
      const attempts = (from: Api) => [
        from.withToken(session.access_token).get('/v1/api/tours'),
        from.withKey(key.apiKey).get('/v1/api/tours'),
      ];
      const statuses = async (from: Api) => (await Promise.all(attempts(from))).map(({ status }) => status);
      for (const from of [api, other]) expect(await statuses(from)).toEqual([200, 200]);
      await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' });
      for (const from of [api, other]) expect(await statuses(from)).toEqual([401, 401]);
      await scim.patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' });
      for (const from of [api, other]) expect(await statuses(from)).toEqual([401, 401]);
      expect((await (await api.signIn({ ...owner, ...client })).get('/v1/api/tours')).status).toBe(200);
    });

    it('revokes an API key that is created at the same time', async () => {
      const { id } = await create();
      await api.withKey(owner.apiKey).patch(`/v1/api/users/${id}`, { role: 'owner' });
      const client = await operator.json<{ clientId: string; clientSecret: string }>('client', 'create', '--user', id);
      const caller = await api.signIn({ ...owner, ...client });
      const unlock = await database.lock(`SELECT 1 FROM access_policies WHERE id = '${policy}' FOR UPDATE`);
      const keys = `/v2/api/workspaces/${owner.workspaceId}/api-keys`;
      const created = caller.post(keys, { name: 'Late', policyId: policy });
      await until(
        () => database.countWaiting(),
        (count) => count === 1,
      );
      let isDeactivated = false;
      const deactivated = scim
        .patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
        .then(() => (isDeactivated = true));
      await until(async () => isDeactivated || (await database.countWaiting()) === 2);
      await unlock();
      const { status, body } = await created;
      expect(status).toBe(201);
      await deactivated;
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true });
      expect((await api.withKey(body.data.apiKey as string).get('/v1/api/workspaces')).status).toBe(401);
    });

    it('leaves a person in other workspaces what they have there', async () => {
      const { id, userName } = await create();
      const elsewhere = await services[0]!.provision();
      await operator.json('user', 'create', '--email', userName, '--workspace', elsewhere.workspaceId);
      const client = await operator.json<{ clientId: string; clientSecret: string }>('client', 'create', '--user', id);
      const session = await signIn(api, client);
      await scim.api.delete(`/Users/${id}`);
      const { body } = await api.withToken(session.access_token).get('/v1/api/workspaces');
      expect(body.data.items.map((each: { id: string }) => each.id)).toEqual([elsewhere.workspaceId]);
    });

    it('no request that is sent after its answer succeeds', async () => {
      const { id } = await create();
      const key = await operator.json<{ apiKey: string }>(
        ...['api-key', 'create', '--user', id, '--workspace', owner.workspaceId],
      );
      const client = await operator.json<{ clientId: string; clientSecret: string }>('client', 'create', '--user', id);
      const session = await signIn(api, client);
      const late: number[] = [];
      let isAnswered = false;
      let isOver = false;
      const withKey = [api, other].map((from) => from.withKey(key.apiKey));
      const withSession = [api, other].map((from) => from.withToken(session.access_token));
      const callers = [...withKey, ...withSession].map(async (caller) => {
        while (!isOver) {
          const wasAnswered = isAnswered;
          const { status } = await caller.get('/v1/api/tours');
          if (wasAnswered) late.push(status);
        }
      });
      await scim.patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
      isAnswered = true;
      await until(
        () => late.length,
        (count) => count > 20,
      );
      isOver = true;
      await Promise.all(callers);
      expect(new Set(late)).toEqual(new Set([401]));
    });
  });

  it('never ends the user of the key, or the last owner, and stores nothing of such a request', async () => {
    const mine = await services[0]!.provision();
    const client = new ScimClient(api.baseUrl, mine);
    const path = `/Users/${mine.userId}`;
    for (const answer of [
      await client.patch(
        path,
        { op: 'replace', path: 'displayName', value: 'X' },
        { op: 'replace', path: 'active', value: false },
      ),
      await client.api.put(path, {
        schemas: [USER],
        userName: (await client.api.get(path)).body.userName,
        active: false,
      }),
    ])
      expectError(answer, 400, 'mutability');
    expectError(await client.api.delete(path), 400, 'mutability');
    expectError(await client.api.delete(path.toUpperCase().replace('/USERS', '/Users')), 400, 'mutability');
    expect((await client.api.get(path)).body).toMatchObject({ active: true });
    expect((await client.api.get(path)).body).not.toHaveProperty('displayName');
    // By a group: the owner would become a reader.
    const claims = join(folder, 'mine.json');
    const memberships = [{ group: 'Boss', workspace: mine.workspaceId, role: 'owner' }];
    writeFileSync(claims, JSON.stringify({ groups: null, memberships }));
    await operator.json('issuer', 'add', '--url', 'http://127.0.0.1:10', '--audience', 'a', '--claims', claims);
    const boss = await client.api.post('/Groups', {
      schemas: [GROUP],
      displayName: 'Boss',
      members: [{ value: mine.userId }],
    });
    expect(boss.status).toBe(201);
    expectError(await client.api.delete(`/Groups/${boss.body.id}`), 409);
    expectError(await client.patch(`/Groups/${boss.body.id}`, { op: 'remove', path: 'members' }), 409);
    // With another owner: all further requests with the key would be rejected.
    const email = ['--email', newName()];
    await operator.json('user', 'create', ...email, '--workspace', mine.workspaceId, '--role', 'owner');
    const group = { schemas: [GROUP], displayName: 'Boss', members: [] };
    for (const answer of [
      await client.patch(`/Groups/${boss.body.id}`, { op: 'remove', path: `members[value eq "${mine.userId}"]` }),
      await client.patch(`/Groups/${boss.body.id}`, { op: 'replace', path: 'displayName', value: 'Chief' }),
      await client.api.put(`/Groups/${boss.body.id}`, group),
      await client.api.delete(`/Groups/${boss.body.id}`),
    ])
      expectError(answer, 400, 'mutability');
    expect((await client.api.get(`/Groups/${boss.body.id}`)).body).toMatchObject({ displayName: 'Boss' });
    expect((await client.api.get(`/Groups/${boss.body.id}`)).body.members).toHaveLength(1);
    await operator.json('issuer', 'remove', 'http://127.0.0.1:10');
  });

  it('invites a user of a domain that no issuer has, who has no access before accepting', async () => {
    const { id } = await create(`${randomUUID()}@elsewhere.example`);
    expect((await membership(id)).memberships).toMatchObject([{ role: 'reader', acceptedAt: null }]);
  });

  it('invites a user of the domain of an issuer that has no mapping to the workspace', async () => {
    const mine = await services[0]!.provision();
    const user = { schemas: [USER], userName: newName() };
    const { body } = await new ScimClient(api.baseUrl, mine).api.post('/Users', user);
    const view = (await api.withKey(mine.apiKey).get(`/v1/api/users/${body.id}`)).body.data;
    expect(view.memberships).toMatchObject([{ role: 'reader', acceptedAt: null }]);
  });

  it('of two changes at the same time neither undoes the other', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await create();
      const displayName = `Round ${round}`;
      await Promise.all([
        scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
        scim.patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: displayName }),
      ]);
      expect((await scim.api.get(`/Users/${id}`)).body).toMatchObject({ active: false, displayName });
    }
    const users = await Promise.all(Array.from({ length: 8 }, () => create()));
    const group = (await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Together' })).body;
    await Promise.all(
      users.map(({ id }) => scim.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: id }] })),
    );
    expect((await scim.api.get(`/Groups/${group.id}`)).body.members).toHaveLength(8);
  });

  describe('limits', () => {
    let large: ScimClient;
    let service: TestService;

    beforeAll(async () => {
      service = await TestService.start(database, { NODE_OPTIONS: preload('event-loop-stalls.mjs') });
      large = new ScimClient(service.baseUrl, await service.provision());
      await database.query(
        `INSERT INTO scim_groups (workspace_id, id, display_name, members, created_at)
         SELECT $1, gen_random_uuid(), 'Group ' || at, ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 7000)),
                now() + at * interval '1 second' FROM generate_series(1, 8) at`,
        [large.owner.workspaceId],
      );
    });

    afterAll(() => service?.stop());

    it('divide lists of large groups into pages, and serve other requests meanwhile', async () => {
      await large.api.get('/Groups?count=1');
      await readLongestStall(service);
      const names: string[] = [];
      for (let total = 8, sizes: number[]; names.length < total;) {
        const { body } = await large.api.get(`/Groups?startIndex=${names.length + 1}`);
        const page = body.Resources as { displayName: string; members: object[] }[];
        sizes = page.map(({ members }) => members.length);
        expect([body.totalResults, body.itemsPerPage, sizes]).toEqual([8, page.length, page.map(() => 7_000)]);
        expect(page.length).toBeLessThanOrEqual(3);
        names.push(...page.map(({ displayName }) => displayName));
      }
      expect(names).toEqual(Array.from({ length: 8 }, (_, at) => `Group ${at + 1}`));
      const { body } = await large.find('Groups', `members[value eq "${randomUUID()}"]`);
      expect(body.totalResults).toBe(0);
      expect((await large.api.get('/Groups?excludedAttributes=members')).body.Resources).toHaveLength(8);
      const { id } = (await large.find('Groups', 'displayName eq "Group 1"')).body.Resources[0];
      const { status } = await large.patch(`/Groups/${id}`, { op: 'remove', path: 'members' });
      expect(status).toBe(204);
      expect((await large.api.get(`/Groups/${id}`)).body.members).toEqual([]);
      expect(await readLongestStall(service)).toBeLessThan(200);
    });

    it('are 9,000 members of a group, and 1,000 groups', async () => {
      const { id } = (await large.find('Groups', 'displayName eq "Group 2"')).body.Resources[0];
      const value = Array.from({ length: 2_001 }, () => ({ value: randomUUID() }));
      const tooMany = await large.patch(`/Groups/${id}`, { op: 'add', path: 'members', value });
      expectError(tooMany, 400, 'invalidValue');
      expect(tooMany.body.detail).toBe('A group has at most 9000 members, not 9001.');
      // One request can contain a whole group.
      const members = Array.from({ length: 9_000 }, () => ({ value: randomUUID() }));
      const whole = await large.api.post('/Groups', { schemas: [GROUP], displayName: 'Whole', members });
      expect(whole.body.detail).toBe('members must be the IDs of users of the workspace.');
      await database.query(
        `INSERT INTO scim_groups (workspace_id, id, display_name)
         SELECT $1, gen_random_uuid(), 'Small ' || at FROM generate_series(9, 999) at`,
        [large.owner.workspaceId],
      );
      const created = await Promise.all(
        [1, 2, 3, 4].map((at) => large.api.post('/Groups', { schemas: [GROUP], displayName: `Last ${at}` })),
      );
      expect(created.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400]);
      expectError(
        created.find(({ status }) => status === 400)!,
        400,
        'invalidValue',
      );
    });
  });

  it('a user who is deleted while a group adds the user is in no group, also after returning', async () => {
    const group = (await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Race' })).body.id as string;
    for (let round = 0; round < 8; round++) {
      const { id, userName } = await create();
      const [added, deleted] = await Promise.all([
        scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] }),
        scim.api.delete(`/Users/${id}`),
      ]);
      expect([[204, 400].includes(added.status), deleted.status]).toEqual([true, 204]);
      const members = async () => (await scim.api.get(`/Groups/${group}`)).body.members ?? [];
      expect(await members()).toEqual([]);
      await create(userName);
      expect(await members()).toEqual([]);
    }
  });

  it('adds members to a group after another caller ended the membership of one of them', async () => {
    const [first, second] = [await create(), await create()];
    const body = { schemas: [GROUP], displayName: 'Ended', members: [{ value: first.id }] };
    const path = `/Groups/${(await scim.api.post('/Groups', body)).body.id}`;
    const ended = await api.withKey(owner.apiKey).delete(`/v1/api/users/${first.id}`);
    expect(ended.status).toBe(200);
    const added = await scim.patch(path, { op: 'add', path: 'members', value: [{ value: second.id }] });
    expect(added.status).toBe(204);
    expect((await create(first.userName)).id).toBe(first.id);
    expect((await scim.api.get(path)).body.members.map(({ value }: { value: string }) => value)).toEqual([second.id]);
  });

  describe('an email address', () => {
    it('is normalized as everywhere, also in filters', async () => {
      const name = `jos\u00e9-${randomUUID()}@${DOMAIN}`;
      const { id, userName } = await create(` ${name.normalize('NFD').toUpperCase()}`);
      expect(userName).toBe(name);
      const again = await scim.api.post('/Users', { schemas: [USER], userName: name.normalize('NFD') });
      expectError(again, 409, 'uniqueness');
      for (const path of ['userName', 'emails.value', 'emails[type eq "work"].value'])
        expect((await scim.find('Users', `${path} eq "${name.normalize('NFD')}"`)).body.Resources).toMatchObject([
          { id },
        ]);
    });

    it('that the operator accepted prevents no change of the user', async () => {
      const email = `${'a'.repeat(65)}-${randomUUID()}@${DOMAIN}`;
      const { id } = await operator.json<{ id: string }>(
        ...['user', 'create', '--email', email, '--workspace', owner.workspaceId],
      );
      const changed = await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
      expect([changed.status, changed.body.active]).toEqual([200, false]);
      const replaced = await scim.api.put(`/Users/${id}`, { schemas: [USER], userName: email, active: false });
      expect(replaced.status).toBe(200);
    });

    it('changes only within the domains of an issuer of the workspace, and of a user of no other one', async () => {
      const rename = (id: string, value: string) =>
        scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value });
      const inDomain = await create();
      const elsewhere = await create(`${randomUUID()}@elsewhere.example`);
      expectError(await rename(inDomain.id, `${randomUUID()}@elsewhere.example`), 400, 'mutability');
      expectError(await rename(elsewhere.id, newName()), 400, 'mutability');
      expectError(await rename(inDomain.id, 'ada'), 400, 'invalidValue');
      const { workspaceId } = await services[0]!.provision();
      await operator.json('user', 'create', '--email', inDomain.userName, '--workspace', workspaceId);
      expectError(await rename(inDomain.id, newName()), 400, 'mutability');
      expect((await scim.api.get(`/Users/${inDomain.id}`)).body.userName).toBe(inDomain.userName);
      const foreigner = await services[0]!.provision();
      const theirs = new ScimClient(api.baseUrl, foreigner);
      const { body } = await theirs.api.post('/Users', { schemas: [USER], userName: newName() });
      const answer = await theirs.patch(`/Users/${body.id}`, { op: 'replace', path: 'userName', value: newName() });
      expectError(answer, 400, 'mutability');
    });
  });

  it('rejects within a second what the parser of filters would need years for', async () => {
    const user = `/Users/${(await create()).id}`;
    const group = `/Groups/${(await scim.api.post('/Groups', { schemas: [GROUP], displayName: 'Slow' })).body.id}`;
    const branches = Array.from({ length: 24 }, () => '(id eq 1 or id eq 2)').join(' and ');
    const injected = `x" and ${branches} and id eq "y`;
    const encoded = encodeURIComponent(injected);
    const remove = (value: object) => scim.patch(group, { op: 'remove', path: 'members', value: [value] });
    const requests: [() => Promise<ApiResponse>, number, string | undefined][] = [
      [() => scim.find('Users', `userName eq "${'\n'.repeat(60)}`), 400, 'invalidFilter'],
      [() => scim.find('Users', `userName eq "${'\\a'.repeat(60)}`), 400, 'invalidFilter'],
      [() => scim.find('Users', `(userName eq "${'\\a'.repeat(60)})")`), 400, 'invalidFilter'],
      [() => scim.find('Users', branches), 400, 'invalidFilter'],
      [() => scim.api.get(`${user}?attributes=${encoded}`), 400, 'invalidFilter'],
      [() => scim.api.get(`/Groups?excludedAttributes=${encoded}`), 400, 'invalidFilter'],
      [() => scim.api.get(`/Users/${encoded}`), 404, undefined],
      [() => scim.api.delete(`/Groups/${encoded}`), 404, undefined],
      [() => scim.api.get(`/Schemas/${encoded}`), 404, undefined],
      [() => scim.api.get(`/ResourceTypes/${encoded}`), 404, undefined],
      [() => scim.patch(group, { op: 'remove', path: `members[${branches}]` }), 400, 'invalidPath'],
      [() => scim.patch(group, { op: 'remove', path: `members[value eq "${injected}"]` }), 400, 'invalidPath'],
      [() => remove({ value: injected }), 400, 'invalidValue'],
      [() => remove({ [`${branches} and value`]: 'x' }), 400, 'invalidValue'],
      [() => scim.patch(user, { op: 'remove', path: `userName[${branches}]` }), 400, 'invalidPath'],
    ];
    for (const [send, status, scimType] of requests) {
      const end = measureElapsed();
      expectError(await send(), status, scimType);
      expect(end()).toBeLessThan(1_000);
    }
  });

  it('pages', async () => {
    const { totalResults } = (await scim.api.get('/Users')).body;
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= totalResults; startIndex += 3) {
      const { body } = await scim.api.get(`/Users?startIndex=${startIndex}&count=3`);
      expect(body).toMatchObject({ totalResults, startIndex, itemsPerPage: body.Resources.length });
      seen.push(...body.Resources.map(({ id }: { id: string }) => id));
    }
    expect(new Set(seen).size).toBe(totalResults);
    expect((await scim.api.get(`/Users?startIndex=${totalResults + 1}`)).body).toMatchObject({
      totalResults,
      itemsPerPage: 0,
      Resources: [],
    });
    expect((await scim.api.get('/Users?count=0')).body).toMatchObject({ totalResults, Resources: [] });
  });

  it.each<[string, number, string | undefined, (user: string) => Promise<ApiResponse>]>([
    ['an invalid filter', 400, 'invalidFilter', () => scim.find('Users', 'userName is "x"')],
    ['an incomplete filter', 400, 'invalidFilter', () => scim.find('Users', 'userName eq')],
    ['a repeated filter', 400, 'invalidValue', () => scim.find('Users', 'active eq true', '&filter=id+pr')],
    ['repeated attributes', 400, 'invalidValue', (user) => scim.api.get(`${user}?attributes=id&attributes=active`)],
    ['a count that is not a number', 400, 'invalidValue', () => scim.api.get('/Users?count=abc')],
    ['an index that is not a number', 400, 'invalidValue', () => scim.api.get('/Users?startIndex=1.5')],
    ['a body that is not JSON', 400, 'invalidSyntax', () => scim.api.post('/Users', '{')],
    ['a filter on no attribute', 400, 'invalidFilter', () => scim.find('Users', 'emails eq "x"')],
    ['a user without a name', 400, 'invalidValue', () => scim.api.post('/Users', { schemas: [USER] })],
    [
      'a name that is not an email address',
      400,
      'invalidValue',
      () => scim.api.post('/Users', { schemas: [USER], userName: 'ada' }),
    ],
    ['a body that is not an object', 400, undefined, () => scim.api.post('/Users', '[]')],
    [
      'active that is not a boolean',
      400,
      'invalidValue',
      (user) => scim.patch(user, { op: 'replace', path: 'active', value: 'maybe' }),
    ],
    [
      'an unknown operation',
      400,
      'invalidSyntax',
      (user) => scim.patch(user, { op: 'move', path: 'active', value: true }),
    ],
    ['no operations', 400, 'invalidSyntax', (user) => scim.api.patch(user, { schemas: [PATCH] })],
    ['an invalid path', 400, 'invalidPath', (user) => scim.patch(user, { op: 'replace', path: '[', value: 1 })],
    ['another type of body', 415, undefined, (user) => scim.api.patch(user, 'x', { 'Content-Type': 'text/plain' })],
    [
      'an unknown member',
      400,
      'invalidValue',
      () => scim.api.post('/Groups', { schemas: [GROUP], displayName: 'y', members: [{ value: randomUUID() }] }),
    ],
    ['a user that does not exist', 404, undefined, () => scim.api.get(`/Users/${randomUUID()}`)],
    ['an invalid ID', 404, undefined, () => scim.api.get('/Users/nobody')],
  ])('rejects %s', async (_, status, scimType, send) => {
    const { id } = await create();
    const answer = await send(`/Users/${id}`);
    expect(answer.status).toBe(status);
    if (scimType) expectError(answer, status, scimType);
    else expect(answer.body.schemas).toEqual([ERROR]);
  });

  it('records what it changes in the audit log, with the key', async () => {
    const { id } = await create();
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false });
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: newName() });
    const body = { schemas: [GROUP], displayName: 'Audited', members: [{ value: id }] };
    const group = (await scim.api.post('/Groups', body)).body.id as string;
    await scim.patch(`/Groups/${group}`, { op: 'remove', path: 'members', value: [{ value: id }] });
    await scim.api.delete(`/Groups/${group}`);
    await scim.api.delete(`/Users/${id}`);
    const kind = 'member_added,member_changed,member_removed,group_changed';
    const audit = await api
      .withKey(owner.apiKey)
      .get(`/v2/api/workspaces/${owner.workspaceId}/audit?kind=${kind}&limit=100`);
    const entries = (audit.body.data.items as AuditEntry[]).filter(
      ({ details }) => details.userId === id || details.group?.id === group,
    );
    expect(entries.map(({ kind, details }) => [kind, details.action ?? details.reason]).reverse()).toEqual([
      ['member_added', undefined],
      ['member_changed', 'status: suspended'],
      ['member_changed', 'email'],
      ['group_changed', 'created'],
      ['group_changed', 'changed'],
      ['group_changed', 'deleted'],
      ['member_removed', undefined],
    ]);
    for (const { principal } of entries) expect(principal.type).toBe('api_key');
  });
});
