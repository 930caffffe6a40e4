import { operations } from '../support/contract/document.js';
import { pathReference } from '../support/contract/requests.js';
import { World } from '../support/contract/world.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

/** Each ends a path with a segment that is empty, `.` or `..`. */
const SEGMENTS = ['/', '//', '/.', '/..', '/%2e%2e', '/%2E.', '/.%2e', '/../', '/./'];
/** Each changes the last segment of a path. */
const TEXTS = ['%2F', '%2e%2e', '%2F%2e%2e', '..'];

/** Tables that a request without an effect may write. */
const TRACES = "('credentials', 'sessions', 'auth_events', 'rate_buckets', 'job_queues')";

let database: TestDatabase;
let service: TestService;
let world: World;
let me: Credentials;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database);
  world = await World.create(service);
  me = await service.provision();
  tables = Tables.of(service, me);
  // Events are numbered, and previews made, after their commit. The use of an API key is recorded once per minute.
  await until(async () => (await database.query('SELECT FROM pending_events')).length === 0);
  await until(async () => (await database.query("SELECT FROM blobs WHERE preview = 'pending'")).length === 0);
  await database.query("UPDATE api_keys SET last_used_at = now() + interval '1 hour'");
});

afterAll(async () => {
  world?.close();
  await service?.stop();
  await database?.drop();
});

/** A digest of the content of each table. */
async function readContents(): Promise<Record<string, string>> {
  const rows = await database.query<{ name: string; digest: string }>(
    `SELECT table_schema || '.' || table_name AS name,
            md5(query_to_xml(format('SELECT * FROM %I.%I t ORDER BY t::text', table_schema, table_name), true, false, '')::text) AS digest
       FROM information_schema.tables
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name NOT IN ${TRACES}`,
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

const routes = operations.map((operation) => ({
  operation,
  path: operation.path.replace(/\{(\w+)\}/g, (_, name: string) => pathReference(operation.path, name)),
}));

/** The code and the message of an error, also of the OData feed. */
function readError({ text }: { text: string }): { error: string; message: string } {
  const [, code, xml] = /<m:code>(.*?)<\/m:code><m:message[^>]*>(.*?)<\/m:message>/s.exec(text) ?? [];
  if (code !== undefined) return { error: code, message: xml!.replaceAll('&quot;', '"') };
  const { error, message } = JSON.parse(text) as { error: string | { code: string; message: string }; message: string };
  return typeof error === 'string' ? { error, message } : { error: error.code, message: error.message };
}

function send(operation: (typeof operations)[number], path: string) {
  const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : Buffer.from('{"name":"dots"}');
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body) headers['Content-Type'] = 'application/json';
  return world.send({ operation, caller: 'key', path, headers, body });
}

describe('a path of the API with more at its end', () => {
  it('is a known path without it', async () => {
    expect(routes.length).toBeGreaterThan(90);
    for (const { operation, path } of routes) {
      const answer = await send({ ...operation, method: 'LOCK' }, path);
      expect([path, answer.status, answer.headers['allow']]).toEqual([
        path,
        405,
        expect.stringContaining(operation.method),
      ]);
    }
  });

  it.each(SEGMENTS)('returns 404 and writes nothing for the segment %s', async (suffix) => {
    const before = await readContents();
    const wrong: string[] = [];
    for (const { operation, path } of routes) {
      // The URL of an OData service ends with a slash; its feed only reads.
      if (suffix === '/' && path.startsWith('/odata/')) continue;
      const answer = await send(operation, path + suffix);
      const { error, message } = readError(answer);
      const named = path.replace(/\{\{.*/, '');
      const isRight =
        answer.status === 404 &&
        error === 'not_found' &&
        message.startsWith(`There is no ${operation.method} ${named}`);
      if (!isRight || !message.includes(suffix)) wrong.push(`${operation.method} ${path}${suffix}: ${answer.text}`);
    }
    expect(wrong.join('\n')).toBe('');
    expect(await readContents()).toEqual(before);
  });

  it.each(TEXTS)('writes nothing for the text %s', async (suffix) => {
    const before = await readContents();
    for (const { operation, path } of routes) {
      // It creates another row, whose key has the suffix.
      if (operation.method === 'PUT' && operation.path.endsWith('/items/{key}')) continue;
      const { status } = await send(operation, path + suffix);
      if (operation.method !== 'GET') expect([operation.path, status >= 400]).toEqual([operation.path, true]);
    }
    expect(await readContents()).toEqual(before);
  });
});

describe('a row or table whose name a client alters in a path', () => {
  const path = () => `${tables.path}/assets`;

  beforeAll(async () => {
    const items = ['.', '..', 'A', 'A/', 'A..'].map((code) => ({ code, name: code }));
    await tables.bulk('assets', { name: 'Dots', columns: [text('Code'), text('Name')], items });
    await tables.bulk('assets', { name: '..', columns: [text('Code')], items: [{ code: 'A' }] });
  });

  it.each(['DELETE', 'PUT', 'PATCH'])('is not the table for %s of the row ".." by its path', async (method) => {
    for (const key of ['..', '.', '%2e%2e', '']) {
      const body = method === 'DELETE' ? undefined : { name: 'dots' };
      const answer = await tables.api.send(`${path()}/Dots/items/${key}`, { method, body });
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
    expect(await tables.rows('assets', 'Dots')).toHaveLength(5);
  });

  it.each(['.', '..', 'A/', 'A..'])('is the row %s with item?key=', async (key) => {
    const row = `${path()}/Dots/item?${new URLSearchParams({ key }).toString()}`;
    expect(await tables.api.patch(row, { name: 'changed' })).toMatchObject({
      status: 200,
      body: { data: { item: { code: key } } },
    });
    expect((await tables.api.delete(row)).status).toBe(200);
    expect((await tables.api.get(row)).status).toBe(404);
    expect((await tables.api.put(row, { name: 'again' })).status).toBe(201);
  });

  it.each(['.', '..', 'A/'])('has its path, its children and another key with item?key=: %s', async (key) => {
    const name = unique('Places');
    const columns = [text('Code'), text('Parent', { type: 'hierarchyParent' })];
    const children = ['C1', 'C2', 'C3'].map((code) => ({ code, parent: key }));
    await tables.bulk('locations', { name, columns, items: [{ code: key }, ...children] });
    const table = `${tables.path}/locations/${encodeURIComponent(name)}`;
    const at = (form: string, of = key, more = {}) =>
      `${table}/item/${form}?${new URLSearchParams({ key: of, ...more }).toString()}`;
    expect((await tables.api.get(at('path', 'C1'))).body.data.path.map((step: { key: string }) => step.key)).toEqual([
      key,
      'C1',
    ]);
    // The link to the next page is a form that works.
    const page = await tables.api.get(at('children', key, { limit: '2' }));
    expect(page.body.data.items.map(({ code }: { code: string }) => code)).toEqual(['C1', 'C2']);
    const [, next] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link')!)!;
    const { pathname, search } = new URL(next!);
    expect((await tables.api.get(pathname + search)).body.data.items).toMatchObject([{ code: 'C3' }]);
    expect((await tables.api.post(at('rename'), { key: 'Top' })).status).toBe(200);
    const renamed = (await tables.api.get(at('children', 'Top'))).body.data.items as { parent: string }[];
    expect(renamed.map(({ parent }) => parent)).toEqual(['Top', 'Top', 'Top']);
  });

  it('has links that work on all pages of the table .. by its ID', async () => {
    const { items } = (await tables.api.get(path())).body.data as { items: { id: string; name: string }[] };
    const { id } = items.find(({ name }) => name === '..')!;
    await tables.api.put(`${path()}/${id}/items/B`, {});
    for (const list of ['items?limit=1', 'changes?since=0&limit=1']) {
      const { headers } = await tables.api.get(`${path()}/${id}/${list}`);
      const [, next] = /<([^>]*)>; rel="next"/.exec(headers.get('link')!)!;
      const { pathname, search } = new URL(next!);
      expect((await tables.api.get(pathname + search)).status).toBe(200);
    }
  });

  it('is the table .. by its ID', async () => {
    const { items } = (await tables.api.get(path())).body.data as { items: { id: string; name: string }[] };
    const { id } = items.find(({ name }) => name === '..')!;
    expect((await tables.api.get(`${path()}/${id}/items/A`)).status).toBe(200);
    expect((await tables.api.delete(`${path()}/${id}?confirm=..`)).status).toBe(200);
  });
});

describe('a request that removes a part of the definition of a table', () => {
  const path = () => `${tables.path}/lists/Proof`;
  const rejected = {
    status: 400,
    body: { error: 'invalid_request', details: { errors: [{ field: 'confirm', code: 'confirmation_required' }] } },
  };
  const wrong = ['', '?confirm=', '?confirm=Proofs', '?confirm=name'];

  beforeEach(() =>
    tables.bulk('lists', { name: 'Proof', columns: [text('Code'), text('Name')], items: [{ code: 'A' }] }),
  );

  it.each(wrong)('does not drop the table with "%s"', async (query) => {
    // The version proves nothing: it may be that of a row.
    expect(await tables.api.delete(path() + query, { 'If-Match': '*' })).toMatchObject(rejected);
    expect((await tables.api.get(path())).status).toBe(200);
  });

  it.each(['', '?confirm=code', '?confirm=Proof'])('does not drop a column with "%s"', async (query) => {
    expect(await tables.api.delete(`${path()}/columns/name${query}`)).toMatchObject(rejected);
    expect((await tables.api.get(path())).body.data.columns).toHaveLength(2);
  });

  it.each(wrong)('does not rename the table with "%s"', async (query) => {
    expect(await tables.api.put(path() + query, { name: 'Other' })).toMatchObject(rejected);
    expect((await tables.api.get(path())).body.data.name).toBe('Proof');
  });

  it('renames, drops a column and drops the table with its name, in any letter case', async () => {
    expect((await tables.api.put(`${path()}?confirm=proof`, { name: 'Proof 2' })).status).toBe(200);
    expect((await tables.api.delete(`${path()}%202/columns/NAME?confirm=Name`)).status).toBe(200);
    expect((await tables.api.delete(`${path()}%202?confirm=PROOF%202`)).status).toBe(200);
  });

  it('names in the message what to send', async () => {
    const { body } = await tables.api.delete(path());
    expect(body.message).toBe('The parameter confirm is missing. Nothing was changed. To confirm, send confirm=Proof.');
  });
});
