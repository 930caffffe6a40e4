import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';

const USERS = '/v1/api/users';

describe('a database of the version before roles of members and scopes of API keys', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    const former = await TestService.start(database);
    me = await former.provision();
    await former.stop();
    await database.query(`
      ALTER TABLE api_keys DROP COLUMN name, DROP COLUMN scopes, DROP COLUMN prefix, DROP COLUMN created_by,
        DROP COLUMN former_of;
      DROP INDEX ix_api_keys_workspace;
      ALTER TABLE workspace_members DROP COLUMN role;
      DELETE FROM migrations WHERE name LIKE 'MembershipRoles%' OR name LIKE 'ApiKeyScopes%'`);
    service = await TestService.start(database);
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('existing members become owners with the migration, and later ones are editors', async () => {
    const { body } = await api.get(`${USERS}/${me.userId}`);
    expect(body.data.memberships).toMatchObject([{ role: 'owner' }]);
    expect((await api.post(USERS, { email: 'next@example.com' })).body.data.memberships).toMatchObject([
      { role: 'editor' },
    ]);
    // What the former version inserts while both versions run.
    await database.query(
      `INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'former@example.com');
       INSERT INTO workspace_members (workspace_id, user_id, accepted_at)
         SELECT w.id, u.id, now() FROM workspaces w, users u WHERE u.email = 'former@example.com'`,
    );
    const { body: former } = await api.get(`${USERS}?q=former`);
    expect(former.data.items[0].memberships).toMatchObject([{ role: 'editor' }]);
  });

  it('existing API keys remain valid after the migration, with the scope api and as owners', async () => {
    const path = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const [key] = (await api.get(path)).body.data.items;
    expect(key).toMatchObject({ name: 'API key', scopes: ['api'], prefix: null, last4: me.apiKey.slice(-4) });
    expect((await api.post(USERS, { email: 'invited@example.com' })).status).toBe(201);
    const { body } = await api.post(`${path}/${key.id}/rotate`, { overlapS: 60 });
    for (const apiKey of [me.apiKey, body.data.apiKey])
      expect((await new Api(service.baseUrl).withKey(apiKey).get(path)).status).toBe(200);
  });
});
