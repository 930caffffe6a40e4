import { randomBytes, randomUUID } from 'node:crypto';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { OperatorClient } from '../support/operator-client.js';
import { type SharedService, shareServices } from '../support/shared-services.js';

const ASSETS = [
  { code: 'A-1', plant: 'AT10', vendor: 'KSB' },
  { code: 'A-2', plant: 'AT10', vendor: 'ABB' },
  { code: 'B-1', plant: 'DE20', vendor: 'KSB' },
];

let services: SharedService[];
let operator: OperatorClient;
let me: Credentials;
let owner: Api;
let workspace: string;
let clients: string;

const randomName = () => randomBytes(6).toString('hex');
const keysOf = ({ body }: ApiResponse) => (body.data.items as { code: string }[]).map(({ code }) => code);
const itemsOf = (id: string) => `/v2/api/workspaces/${id}/cw/assets/Equipment/items`;

async function fill(api: Api, workspaceId: string): Promise<void> {
  const columns = ['code', 'plant', 'vendor'].map((key) => ({ key, name: key, type: 'text' }));
  const assets = [{ name: 'Equipment', columns, items: ASSETS }];
  expect((await api.post(`/v2/api/workspaces/${workspaceId}/cw/assets/bulk`, { assets })).status).toBe(201);
}

async function createPolicy(filter: object, api = owner, path = workspace): Promise<string> {
  const tables = [{ entity: 'assets', table: '*', filter, write: true }];
  const created = await api.post(`${path}/access-policies`, { name: randomName(), tables });
  expect([created.status, created.body.details]).toEqual([201, undefined]);
  return created.body.data.id as string;
}

/** A member with a client that has signed in on the first instance, and the session on both. */
async function addMember(role = 'editor'): Promise<{ userId: string; clientId: string; member: Api[] }> {
  const { id: userId } = await operator.newUser(randomName(), me.workspaceId, role);
  const client = await operator.newClient(userId);
  const { headers } = await new Api(services[0]!.baseUrl).signIn(client);
  return { userId, clientId: client.clientId, member: services.map(({ baseUrl }) => new Api(baseUrl, headers)) };
}

const assign = (clientId: string, policyId: string | null, api = owner) =>
  api.patch(`${clients}/${clientId}`, { policyId });

beforeAll(async () => {
  ({ services } = await shareServices(2));
  operator = await services[0]!.operatorClient();
  me = await services[0]!.provision();
  owner = await new Api(services[0]!.baseUrl).signIn(me);
  workspace = `/v2/api/workspaces/${me.workspaceId}`;
  clients = `${workspace}/clients`;
  await fill(owner, me.workspaceId);
});

describe('the access policy of a client', () => {
  it('restricts its sessions from the next request on, on every instance, and no other client', async () => {
    const { userId, clientId, member } = await addMember();
    const other = await new Api(services[0]!.baseUrl).signIn(await operator.newClient(userId));
    for (const api of member) expect(keysOf(await api.get(itemsOf(me.workspaceId)))).toHaveLength(3);
    const policyId = await createPolicy({ plant: 'AT10' });
    const assigned = await assign(clientId, policyId);
    expect([assigned.status, assigned.body.data]).toEqual([
      200,
      { id: clientId, userId, scopes: ['api'], status: 'active', policyId, createdAt: expect.any(String) },
    ]);
    for (const api of member) expect(keysOf(await api.get(itemsOf(me.workspaceId)))).toEqual(['A-1', 'A-2']);
    expect(keysOf(await other.get(itemsOf(me.workspaceId)))).toHaveLength(3);
    expect((await assign(clientId, null)).body.data.policyId).toBeNull();
    for (const api of member) expect(keysOf(await api.get(itemsOf(me.workspaceId)))).toHaveLength(3);
  });

  it('applies together with that of the membership', async () => {
    const { userId, clientId, member } = await addMember();
    const ofMember = await createPolicy({ vendor: 'KSB' });
    expect((await owner.patch(`/v1/api/users/${userId}`, { policyId: ofMember })).status).toBe(200);
    expect((await assign(clientId, await createPolicy({ plant: 'AT10' }))).status).toBe(200);
    expect(keysOf(await member[1]!.get(itemsOf(me.workspaceId)))).toEqual(['A-1']);
    // A change of the membership leaves the policy of the client unchanged.
    expect((await owner.patch(`/v1/api/users/${userId}`, { policyId: null, displayName: 'Ada' })).status).toBe(200);
    expect(keysOf(await member[0]!.get(itemsOf(me.workspaceId)))).toEqual(['A-1', 'A-2']);
  });

  it('applies in its workspace only, also to requests that name none', async () => {
    const { userId, clientId, member } = await addMember();
    const theirs = await services[0]!.provision();
    const they = await new Api(services[0]!.baseUrl).signIn(theirs);
    await fill(they, theirs.workspaceId);
    const { email } = (await owner.get(`/v1/api/users/${userId}`)).body.data as { email: string };
    expect((await they.post('/v1/api/users', { email })).status).toBe(201);
    // An invitation does not show the client, which the service knows before.
    expect((await they.get(`/v2/api/workspaces/${theirs.workspaceId}/clients/${clientId}`)).status).toBe(404);
    const accepted = await member[0]!.post(`/v1/api/users/me/invitations/${theirs.workspaceId}/accept`, {});
    expect(accepted.status).toBe(200);
    const before = await member[0]!.get('/v1/api/workspaces');
    expect((await assign(clientId, await createPolicy({ plant: 'AT10' }))).status).toBe(200);
    expect(keysOf(await member[0]!.get(itemsOf(theirs.workspaceId)))).toHaveLength(3);
    expect(keysOf(await member[0]!.get(itemsOf(me.workspaceId)))).toEqual(['A-1', 'A-2']);
    expect(before.body.data.items).toHaveLength(2);
    expect((await member[0]!.get(`/v1/api/users?workspaceId=${theirs.workspaceId}`)).status).toBe(200);
    const path = `/v2/api/workspaces/${theirs.workspaceId}/clients/${clientId}`;
    expect((await they.get(path)).body.data.policyId).toBeNull();
  });

  it('leaves an owner the role of an editor', async () => {
    const { clientId, member } = await addMember('owner');
    expect((await member[0]!.get(clients)).status).toBe(200);
    const policyId = await createPolicy({ plant: 'AT10' });
    expect((await assign(clientId, policyId)).status).toBe(200);
    for (const api of member) {
      const answer = await api.patch(`${clients}/${clientId}`, { policyId: null });
      expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_role']);
    }
  });

  it('is not assigned to the client of the request', async () => {
    const answer = await assign(me.clientId, await createPolicy({ plant: 'AT10' }));
    expect([answer.status, answer.body.error]).toEqual([409, 'own_client']);
    expect((await owner.get(`${clients}/${me.clientId}`)).body.data.policyId).toBeNull();
    expect((await assign(me.clientId, null)).status).toBe(200);
  });

  it('cannot be deleted, or be that of another workspace', async () => {
    const { clientId, member } = await addMember();
    const policyId = await createPolicy({ plant: 'AT10' });
    expect((await assign(clientId, policyId)).status).toBe(200);
    const used = await owner.delete(`${workspace}/access-policies/${policyId}`);
    expect([used.status, used.body.error]).toEqual([409, 'policy_in_use']);
    for (const wrong of [me.workspaceId, randomUUID()]) {
      const answer = await assign(clientId, wrong);
      expect([answer.status, answer.body.error]).toEqual([422, 'policy_not_assignable']);
    }
    expect(keysOf(await member[0]!.get(itemsOf(me.workspaceId)))).toEqual(['A-1', 'A-2']);
    expect((await assign(clientId, null)).status).toBe(200);
    expect((await owner.delete(`${workspace}/access-policies/${policyId}`)).status).toBe(200);
  });

  it('continues to apply after the membership was archived and restored, even if it was deleted meanwhile', async () => {
    const { userId, clientId, member } = await addMember();
    const policyId = await createPolicy({ plant: 'AT10' });
    expect((await assign(clientId, policyId)).status).toBe(200);
    expect((await owner.delete(`/v1/api/users/${userId}`)).status).toBe(200);
    expect((await owner.get(`${clients}/${clientId}`)).status).toBe(404);
    expect((await assign(clientId, null)).status).toBe(404);
    expect((await owner.delete(`${workspace}/access-policies/${policyId}`)).status).toBe(200);
    expect((await owner.post(`/v1/api/users/${userId}/restore`, {})).status).toBe(200);
    expect((await owner.get(`${clients}/${clientId}`)).body.data.policyId).toBe(policyId);
    expect((await member[0]!.get(itemsOf(me.workspaceId))).status).toBe(403);
    expect((await assign(clientId, null)).status).toBe(200);
    expect(keysOf(await member[0]!.get(itemsOf(me.workspaceId)))).toHaveLength(3);
  });

  it('is in the audit log and in an event, once per change', async () => {
    const { userId, clientId } = await addMember();
    const policyId = await createPolicy({ plant: 'AT10' });
    const { latestSequence: after } = (await owner.get(`${workspace}/events?limit=1`)).body.data;
    for (const each of [policyId, policyId, null, null]) expect((await assign(clientId, each)).status).toBe(200);
    expect((await owner.patch(`${clients}/${clientId}`, {})).status).toBe(200);
    const { items } = (await owner.get(`${workspace}/audit?kind=access_policy_assigned&limit=100`)).body.data;
    const own = (items as { details: { reason: string; userId: string } }[])
      .map(({ details }) => details)
      .filter(({ reason }) => reason.includes(clientId));
    expect(own.map(({ reason }) => reason)).toEqual([
      `client ${clientId}, policyId: none`,
      `client ${clientId}, policyId: ${policyId}`,
    ]);
    expect(own.map((each) => each.userId)).toEqual([userId, userId]);
    const path = `${workspace}/events?after=${after}&types=audit.access_policy_assigned&wait=10`;
    const { events } = (await owner.get(path)).body.data as {
      events: { data: { entry: { details: { reason: string } } } }[];
    };
    expect(events.some(({ data }) => data.entry.details.reason.includes(clientId))).toBe(true);
  });
});

it('the clients of members are listed by pages, for owners only', async () => {
  const members = [await addMember(), await addMember(), await addMember()];
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '2' });
    if (cursor !== undefined) query.set('cursor', cursor);
    const { status, body } = await owner.get(`${clients}?${query}`);
    expect(status).toBe(200);
    found.push(...(body.data.items as { id: string }[]).map(({ id }) => id));
    cursor = (body.data.nextCursor ?? undefined) as string | undefined;
  } while (cursor !== undefined);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toEqual(expect.arrayContaining([me.clientId, ...members.map(({ clientId }) => clientId)]));
  const others = await services[0]!.provision();
  expect(found).not.toContain(others.clientId);
  for (const id of [others.clientId, 'x', `${me.clientId}x`, '%00'])
    expect((await owner.get(`${clients}/${id}`)).status).toBe(404);
  const editor = members[0]!.member[0]!;
  for (const answer of [await editor.get(clients), await assign(me.clientId, null, editor)])
    expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_role']);
});
