import type { Credentials } from '../support/credentials.js';
import { loadDocument } from '../support/openapi.js';
import { type PostmanCollection, PostmanRunner } from '../support/postman.js';
import { type SharedService, shareService } from '../support/shared-services.js';

const MAX_BYTES = 500_000;

let service: SharedService;
let me: Credentials;
let collection: PostmanCollection;
let response: Response;
let text: string;

beforeAll(async () => {
  ({ service } = await shareService());
  me = await service.provision();
  response = await fetch(`${service.baseUrl}/downloads/atrium.postman_collection.json`);
  text = await response.text();
  collection = JSON.parse(text) as PostmanCollection;
}, 60_000);

describe('the collection of Postman', () => {
  it('has the form of Postman, less than 500 kB and the headers of a document', () => {
    expect(collection.info.schema).toContain('/v2.1.0/');
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('etag')).toMatch(/^"/);
  });

  it('has each operation of the document once, in the folder of its group, with all parameters', () => {
    const { paths } = loadDocument<{ paths: Record<string, Record<string, { summary: string; tags: string[] }>> }>();
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { summary, tags }]) =>
        [tags[0], summary, method.toUpperCase(), path].join(' '),
      ),
    );
    const requests = collection.item.flatMap(({ name: group, item }) =>
      item.map(({ name, request: { method, url } }) => {
        const path = url.raw.replace('{{baseUrl}}', '').replace('{{workspaceId}}', '{workspaceId}');
        const named = path.replace(/:(\w+)/g, '{$1}');
        const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter);
        expect(url.variable.map(({ key }) => key).sort()).toEqual(parameters.sort());
        return [group, name, method, named].join(' ');
      }),
    );
    expect(requests.sort()).toEqual(operations.sort());
  });

  it('contains no variable that it does not define', () => {
    const used = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
    expect(collection.variable.map(({ key }) => key)).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});

describe('requests of the collection', () => {
  let runner: PostmanRunner;

  beforeAll(() => {
    const { clientId, clientSecret, apiKey } = me;
    runner = new PostmanRunner(collection, { baseUrl: service.baseUrl, clientId, clientSecret, apiKey });
  });

  it('sign in by themselves, and choose the workspace', async () => {
    const { status, body } = await runner.send('List workspaces');
    expect([status, body.data.items[0].id]).toEqual([200, me.workspaceId]);
    expect(runner.variables.get('workspaceId')).toBe(me.workspaceId);
    const token = runner.variables.get('accessToken');
    await runner.send('List workspaces');
    expect(runner.variables.get('accessToken')).toBe(token);
    runner.variables.set('accessTokenExpiresAt', String(Date.now() + 30_000));
    await runner.send('List workspaces');
    expect(runner.variables.get('accessToken')).not.toBe(token);
  });

  it('sign in again after a change of the client or the address, and choose a workspace of the client', async () => {
    const other = await service.provision();
    const { clientId, clientSecret } = me;
    const own = new PostmanRunner(collection, { baseUrl: service.baseUrl, clientId, clientSecret });
    await own.send('List workspaces');
    const list = async (values: Record<string, string>) => {
      for (const [key, value] of Object.entries(values)) own.variables.set(key, value);
      const { body } = await own.send('List workspaces');
      return [body.data.items[0].id, own.variables.get('workspaceId')];
    };
    const { workspaceId } = other;
    expect(await list({ clientId: other.clientId, clientSecret: other.clientSecret })).toEqual([
      workspaceId,
      workspaceId,
    ]);
    // A workspace that was set remains.
    expect(await list({ clientId, clientSecret, workspaceId: 'mine' })).toEqual([me.workspaceId, 'mine']);
    const token = own.variables.get('accessToken');
    await list({ baseUrl: service.baseUrl.replace('127.0.0.1', 'localhost') });
    expect(own.variables.get('accessToken')).not.toBe(token);
  });

  it('sign in again after the end of the session', async () => {
    await runner.send('List your sessions');
    expect((await runner.send('End the current session')).status).toBe(200);
    expect((await runner.send('List your sessions')).status).toBe(200);
    runner.variables.set('accessToken', 'ended elsewhere');
    expect((await runner.send('List your sessions')).status).toBe(401);
    expect((await runner.send('List your sessions')).status).toBe(200);
  });

  it('push, query and import the example tables, and create and get a record', async () => {
    expect((await runner.send('Upsert rows of several tables')).status).toBe(201);
    expect((await runner.send('Read assets')).body.data.items.length).toBeGreaterThan(0);
    expect((await runner.send('Query rows')).status).toBe(200);
    const imported = await runner.send('Import rows into a table');
    expect(imported.body.data.totals.received).toBe(2);
    const several = await runner.send('Import rows into several tables');
    expect([several.status, several.body.data.totals.received]).toEqual([200, 4]);
    const { body } = await runner.send('Create a project');
    expect((await runner.send('Get a project', { id: body.data.id })).body.data.name).toBe('Boiler house retrofit');
  });

  it('are authorized as the operation requires it', async () => {
    expect((await runner.send('Get a token pair')).body.data ?? {}).toHaveProperty('access_token');
    expect((await runner.send('Upsert master data of the legacy schema')).status).toBeLessThan(300);
    expect((await runner.send('Get the keys that verify access tokens')).body.keys).not.toHaveLength(0);
  });
});
