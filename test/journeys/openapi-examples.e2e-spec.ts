import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { signIn } from '../support/tokens.js';

interface Operation {
  requestBody?: { content: Record<string, { examples?: Record<string, { value: Record<string, unknown> }> }> };
  parameters: { name: string; in: string; schema: { example?: string } }[];
}

const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Partial<Record<'get' | 'post', Operation>>>;
};

const posts = Object.entries(paths).flatMap(([path, { post }]) => {
  const { examples = {} } = post?.requestBody?.content['application/json'] ?? {};
  return Object.values(examples).map((example): [string, Record<string, unknown>] => [path, example.value]);
});

/** Somebody in Swagger UI fills in their own workspace, project and secrets, and presses Execute. */
describe('the examples of the OpenAPI document', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database);
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const pair = () => signIn(api, me);

  async function fillIn(body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const secrets = { client_id: me.clientId, client_secret: me.clientSecret };
    if (body['grant_type'] === 'password') return { ...body, ...secrets };
    if (body['grant_type'] === 'refresh_token') return { ...body, refresh_token: (await pair()).refresh_token };
    if ('token' in body) return { ...body, ...secrets, token: (await pair()).access_token };
    if ('projectId' in body)
      return { ...body, projectId: (await api.get('/v1/api/projects')).body.data.items[0].id as string };
    return body;
  }

  it('are there for every body', () => {
    const bodies = Object.values(paths).filter(({ post }) => post?.requestBody);
    expect(new Set(posts.map(([path]) => path)).size).toBe(bodies.length);
  });

  /** The path as it is called, with the examples of its parameters. */
  function called(path: string, { parameters }: Operation): string {
    return path.replace(/\{(\w+)\}/g, (_, name) => {
      if (name === 'workspaceId') return me.workspaceId;
      return encodeURIComponent(parameters.find((parameter) => parameter.name === name)!.schema.example!);
    });
  }

  it.each(posts)('work: POST %s', async (path, body) => {
    const answer = await api.post(called(path, paths[path]!.post!), await fillIn(body));
    expect([200, 201]).toContain(answer.status);
  });

  const reads = Object.entries(paths).filter(([path, { get }]) => get && path.includes('{table}'));

  it.each(reads)('read back: GET %s', async (path, { get }) => {
    const answer = await api.get(called(path, get!));
    expect(answer.status).toBe(200);
    expect(answer.body.data.items.length).toBeGreaterThan(0);
  });
});
