import { gzipSync } from 'node:zlib';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { column, manyRows, Tables, text } from '../support/tables.js';

/** A request that read all its texts at once would need more than this heap. */
const HEAP_MB = 256;
const LONG = 'a'.repeat(100_000);
const CELLS = manyRows(9, (at) => `C${at}`);
const ROWS = 150;
const NDJSON = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };

jest.setTimeout(300_000);

let database: TestDatabase;
let service: TestService;
let me: Credentials;
let api: Api;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, { NODE_OPTIONS: `${preload()} --max-old-space-size=${HEAP_MB}` });
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  tables = Tables.of(service, me);
});

afterEach(async () => expect((await new Api(service.baseUrl).get('/health/live')).status).toBe(200));

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const pathOf = (name: string) => `${tables.path}/lists/${name}`;

async function create(name: string, columns: object[], items: object[] = []): Promise<void> {
  const { status, body } = await tables.bulk('lists', { name, columns: [text('K'), ...columns] as never, items });
  expect([status, body.details]).toEqual([201, undefined]);
}

/** Sends rows with a long text in each cell, compressed. */
function load(name: string, rows: number, cells: readonly string[], query = ''): Promise<ApiResponse> {
  const values = Object.fromEntries(cells.map((cell) => [cell, LONG]));
  const lines = manyRows(rows, (at) => JSON.stringify({ K: `k${at}`, ...values }));
  return api.send(`${pathOf(name)}/items/import${query}`, {
    method: 'POST',
    headers: NDJSON,
    body: gzipSync(lines.join('\n')),
  });
}

it('titles of referenced rows are shortened', async () => {
  await create('Titles', [text('Name')]);
  await api.put(pathOf('Titles'), { options: { title: 'name' } });
  expect((await load('Titles', 3_000, ['Name'])).body.data.totals.created).toBe(3_000);
  const reference = (name: string) => ({
    ...column(name, 'reference'),
    options: { target: { entity: 'list', table: 'Titles' } },
  });
  const keys = manyRows(3_000, (at) => ({ k: `r${at}`, a: `k${at}`, b: `k${at}` }));
  await create('Refs', [reference('A'), reference('B')], keys);
  const { status, body } = await api.get(`${pathOf('Refs')}/items?limit=5000&expand=a,b&fields=k`);
  expect([status, body.data.items.length]).toEqual([200, 3_000]);
  expect(Object.keys(body.data.expanded.a)).toHaveLength(3_000);
  expect(body.data.expanded.b.k7.title).toBe(`${'a'.repeat(255)}…`);
});

it('rows that violate constraints are listed by the beginnings of their values', async () => {
  const constrained = CELLS.map((name) => ({ ...text(name), options: { maxLength: 5, pattern: '^b' } }));
  await create('Constrained', constrained);
  const { status, body } = await load('Constrained', ROWS, CELLS);
  expect([status, body.error, body.details.total]).toEqual([422, 'invalid_rows', ROWS * CELLS.length * 2]);
  expect(body.details.errors[0].message).toContain('aaa…" has more.');
});

it('the changes of a proposal are read in pages', async () => {
  await create(
    'Approved',
    CELLS.map((name) => text(name)),
  );
  await api.put(pathOf('Approved'), { options: { approval: { required: true } } });
  const proposed = await load('Approved', ROWS, CELLS);
  expect(proposed.status).toBe(202);
  const path = `${tables.path}/proposals/${proposed.body.data.proposalId}`;
  const response = await fetch(`${service.baseUrl}${path}/differences`, { headers: api.headers });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += (chunk as Uint8Array).length;
  expect(bytes).toBeGreaterThan(ROWS * CELLS.length * LONG.length);
  expect((await api.post(`${path}/approve`, {})).status).toBe(200);
});

it('a restoration of too many bytes is rejected', async () => {
  await create(
    'Restored',
    CELLS.map((name) => text(name)),
  );
  expect((await load('Restored', ROWS, CELLS)).status).toBe(200);
  const { revision } = (await api.get(`${pathOf('Restored')}/items?limit=1`)).body.data.table;
  const keys = manyRows(ROWS, (at) => `k${at}`);
  expect((await api.post(`${pathOf('Restored')}/items/delete`, { keys })).status).toBe(200);
  const restore = (filter: object) => api.post(`${pathOf('Restored')}/restore`, { asOf: String(revision), filter });
  const { status, body } = await restore({ k: { null: false } });
  expect([status, body.error, body.details]).toEqual([413, 'too_large', { limit: 16 * 1024 * 1024 }]);
  expect((await restore({ k: { in: keys.slice(0, 10) } })).body.data.totals.created).toBe(10);
});

it('versions of a row that are larger than a page are listed', async () => {
  const names = manyRows(30, (at) => `C${at}`);
  await create(
    'Wide',
    names.map((name) => text(name)),
  );
  const wide = '日'.repeat(100_000);
  // A request has at most 1 MiB, a row may become larger.
  for (const [at, name] of names.entries()) {
    const { status } = await (at === 0
      ? api.put(`${pathOf('Wide')}/items/w`, { [name.toLowerCase()]: wide })
      : api.patch(`${pathOf('Wide')}/items/w`, { [name.toLowerCase()]: wide }));
    expect([200, 201]).toContain(status);
  }
  await api.patch(`${pathOf('Wide')}/items/w`, { c0: 'x' });
  const { status, body } = await api.get(`${pathOf('Wide')}/items/w/history?limit=200`);
  expect([status, body.data.hasMore, body.data.items[0].columns.c0.to]).toEqual([200, true, 'x']);
  const cursor = encodeURIComponent(body.data.nextCursor as string);
  const next = await api.get(`${pathOf('Wide')}/items/w/history?limit=200&cursor=${cursor}`);
  expect([next.status, next.body.data.items[0].change]).toEqual([200, 'updated']);
});

it('versions of a row are listed in pages', async () => {
  await create(
    'Versions',
    CELLS.map((name) => text(name)),
  );
  for (let at = 0; at < 40; at++) {
    const values = Object.fromEntries(CELLS.map((name) => [name.toLowerCase(), `${at}${LONG.slice(3)}`]));
    expect([200, 201]).toContain((await api.put(`${pathOf('Versions')}/items/v`, values)).status);
  }
  const revisions: number[] = [];
  let pages = 0;
  for (let next = ''; ; pages++) {
    const { body } = await api.get(`${pathOf('Versions')}/items/v/history?limit=200${next}`);
    for (const { revision, change } of body.data.items) {
      revisions.push(revision as number);
      expect(change).toBe(revisions.length === 40 ? 'created' : 'updated');
    }
    if (!body.data.hasMore) break;
    next = `&cursor=${encodeURIComponent(body.data.nextCursor as string)}`;
  }
  expect(pages).toBeGreaterThan(2);
  expect(revisions).toHaveLength(40);
});
