import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { shareService, type SharedService } from '../support/shared-services.js';
import { signIn } from '../support/tokens.js';

let service: SharedService;
let me: Credentials;
let owner: Api;

const pathOf = ({ workspaceId }: Credentials) => `/v2/api/workspaces/${workspaceId}/access`;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  owner = await new Api(service.baseUrl).signIn(me);
});

describe('GET /v2/api/workspaces/{workspaceId}/access', () => {
  it('has the role of the caller, and all scopes of a session for everything', async () => {
    const { status, body } = await owner.get(pathOf(me));
    expect([status, body.data]).toMatchObject([200, { userId: me.userId, role: 'owner' }]);
    expect(body.data.scopes).toEqual(expect.arrayContaining(['api', 'read:users', 'delete:tours', 'write:workspaces']));
  });

  it('has the scopes of an API key with those that they include', async () => {
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const { body } = await owner.post(keys, { name: 'Tables', scopes: ['write:workspaces'] });
    const caller = new Api(service.baseUrl).withKey(body.data.apiKey as string);
    expect((await caller.get(pathOf(me))).body.data.scopes).toEqual(['read:workspaces', 'write:workspaces']);
  });

  it('has only the scopes that the access policies leave', async () => {
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    const policy = await owner.post(`${workspace}/access-policies`, { name: 'Scopes', scopes: ['read:workspaces'] });
    const policyId = policy.body.data.id as string;
    const { body } = await owner.post(`${workspace}/api-keys`, { name: 'Restricted', scopes: ['api'], policyId });
    const caller = new Api(service.baseUrl).withKey(body.data.apiKey as string);
    expect((await caller.get(pathOf(me))).body.data.scopes).toEqual(['read:workspaces']);
  });

  it('is not found in a workspace of others, and needs read:workspaces', async () => {
    const other = await service.provision();
    expect((await owner.get(pathOf(other))).status).toBe(404);
    const api = new Api(service.baseUrl);
    const { access_token } = await signIn(api, me, ['read:tours']);
    expect((await api.withToken(access_token).get(pathOf(me))).status).toBe(403);
  });
});
