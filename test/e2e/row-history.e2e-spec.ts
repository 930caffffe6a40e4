import { setTimeout as delay } from 'node:timers/promises';
import { Api, type ApiResponse } from '../support/api.js';
import { shareService, type SharedService } from '../support/shared-services.js';
import type { Database } from '../support/database.js';
import { TableAdministration } from '../support/table-administration.js';
import { column, Tables, text, unique } from '../support/tables.js';

let service: SharedService;
let database: Database;
let tables: TableAdministration;
let userId: string;

beforeAll(async () => {
  ({ service, database } = await shareService());
  const me = await service.provision();
  userId = me.userId;
  tables = TableAdministration.for(Tables.of(service, me));
}, 60_000);

const COLUMNS = [text('Key'), text('Name'), column('Weight', 'number'), column('Parent', 'hierarchyParent')];
const ENTRY = { at: expect.any(String), by: expect.any(String), batchId: null };

async function createTable(items: unknown[] = [], columns = COLUMNS): Promise<string> {
  const name = unique('History');
  expect((await tables.bulk('locations', { name, columns, items })).status).toBe(201);
  return name;
}

const pathOf = (table: string) => `${tables.path}/locations/${encodeURIComponent(table)}`;
const bulk = (table: string, items: unknown[]) => tables.bulk('locations', { name: table, items });
const put = (table: string, key: string, row: object) => tables.api.put(`${pathOf(table)}/items/${key}`, row);
const remove = (table: string, key: string) => tables.api.delete(`${pathOf(table)}/items/${key}`);
const rename = (table: string, key: string, to: string) =>
  tables.api.post(`${pathOf(table)}/items/${key}/rename`, { key: to });
const history = (table: string, key: string, query = '') =>
  tables.api.get(`${pathOf(table)}/items/${key}/history${query}`);
const page = (table: string, query: string) => tables.api.get(`${pathOf(table)}/items?${query}`);
const itemsOf = ({ body }: ApiResponse) => body.data.items;
const restore = (table: string, body: object, query = '') => tables.api.post(`${pathOf(table)}/restore${query}`, body);
const revisionOf = async (table: string) => (await page(table, 'limit=1')).body.data.table.revision as number;

async function differences(table: string, query: string): Promise<any[]> {
  const response = await fetch(`${service.baseUrl}${pathOf(table)}/differences?${query}`, {
    headers: tables.api.headers,
  });
  return (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the history of a row', () => {
  it('lists who changed which values when, the newest first', async () => {
    const table = await createTable([{ key: 'a', name: 'first', weight: 1 }]);
    const changed = await bulk(table, [{ key: 'a', weight: 2 }]);
    await put(table, 'a', { name: 'third' });
    await remove(table, 'a');
    await put(table, 'a', { name: 'again' });
    const { status, body } = await history(table, 'a');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ historySince: 0, hasMore: false, nextCursor: null });
    expect(body.data.items).toEqual([
      { ...ENTRY, revision: 5, change: 'created', columns: { key: change(null, 'a'), name: change(null, 'again') } },
      { ...ENTRY, revision: 4, change: 'deleted', columns: { key: change('a', null), name: change('third', null) } },
      {
        ...ENTRY,
        revision: 3,
        change: 'updated',
        columns: { name: change('first', 'third'), weight: change(2, null) },
      },
      {
        ...ENTRY,
        revision: 2,
        change: 'updated',
        by: userId,
        batchId: changed.body.data.batchId,
        columns: { weight: change(1, 2) },
      },
      {
        ...ENTRY,
        revision: 1,
        change: 'created',
        batchId: expect.any(String),
        columns: { key: change(null, 'a'), name: change(null, 'first'), weight: change(null, 1) },
      },
    ]);
    expect((await history(table, 'b')).status).toBe(404);
  });

  it('continues under the former keys of a renamed row, without those of another row', async () => {
    const table = await createTable([
      { key: 'a', name: 'one' },
      { key: 'c', name: 'other' },
    ]);
    await remove(table, 'c');
    await rename(table, 'a', 'b');
    await put(table, 'b', { name: 'two' });
    await rename(table, 'b', 'c');
    const entries = itemsOf(await history(table, 'c')).map(({ revision, change, columns }: any) => [
      revision,
      change,
      columns,
    ]);
    expect(entries).toEqual([
      [5, 'renamed', { key: change('b', 'c') }],
      [4, 'updated', { name: change('one', 'two') }],
      [3, 'renamed', { key: change('a', 'b') }],
      [1, 'created', { key: change(null, 'a'), name: change(null, 'one') }],
    ]);
    expect(itemsOf(await history(table, 'a'))[0]).toMatchObject({
      revision: 3,
      change: 'renamed',
      columns: { key: change('a', 'b') },
    });
  });

  it('has pages', async () => {
    const table = await createTable([{ key: 'a', weight: 0 }]);
    for (let weight = 1; weight <= 5; weight++) await put(table, 'a', { weight });
    await remove(table, 'a');
    const all = itemsOf(await history(table, 'a'));
    const read: unknown[] = [];
    for (let query: string | undefined = '?limit=2'; query;) {
      const { data } = (await history(table, 'a', query)).body as {
        data: { items: unknown[]; nextCursor: string | null };
      };
      read.push(...data.items);
      query = data.nextCursor ? `?limit=2&cursor=${data.nextCursor}` : undefined;
    }
    expect(read).toEqual(all);
    expect(all).toHaveLength(7);
    expect(await tables.api.get(`${pathOf(table)}/item/history?key=a`)).toMatchObject({ status: 200 });
  });

  it('remains if the table is renamed to the former name of another table, also for undo', async () => {
    const table = await createTable([{ key: 'a', name: 'first' }]);
    const { batchId } = (await bulk(table, [{ key: 'a', name: 'second' }])).body.data;
    const other = await createTable([{ key: 'other' }]);
    for (let write = 0; write < 5; write++) await bulk(other, [{ key: 'other', name: `${write}` }]);
    const renameTable = async (from: string, to: string) =>
      expect((await tables.api.put(`${pathOf(from)}?confirm=${from}`, { name: to })).status).toBe(200);
    await renameTable(other, unique('Elsewhere'));
    await renameTable(table, other);
    expect((await page(other, 'asOf=1')).body.data.items).toEqual([expect.objectContaining({ name: 'first' })]);
    expect(itemsOf(await history(other, 'a')).map(({ change }: any) => change)).toEqual(['updated', 'created']);
    // The revisions of the other table are not valid.
    expect((await tables.api.get(`${pathOf(other)}/changes?since=3`)).status).toBe(410);
    await renameTable(other, table);
    expect((await tables.api.post(`${tables.path}/batches/${batchId}/undo`)).status).toBe(200);
    expect(itemsOf(await page(table, ''))).toEqual([expect.objectContaining({ key: 'a', name: 'first' })]);
  });

  it('marks what an undo and a restoration have restored', async () => {
    const table = await createTable([{ key: 'a', name: 'first' }]);
    const { batchId } = (await bulk(table, [{ key: 'a', name: 'second' }])).body.data;
    await tables.api.post(`${tables.path}/batches/${batchId}/undo`);
    expect((await restore(table, { asOf: '2', keys: ['a'] })).status).toBe(200);
    expect(itemsOf(await history(table, 'a')).map(({ change }: any) => change)).toEqual([
      'restored',
      'restored',
      'updated',
      'created',
    ]);
  });
});

describe('reads as of a moment', () => {
  it('return pages, rows, counts, children, subtrees, paths, groups and exports as they were', async () => {
    const first = [
      { key: 'a', name: 'A', weight: 1, parent: null },
      { key: 'b', name: 'B', weight: 2, parent: 'a' },
      { key: 'c', name: 'C', weight: 3, parent: 'b' },
    ];
    const table = await createTable(first);
    await bulk(table, [
      { key: 'b', weight: 20, parent: null },
      { key: 'd', parent: 'b' },
    ]);
    await remove(table, 'a');
    await rename(table, 'c', 'z');
    const then = 'asOf=1';
    expect(itemsOf(await page(table, then))).toEqual(first);
    expect((await page(table, `${then}&count=exact&filter[weight][gte]=2`)).body.data).toMatchObject({
      total: 2,
      table: { revision: 1 },
      items: [{ key: 'b' }, { key: 'c' }],
    });
    expect(itemsOf(await page(table, `${then}&under=b`)).map(({ key }: any) => key)).toEqual(['b', 'c']);
    expect(itemsOf(await page(table, `${then}&under=a&depth=1`)).map(({ key }: any) => key)).toEqual(['a', 'b']);
    expect(itemsOf(await page(table, `asOf=2&sort=-weight`)).map(({ key }: any) => key)).toEqual(['d', 'b', 'c', 'a']);
    expect(itemsOf(await tables.api.get(`${pathOf(table)}/items/a/children?${then}`))).toEqual([first[1]]);
    expect((await tables.api.get(`${pathOf(table)}/items/a?${then}`)).body.data).toMatchObject({
      revision: 1,
      item: first[0],
    });
    expect((await tables.api.get(`${pathOf(table)}/item?key=z&${then}`)).status).toBe(404);
    expect(
      (await tables.api.get(`${pathOf(table)}/items/c/path?${then}`)).body.data.path.map(({ key }: any) => key),
    ).toEqual(['a', 'b', 'c']);
    const groups = (await tables.api.get(`${pathOf(table)}/aggregate?measures=count,sum(weight)&${then}`)).body.data
      .items;
    expect(groups[0].measures).toEqual({ count: 3, 'sum(weight)': 6 });
    const csv = await tables.api.get(`${pathOf(table)}/export?fields=key&${then}`, { Accept: 'text/csv' });
    expect(csv.body).toBe('key\na\nb\nc\n');
    // Pages continue at the moment.
    const { nextCursor } = (await page(table, `${then}&limit=2`)).body.data;
    expect(itemsOf(await page(table, `${then}&limit=2&cursor=${nextCursor}`))).toEqual([first[2]]);
    expect((await page(table, `asOf=2&limit=2&cursor=${nextCursor}`)).body.error).toBe('invalid_cursor');
  });

  it('accept a time, by which referenced tables are read, too', async () => {
    const site = await createTable([{ key: 's', name: 'Old site' }]);
    const reference = { ...column('Site', 'reference'), options: { target: { entity: 'location', table: site } } };
    await tables.api.put(pathOf(site), { options: { title: 'name' } });
    const table = await createTable([{ key: 'a', site: 's' }], [text('Key'), reference]);
    const { at } = itemsOf(await history(table, 'a'))[0];
    await put(site, 's', { name: 'New site' });
    await put(table, 'a', { site: null });
    const query = `asOf=${encodeURIComponent(at)}&expand=site&filter[site.name]=Old+site`;
    expect((await page(table, query)).body.data).toMatchObject({
      items: [{ key: 'a', site: 's' }],
      expanded: { site: { s: { title: 'Old site' } } },
    });
    expect(itemsOf(await page(table, `asOf=${at.replace('Z', '%2B00:00')}`))).toEqual([{ key: 'a', site: 's' }]);
  });

  it('have the columns of now', async () => {
    const table = await createTable([{ key: 'a', name: 'x', weight: 1 }]);
    await tables.edit('locations', table, { columns: [text('Added')] });
    await put(table, 'a', { added: 'new' });
    await tables.api.delete(`${pathOf(table)}/columns/weight?confirm=weight`);
    expect(itemsOf(await page(table, 'asOf=1'))).toEqual([{ key: 'a', name: 'x', parent: null, added: null }]);
  });

  it('have an ETag that changes with the columns', async () => {
    const table = await createTable([{ key: 'a' }]);
    const first = await page(table, 'asOf=1');
    const etag = first.headers.get('ETag')!;
    await put(table, 'a', { name: 'x' });
    expect((await tables.api.get(`${pathOf(table)}/items?asOf=1`, { 'If-None-Match': etag })).status).toBe(304);
    await tables.edit('locations', table, { columns: [text('Added')] });
    expect((await tables.api.get(`${pathOf(table)}/items?asOf=1`, { 'If-None-Match': etag })).status).toBe(200);
  });

  it.each([
    ['tomorrow', 400, 'invalid_query'],
    ['2026-03-01', 400, 'invalid_query'],
    ['2026-03-01T08:00', 400, 'invalid_query'],
    ['2026-13-01T08:00:00Z', 400, 'invalid_query'],
    ['2999-01-01T00:00:00Z', 400, 'invalid_query'],
    ['-1', 400, 'invalid_query'],
    ['99', 400, 'unknown_revision'],
  ])('rejects %s', async (asOf, status, error) => {
    const table = await createTable([{ key: 'a' }]);
    const { status: answered, body } = await page(table, `asOf=${asOf}`);
    expect([answered, body.error, body.details.errors[0].field]).toEqual([status, error, 'asOf']);
  });

  it('accept a time after the start of the history and before its first change', async () => {
    const readNow = async (table: string) =>
      itemsOf(await page(table, `asOf=${new Date(Date.now() - 1).toISOString()}`));
    const waitAndRead = (table: string) => delay(20).then(() => readNow(table));
    const table = await createTable([{ key: 'a', name: 'x' }]);
    for (const historyDays of [0, 30]) {
      await tables.edit('locations', table, { columns: [text(`Added ${historyDays}`)] });
      expect((await tables.edit('locations', table, { options: { historyDays } })).status).toBe(200);
    }
    expect(await waitAndRead(table)).toMatchObject([{ key: 'a', name: 'x' }]);
    // A new table with the name of a dropped one continues its revisions.
    await put(table, 'a', { name: 'y' });
    await tables.api.delete(`${pathOf(table)}?confirm=${encodeURIComponent(table)}`);
    await tables.bulk('locations', { name: table, columns: COLUMNS, items: [] });
    expect(await waitAndRead(table)).toEqual([]);
  });

  it('reject moments before the history exactly at its limit', async () => {
    const table = await createTable([{ key: 'a', name: 'first' }]);
    await put(table, 'a', { name: 'second' });
    await put(table, 'a', { name: 'third' });
    const { id } = (await page(table, 'limit=1')).body.data.table;
    const age = (revision: number, ago: string) =>
      database.query(`UPDATE table_revisions SET at = now() - $3::interval WHERE table_id = $1 AND revision = $2`, [
        id,
        revision,
        ago,
      ]);
    await age(1, '40 days');
    await age(2, '30 days -10 seconds');
    // The first rows were current until the second revision, less than 30 days ago.
    expect(itemsOf(await page(table, 'asOf=1'))).toMatchObject([{ name: 'first' }]);
    await age(2, '30 days 10 seconds');
    const { status, body } = await page(table, 'asOf=1');
    expect([status, body.error]).toEqual([410, 'history_expired']);
    expect(body.message).toMatch(/^"asOf" is before the history of the table ".*", which starts at revision 2 \(.*Z\)/);
    expect(itemsOf(await page(table, 'asOf=2'))).toMatchObject([{ name: 'second' }]);
    expect((await history(table, 'a')).body.data).toMatchObject({ historySince: 2 });
    expect(itemsOf(await history(table, 'a')).map(({ revision }: any) => revision)).toEqual([3]);
    expect((await tables.api.get(`${pathOf(table)}/differences?from=1`)).status).toBe(410);
    expect((await restore(table, { asOf: '1', keys: ['a'] })).status).toBe(410);
  });
});

describe('differences between two moments', () => {
  it('are streamed with a summary', async () => {
    const table = await createTable([{ key: 'a', name: 'A' }, { key: 'b', name: 'B' }, { key: 'same' }]);
    await bulk(table, [{ key: 'a', name: 'new' }, { key: 'c' }, { key: 'gone' }]);
    await remove(table, 'b');
    await remove(table, 'gone');
    await put(table, 'a', { name: 'newer' });
    expect(await differences(table, 'from=1')).toEqual([
      { change: 'update', key: 'a', columns: { name: change('A', 'newer') } },
      { change: 'delete', key: 'b', columns: { name: change('B', null) } },
      { change: 'create', key: 'c', columns: {} },
      { summary: { create: 1, update: 1, delete: 1 } },
    ]);
    expect(await differences(table, 'from=1&to=2')).toEqual([
      { change: 'update', key: 'a', columns: { name: change('A', 'new') } },
      { change: 'create', key: 'c', columns: {} },
      { change: 'create', key: 'gone', columns: {} },
      { summary: { create: 2, update: 1, delete: 0 } },
    ]);
    expect(await differences(table, 'from=5&to=5')).toEqual([{ summary: { create: 0, update: 0, delete: 0 } }]);
    const reversed = await tables.api.get(`${pathOf(table)}/differences?from=2&to=1`);
    expect([reversed.status, reversed.body.details.errors[0].field]).toEqual([400, 'to']);
  });
});

describe('a restoration', () => {
  it('sets rows back as one batch, which can be undone', async () => {
    const first = [
      { key: 'a', name: 'A', weight: 1, parent: null },
      { key: 'b', name: 'B', weight: 2, parent: null },
    ];
    const table = await createTable(first);
    await bulk(table, [
      { key: 'a', name: 'new', weight: 9 },
      { key: 'c', name: 'C' },
    ]);
    await remove(table, 'b');
    const before = await tables.rows('locations', table);
    const dry = await restore(table, { asOf: '1', keys: ['a', 'b', 'c', 'unknown'] }, '?dryRun=true');
    expect(dry.body.data.totals).toMatchObject({ created: 1, updated: 1, deleted: 1 });
    // A revision as responses contain it.
    const byNumber = await restore(table, { asOf: 1, keys: ['a', 'b', 'c'] }, '?dryRun=true');
    expect(byNumber.body.data.totals).toEqual(dry.body.data.totals);
    expect(await tables.rows('locations', table)).toEqual(before);
    expect(dry.body.data.missingKeys).toEqual(['unknown']);
    const answer = await restore(table, { asOf: '1', keys: ['a', 'b', 'c', 'unknown', 'also unknown'] });
    expect([answer.status, answer.body.data.totals, answer.body.data.missingKeys]).toEqual([
      200,
      expect.objectContaining({ created: 1, updated: 1, deleted: 1 }),
      ['also unknown', 'unknown'],
    ]);
    expect(await tables.rows('locations', table)).toEqual(first);
    // A key is sent as in other requests: trimmed, and without characters that PostgreSQL cannot store.
    const trimmed = await restore(table, { asOf: '1', keys: [' a '] }, '?dryRun=true');
    expect([trimmed.status, trimmed.body.data.missingKeys]).toEqual([200, []]);
    const rejected = await restore(table, { asOf: '1', keys: ['a\0'] });
    expect([rejected.status, rejected.body.details.errors[0].field]).toEqual([400, 'keys']);
    const { batchId } = answer.body.data;
    expect((await tables.api.get(`${tables.path}/batches/${batchId}`)).body.data.source).toBe('restore');
    expect((await tables.api.post(`${tables.path}/batches/${batchId}/undo`)).status).toBe(200);
    expect(await tables.rows('locations', table)).toEqual(before);
  });

  it('selects rows that match a filter now or then, and leaves columns that were added since', async () => {
    const table = await createTable([
      { key: 'a', name: 'AT10', weight: 1 },
      { key: 'b', name: 'AT20', weight: 1 },
    ]);
    await tables.edit('locations', table, { columns: [text('Added')] });
    await bulk(table, [
      { key: 'a', name: 'AT20', added: 'x' },
      { key: 'b', weight: 2 },
      { key: 'c', name: 'AT10' },
    ]);
    await restore(table, { asOf: '1', filter: { name: 'AT10' } });
    expect(await tables.rows('locations', table)).toMatchObject([
      { key: 'a', name: 'AT10', weight: 1, added: 'x' },
      { key: 'b', name: 'AT20', weight: 2 },
    ]);
    expect(await revisionOf(table)).toBe(4);
  });

  it('needs exactly one selection', async () => {
    const table = await createTable([{ key: 'a' }]);
    for (const selection of [{}, { keys: ['a'], filter: { key: 'a' } }])
      expect(await restore(table, { asOf: '1', ...selection })).toMatchObject({ status: 400 });
    expect((await restore(table, { asOf: '1', filter: {} })).status).toBe(400);
  });
});

describe('callers with an access policy', () => {
  it('read former rows that were in the permitted part then, without hidden columns', async () => {
    const me = await service.provision();
    const owner = await new Api(service.baseUrl).signIn(me);
    const workspace = `/v2/api/workspaces/${me.workspaceId}`;
    const path = `${workspace}/cw/assets/Pumps`;
    const columns = [text('Key'), text('Plant'), column('Price', 'number')];
    const push = (items: object[]) =>
      owner.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: 'Pumps', columns, items }] });
    await push([
      { key: 'left', plant: 'AT10', price: 1 },
      { key: 'entered', plant: 'DE20', price: 2 },
      { key: 'stayed', plant: 'AT10', price: 3 },
    ]);
    await push([
      { key: 'left', plant: 'DE20' },
      { key: 'entered', plant: 'AT10' },
      { key: 'stayed', price: 4 },
    ]);
    const rule = { entity: 'assets', table: 'Pumps', filter: { plant: 'AT10' }, columns: { hidden: ['price'] } };
    const policy = { name: 'Plant AT10', scopes: ['read:workspaces'], tables: [rule] };
    const { id } = (await owner.post(`${workspace}/access-policies`, policy)).body.data;
    const { apiKey } = (await owner.post(`${workspace}/api-keys`, { name: 'Key', policyId: id })).body.data;
    const caller = new Api(service.baseUrl).withKey(apiKey);
    expect(itemsOf(await caller.get(`${path}/items?asOf=1`))).toEqual([
      { key: 'left', plant: 'AT10' },
      { key: 'stayed', plant: 'AT10' },
    ]);
    expect((await caller.get(`${path}/items/entered?asOf=1`)).status).toBe(404);
    expect((await caller.get(`${path}/items/left?asOf=1`)).body.data.item).toEqual({ key: 'left', plant: 'AT10' });
    const { body } = await caller.get(`${path}/differences?from=1`);
    expect(
      (body as string)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { change: 'create', key: 'entered', columns: { plant: change(null, 'AT10') } },
      { change: 'delete', key: 'left', columns: { plant: change('AT10', null) } },
      { summary: { create: 1, update: 0, delete: 1 } },
    ]);
    const { items } = (await caller.get(`${path}/items/left/history`)).body.data;
    expect(items.map(({ revision, change: kind }: any) => [revision, kind])).toEqual([
      [2, 'deleted'],
      [1, 'created'],
    ]);
    expect((await caller.post(`${path}/restore`, { asOf: '1', keys: ['stayed'] })).status).toBe(403);
    expect((await caller.get(path)).body.data.history).toEqual({ since: 0, bytes: null });
    expect((await owner.get(path)).body.data.history.bytes).toBeGreaterThan(0);
  });
});

function change(from: unknown, to: unknown) {
  return { from, to };
}
