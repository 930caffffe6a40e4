import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';

const WORKSPACES = 2_500;
const PROJECTS = '/v1/api/projects';

describe('a caller in 2,500 workspaces', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let outsider: Credentials;
  let ids: string[];
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    me = await service.provision();
    outsider = await service.provision();
    const created = await database.query<{ id: string }>(
      `INSERT INTO workspaces (id, name, slug) SELECT gen_random_uuid(), 'W ' || n, 'w-' || n FROM generate_series(1, $1) n
       RETURNING id::text`,
      [WORKSPACES - 1],
    );
    ids = created.map(({ id }) => id);
    await database.query(
      'INSERT INTO workspace_members (workspace_id, user_id, accepted_at) SELECT id, $2, now() FROM unnest($1::uuid[]) AS id',
      [ids, me.userId],
    );
    api = await new Api(service.baseUrl).signIn(me);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('has access to exactly these workspaces, however a request names them', async () => {
    const [own, other] = [ids[0]!, ids.at(-1)!];
    const project = await api.post(PROJECTS, { name: 'Mine', workspaceId: own });
    expect(project.status).toBe(201);
    expect((await api.get(`${PROJECTS}/${project.body.data.id}`)).status).toBe(200);
    for (const [workspaceId, count] of [
      [own, 1],
      [own.toUpperCase(), 1],
      [other, 0],
    ] as const)
      expect((await api.get(`${PROJECTS}?workspaceId=${workspaceId}`)).body.data.items).toHaveLength(count);
    expect((await api.get(PROJECTS)).body.data.items).toHaveLength(1);
    expect((await api.get(`/v2/api/workspaces/${other}/note-statuses`)).status).toBe(200);

    const foreign = await new Api(service.baseUrl).withKey(outsider.apiKey).post(PROJECTS, { name: 'Not mine' });
    const { workspaceId, id } = foreign.body.data;
    for (const path of [
      `${PROJECTS}/${id}`,
      `${PROJECTS}?workspaceId=${workspaceId}`,
      `/v2/api/workspaces/${workspaceId}/note-statuses`,
    ])
      expect((await api.get(path)).status).toBe(404);
    expect((await api.post(PROJECTS, { name: 'Not mine', workspaceId })).status).toBe(404);
  });

  it('loses a workspace with the next request after the membership ends', async () => {
    const path = `/v2/api/workspaces/${ids[1]}/note-statuses`;
    expect((await api.get(path)).status).toBe(200);
    await database.query('UPDATE workspace_members SET archived_at = now() WHERE workspace_id = $1', [ids[1]]);
    expect((await api.get(path)).status).toBe(404);
    expect((await api.get(`${PROJECTS}?workspaceId=${ids[1]}`)).status).toBe(404);
  });

  it('costs one membership per request that names its workspace', async () => {
    // The connections of a service report their statistics when they end.
    await service.stop();
    const readMemberships = async () => {
      const sql = `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS rows
                     FROM pg_stat_user_tables WHERE relname = 'workspace_members'`;
      return (await database.query<{ rows: number }>(sql))[0]!.rows;
    };
    const before = await readMemberships();
    service = await TestService.start(database);
    const second = new Api(service.baseUrl, api.headers);
    for (const id of ids.slice(10, 60)) {
      expect((await second.get(`/v2/api/workspaces/${id}/note-statuses`)).status).toBe(200);
      expect((await second.get(`${PROJECTS}?workspaceId=${id}`)).status).toBe(200);
    }
    await service.stop();
    expect((await readMemberships()) - before).toBeLessThan(WORKSPACES);
  });
});
