import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64 } from '../support/files.js';
import { findCodes, findComponent, loadDocument, resolveShared } from '../support/openapi.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { signIn } from '../support/tokens.js';

const STAGINGS = '/v1/api/virtual-stagings';

type JsonObject = Record<string, unknown>;

interface Content {
  examples?: Record<string, { value: unknown }>;
  example?: unknown;
  encoding?: Record<string, { contentType: string }>;
  schema?: { example?: string };
}

interface Operation {
  requestBody?: { content: Record<string, Content> };
  parameters: { name: string; in: string; required?: boolean; schema: { example?: string | number } }[];
}

const { paths } = loadDocument<{ paths: Record<string, Partial<Record<'get' | 'post' | 'put', Operation>>> }>();

/** The example of a body, or its named ones. */
const examplesOf = ({ example, examples = {} }: Content = {}) =>
  [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);

const posts = Object.entries(paths).flatMap(([path, { post }]) =>
  examplesOf(post?.requestBody?.content['application/json']).map((example) => [path, example] as [string, JsonObject]),
);

const FILE_TYPES = ['application/x-ndjson', 'text/csv', 'text/plain'];

/** Examples of bodies that are files or texts. */
const files = Object.entries(paths).flatMap(([path, { post }]) =>
  FILE_TYPES.flatMap((type) => {
    const media = post?.requestBody?.content[type];
    const texts = [...examplesOf(media), media?.schema?.example] as (string | undefined)[];
    return texts.flatMap((text): [string, string, string][] => (text === undefined ? [] : [[path, type, text]]));
  }),
);

const FORM_TYPE = 'multipart/form-data';

/** Examples of forms whose parts have a type. */
const forms = Object.entries(paths).flatMap(([path, { post }]) => {
  const { example, encoding } = post?.requestBody?.content[FORM_TYPE] ?? {};
  return example && encoding ? [[path, example as Record<string, string>, encoding] as const] : [];
});

/** The examples must work as in Swagger UI, after only workspace, project and secrets are filled in. */
describe('the examples of the OpenAPI document', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    // The demo workspace has the example tables from its first start.
    const [, tables] = posts.find(([path]) => path.endsWith('/cw/bulk'))!;
    await api.post(`/v2/api/workspaces/${me.workspaceId}/cw/bulk`, tables);
  });

  it('of notes and messages have a photo', () => {
    const notes = '/v2/api/workspaces/{workspaceId}/notes';
    const paths = ['/v1/api/notes', '/v1/api/notes/messages', notes, `${notes}/{id}/messages`, '/v1/public/saveThread'];
    const withPhoto = posts.filter(
      ([path, { files }]) => paths.includes(path) && JSON.stringify(files).includes('.png'),
    );
    expect(withPhoto.map(([path]) => path).sort()).toEqual(paths.sort());
  });

  const signInAgain = () => signIn(api, me);

  const create = async (path: string, body: object, caller = api): Promise<string> =>
    (await caller.post(path, body)).body.data.id as string;
  const findProject = async () => (await api.get('/v1/api/projects')).body.data.items[0].id as string;
  const createNote = async (caller = api, path = '/v1/api/notes') =>
    create(path, { projectId: await findProject() }, caller);

  /** Creates a virtual staging that a renderer has claimed, with one rendered image. */
  async function claimStaging(): Promise<{ id: string; claimToken: string }> {
    const files = [base64('picture.png')];
    const tourId = await create('/v1/api/tours', { projectId: await findProject(), title: 'A tour' });
    await create(STAGINGS, { tourId, type: 'stage', files });
    const { staging, claimToken } = (await api.post(`${STAGINGS}/claims`, {})).body.data;
    await api.post(`${STAGINGS}/${staging.id}/variations`, { claimToken, label: 'Warm', files });
    return { id: staging.id, claimToken };
  }

  /** Creates a table whose loads need approval, and a load. */
  async function createProposal(): Promise<string> {
    const tables = `/v2/api/workspaces/${me.workspaceId}/cw`;
    const table = { name: `Approved ${Math.random()}`, columns: [{ name: 'Key', type: 'text' }] };
    await api.post(`${tables}/lists/bulk`, { lists: [{ ...table, items: [] }] });
    await api.put(`${tables}/lists/${table.name}`, { options: { approval: { required: true } } });
    const answer = await api.post(`${tables}/lists/bulk`, { lists: [{ name: table.name, items: [{ key: 'a' }] }] });
    return answer.body.data.proposalId as string;
  }

  async function fillIn(body: Record<string, unknown>, path: string): Promise<Record<string, unknown>> {
    if (path.endsWith('/bulk') && Array.isArray(body['items']))
      return { items: await Promise.all((body['items'] as Record<string, unknown>[]).map((item) => fillIn(item, ''))) };
    const secrets = { client_id: me.clientId, client_secret: me.clientSecret };
    if (body['grant_type'] === 'password') return { ...body, ...secrets };
    if (body['grant_type'] === 'refresh_token') return { ...body, refresh_token: (await signInAgain()).refresh_token };
    if ('token' in body) return { ...body, ...secrets, token: (await signInAgain()).access_token };
    if ('projectId' in body) return { ...body, projectId: await findProject() };
    if ('tourId' in body)
      return { ...body, tourId: await create('/v1/api/tours', { projectId: await findProject(), title: 'A tour' }) };
    if ('threadId' in body) {
      const isPublic = path.startsWith('/v1/public/');
      const threadId = isPublic
        ? await createNote(new Api(service.baseUrl), '/v1/public/saveThread')
        : await createNote();
      return { ...body, threadId };
    }
    return body;
  }

  it('has an example for every request body', () => {
    const bodies = Object.values(paths).filter(({ post }) => post?.requestBody);
    expect(new Set([...posts, ...files, ...forms].map(([path]) => path)).size).toBe(bodies.length);
  });

  /** The path with the examples of its parameters filled in. */
  function filledPath(path: string, { parameters }: Operation): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      if (name === 'workspaceId') return me.workspaceId;
      return encodeURIComponent(parameters.find((parameter) => parameter.name === name)!.schema.example!);
    });
    const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
    const query = new URLSearchParams(
      needed.map(({ name, schema }): [string, string] => [name, String(schema.example)]),
    );
    return query.size > 0 ? `${filled}?${query.toString()}` : filled;
  }

  it.each(posts)('accepts the example of POST %s', async (path, body) => {
    const noteId = path.includes('/notes/{id}') ? await createNote() : '';
    const proposalId = path.includes('/proposals/{id}') ? await createProposal() : '';
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const keyId = path.includes('/api-keys/{id}') ? await create(keys, { name: 'Example' }) : '';
    const { id, ...claim } = 'claimToken' in body ? await claimStaging() : { id: noteId || proposalId || keyId };
    const filled = { ...(await fillIn(body, path)), ...claim };
    const answer = await api.post(filledPath(path.replace('{id}', id), paths[path]!.post!), filled);
    expect([200, 201]).toContain(answer.status);
  });

  const edits = Object.entries(paths).flatMap(([path, { put }]) =>
    examplesOf(put?.requestBody?.content['application/json']).map(
      (example) => [path, example, put!] as [string, object, Operation],
    ),
  );

  it.each(edits)('accepts the example of PUT %s', async (path, body, operation) => {
    const policies = `/v2/api/workspaces/${me.workspaceId}/access-policies`;
    const id = path.includes('/access-policies/{id}') ? await create(policies, { name: 'Replaced' }) : '';
    expect((await api.put(filledPath(path.replace('{id}', id), operation), body)).status).toBe(200);
  });

  it.each(files)('accepts the example of POST %s with the type %s', async (path, type, file) => {
    const answer = await api.post(filledPath(path, paths[path]!.post!), file, { 'Content-Type': type });
    expect(answer.status).toBe(200);
  });

  it.each(forms)('accepts the example of the form of POST %s', async (path, example, encoding) => {
    const parts = Object.entries(example).map(([name, content]) => {
      const head = `Content-Disposition: form-data; name="${name}"\r\nContent-Type: ${encoding[name]!.contentType}`;
      return `--form\r\n${head}\r\n\r\n${content}\r\n`;
    });
    const headers = { 'Content-Type': `${FORM_TYPE}; boundary=form` };
    const answer = await api.post(filledPath(path, paths[path]!.post!), `${parts.join('')}--form--\r\n`, headers);
    expect(answer.status).toBe(200);
  });

  const reads = Object.entries(paths).filter(
    ([path, { get }]) => get && path.includes('{table}') && !/\/(?:export|differences)$/.test(path),
  );

  it('streams the differences between two moments', async () => {
    const path = '/v2/api/workspaces/{workspaceId}/cw/{entity}/{table}/differences';
    const { status, headers } = await api.get(filledPath(path, paths[path]!.get!));
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  });

  it.each(reads)('returns data for the examples of GET %s', async (path, { get }) => {
    const answer = await api.get(filledPath(path, get!));
    expect(answer.status).toBe(200);
    const { items, columns, path: steps, item } = answer.body.data;
    // There may be no unresolved references, and no rows that violate a constraint.
    const mayBeEmpty = path.endsWith('/unresolved') || path.endsWith('/violations');
    if (!mayBeEmpty) expect((items ?? columns ?? steps ?? [item]).length).toBeGreaterThan(0);
  });

  it('every success other than 200 has its own status in Swagger UI', async () => {
    const { body } = await api.get('/docs/openapi.json');
    const { paths: shown } = resolveShared(body) as { paths: Record<string, Record<string, { responses: Responses }>> };
    const successes = Object.values(shown)
      .flatMap((methods) => Object.values(methods).flatMap(({ responses }) => Object.entries(responses)))
      .filter(([status, { content }]) => /^2(?!00)/.test(status) && content?.['application/json']);
    expect(successes.length).toBeGreaterThan(20);
    const wrong = successes.filter(
      ([status, { content }]) => content!['application/json'].schema.properties?.status.example !== Number(status),
    );
    expect(wrong).toEqual([]);
  });

  it('no example of a success in Swagger UI contains errors, except of a partial one', async () => {
    const { body } = await api.get('/docs/openapi.json');
    const { paths: shown } = resolveShared(body) as { paths: Record<string, Record<string, { responses: Responses }>> };
    const found = Object.values(shown).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) =>
        Object.entries(responses)
          .filter(([status]) => /^2/.test(status))
          .map(([status, { content }]) => [status, findErrors(body, content?.['application/json']?.schema)] as const),
      ),
    );
    const withErrors = (partial: boolean) =>
      found.filter(([status]) => (status === '207') === partial).flatMap(([, errors]) => errors);
    expect(withErrors(false)).toEqual([]);
    expect(withErrors(true).length).toBeGreaterThan(5);
  });

  it('every error has an example in Swagger UI, with its status and one of its codes', async () => {
    const { body } = await api.get('/docs/openapi.json');
    const errors = errorsOf(body);
    expect(errors.length).toBeGreaterThan(500);
    const wrong = errors.filter(
      ({ status, codes, example }) => example?.status !== Number(status) || !codes.includes(example.error),
    );
    expect(wrong).toEqual([]);
  });
});

/** Names of the properties that contain errors or an end, and whose example is not empty. */
function findErrors(document: unknown, schema: unknown, seen: readonly string[] = []): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const { $ref, allOf, items, properties } = schema as Record<string, unknown>;
  const next = typeof $ref === 'string' && !seen.includes($ref) ? findComponent(document, $ref) : undefined;
  const inner = [next, items, ...((allOf as unknown[] | undefined) ?? [])].flatMap((part) =>
    findErrors(document, part, typeof $ref === 'string' ? [...seen, $ref] : seen),
  );
  const own = Object.entries((properties as Record<string, { example?: unknown }> | undefined) ?? {}).flatMap(
    ([name, property]) => {
      if (!['errors', 'error', 'warnings', 'archivedAt', 'disabledReason'].includes(name))
        return findErrors(document, property, seen);
      return property.example === null || JSON.stringify(property.example) === '[]' ? [] : [name];
    },
  );
  return [...inner, ...own];
}

interface ErrorMedia {
  schema: { properties?: { status: { example: number } } };
  example?: { status: number; error: string };
}

type Responses = Record<string, { content?: { 'application/json': ErrorMedia } }>;

function errorsOf(document: unknown) {
  const { paths } = resolveShared(document) as { paths: Record<string, Record<string, { responses: Responses }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status >= '400')
        .map(([status, { content }]) => {
          const { example } = content!['application/json'];
          return { name: `${method} ${path} ${status}`, status, codes: findCodes(responses, status), example };
        }),
    ),
  );
}
