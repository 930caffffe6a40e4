import type { Database } from '../support/database.js';
import { CLEANING, type SharedService, shareService } from '../support/shared-services.js';
import { Api } from '../support/api.js';
import { column, type Item, keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

let database: Database;
let service: SharedService;
let tables: Tables;
let api: Api;

beforeAll(async () => {
  ({ database, service } = await shareService(CLEANING));
  tables = Tables.of(service, await service.provision());
  api = tables.api;
}, 60_000);

afterAll(() => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
});

const COLUMNS = [
  text('Key'),
  text('Name', { required: true }),
  column('Weight', 'number'),
  column('Parent', 'hierarchyParent'),
];

async function createTable(items: unknown[]): Promise<string> {
  const name = unique('Rows');
  expect((await tables.bulk('locations', { name, columns: COLUMNS, items })).status).toBe(201);
  return name;
}

const at = (table: string, rest: string) => `${tables.path}/locations/${encodeURIComponent(table)}/${rest}`;
const byPath = (table: string, key: string) => at(table, `items/${encodeURIComponent(key)}`);
const byQuery = (table: string, key: string) => at(table, `item?key=${encodeURIComponent(key)}`);
const PUMP = { key: 'P', name: 'Pump', weight: 1, parent: null };

describe.each([
  ['items/{key}', byPath],
  ['item?key=', byQuery],
])('a row by %s', (_, of) => {
  it('a row has an ETag of its revision and its values', async () => {
    const table = await createTable([PUMP]);
    const read = await api.get(of(table, 'P'));
    expect(read).toMatchObject({ status: 200, body: { data: { item: PUMP, revision: 1, table: { name: table } } } });
    const etag = read.headers.get('etag')!;
    expect(etag).toMatch(/^"1-[\w-]{10}"$/);
    const again = () => api.send(of(table, 'P'), { headers: { 'If-None-Match': etag } });
    expect(await again()).toMatchObject({ status: 304 });
    await tables.bulk('locations', { name: table, columns: [text('More')], items: [] });
    expect(await again()).toMatchObject({ status: 200, body: { data: { item: { more: null }, revision: 1 } } });
    expect(
      await api.send(of(table, 'P'), { method: 'PATCH', body: { weight: 7 }, headers: { 'If-Match': etag } }),
    ).toMatchObject({ status: 200 });
    expect(await api.get(of(table, 'Q'))).toMatchObject({ status: 404 });
  });

  it('a row is replaced by PUT: omitted values become empty', async () => {
    const table = await createTable([PUMP]);
    const changed = await api.send(of(table, 'P'), { method: 'PUT', body: { name: 'Feed pump' } });
    expect(changed).toMatchObject({ status: 200, body: { data: { item: { ...PUMP, name: 'Feed pump', weight: null }, revision: 2 } } });
    const created = await api.send(of(table, 'Q'), { method: 'PUT', body: { Name: 'New', parent: 'NOWHERE' } });
    expect(created).toMatchObject({ status: 201, body: { data: { item: { key: 'Q', name: 'New' }, revision: 3, unresolved: [{ column: 'parent', value: 'NOWHERE' }] } } });
    const same = await api.send(of(table, 'P'), { method: 'PUT', body: { key: 'P', name: 'Feed pump' } });
    expect(same).toMatchObject({ status: 200, body: { data: { revision: 2, table: { revision: 3 } } } });
  }); // prettier-ignore

  it('requires a valid key in path and query', async () => {
    const table = await createTable([PUMP]);
    for (const key of ['', ' ', 'x'.repeat(256)]) {
      const answer = await api.send(of(table, key), { method: 'PUT', body: { name: 'x' } });
      expect(answer).toMatchObject(key === '' && of === byPath ? { status: 404 } : { status: 422 });
    }
    const [error] = (await api.send(of(table, 'P'), { method: 'PATCH', body: { key: null } })).body.details.errors;
    expect(error).toMatchObject({ column: 'key', code: 'invalid_key' });
    expect(await tables.rows('locations', table)).toEqual([PUMP]);
  });

  it('a row is changed by PATCH only in the values sent', async () => {
    const table = await createTable([PUMP]);
    const changed = await api.patch(of(table, 'P'), { weight: '2.5' });
    expect(changed).toMatchObject({ status: 200, body: { data: { item: { ...PUMP, weight: 2.5 } } } });
    expect(await api.patch(of(table, 'Q'), { weight: 1 })).toMatchObject({ status: 404 });
  });

  it('a row is deleted, and starts empty if it is created again', async () => {
    const table = await createTable([PUMP, { ...PUMP, key: 'Q', parent: 'P' }]);
    expect(await api.delete(of(table, 'P'))).toMatchObject({ status: 200, body: { data: { key: 'P', table: { revision: 2 } } } });
    expect(await api.get(of(table, 'P'))).toMatchObject({ status: 404 });
    expect(await api.delete(of(table, 'P'))).toMatchObject({ status: 404 });
    expect((await tables.rows('locations', table)).map(({ key }) => key)).toEqual(['Q']);
    expect((await api.get(at(table, 'unresolved'))).body.data.items).toEqual([{ key: 'Q', column: 'parent', value: 'P' }]);
    const back = await tables.bulk('locations', { name: table, items: [{ key: 'P', name: 'Back' }] }, { return: 'items' });
    expect(back.body.data.tables[0].items).toEqual([{ index: 0, key: 'P', status: 'created' }]);
    expect((await api.get(of(table, 'P'))).body.data.item).toEqual({ key: 'P', name: 'Back', weight: null, parent: null });
  }); // prettier-ignore

  it.each([
    ['required', { name: null }],
    ['type_mismatch', { weight: 'heavy' }],
    ['unknown_column', { colour: 'red' }],
    ['hierarchy_cycle', { parent: 'P' }],
    ['invalid_key', { key: 'Q' }],
  ])('a change of a row is rejected with %s', async (code, body) => {
    const table = await createTable([PUMP]);
    for (const method of ['PATCH', 'PUT']) {
      const sent = { name: 'Pump', ...body };
      const { status, body: answer } = await api.send(of(table, 'P'), { method, body: sent });
      expect({ status, errors: answer.details.errors }).toMatchObject({ status: 422, errors: [{ code, key: 'P' }] });
      expect(answer.details.errors[0]).not.toHaveProperty('index');
    }
    expect((await api.get(of(table, 'P'))).body.data).toMatchObject({ item: PUMP, revision: 1 });
  });
});

it.each(['a/b', '..', '.', 'a%2Fb', ' ü ', '?#&', '100%'])('finds the row with the key %j', async (key) => {
  const table = await createTable([{ ...PUMP, key }]);
  const stored = key.trim();
  expect((await api.get(byQuery(table, key))).body.data.item.key).toBe(stored);
  if (!/^\.+$/.test(key)) expect((await api.get(byPath(table, key))).body.data.item.key).toBe(stored);
});

describe('preconditions', () => {
  it('prevent overwriting a version that the caller has not read', async () => {
    const table = await createTable([PUMP, { ...PUMP, key: 'Q' }]);
    const path = byPath(table, 'P');
    const send = (method: string, ifMatch: string, body?: object) =>
      api.send(path, { method, body, headers: { 'If-Match': ifMatch } });
    expect(await send('PATCH', '"2"', { weight: 2 })).toMatchObject({
      status: 412,
      body: { error: 'version_mismatch' },
    });
    expect(await send('PATCH', '"1"', { weight: 2 })).toMatchObject({ status: 200 });
    expect(await send('PUT', '"1"', { name: 'x' })).toMatchObject({ status: 412 });
    expect(await send('DELETE', '"1"')).toMatchObject({ status: 412 });
    // A write to another row changes the revision of the table, but not of this row.
    expect(await api.patch(byPath(table, 'Q'), { weight: 5 })).toMatchObject({ status: 200 });
    expect(await send('DELETE', '"2"')).toMatchObject({ status: 200 });
    expect(await send('PUT', '*', { name: 'x' })).toMatchObject({ status: 412 });
    const create = () => api.send(path, { method: 'PUT', body: { name: 'x' }, headers: { 'If-None-Match': '*' } });
    expect(await create()).toMatchObject({ status: 201 });
    expect(await create()).toMatchObject({ status: 412 });
  });

  it('prevent renaming a version that the caller has not read', async () => {
    const table = await createTable([PUMP]);
    await api.send(byPath(table, 'P'), { method: 'PATCH', body: { weight: 2 } });
    const rename = (ifMatch: string) =>
      api.send(`${byPath(table, 'P')}/rename`, {
        method: 'POST',
        body: { key: 'R' },
        headers: { 'If-Match': ifMatch },
      });
    expect(await rename('"1"')).toMatchObject({ status: 412, body: { error: 'version_mismatch' } });
    expect(await rename('"2"')).toMatchObject({ status: 200, body: { data: { key: 'R' } } });
  });

  it('let one of many concurrent writers succeed', async () => {
    const table = await createTable([PUMP]);
    const answers = await Promise.all(
      manyRows(20, (weight) =>
        api.send(byPath(table, 'P'), { method: 'PATCH', body: { weight: weight + 2 }, headers: { 'If-Match': '"1"' } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...manyRows(19, () => 412)]);
    const created = await Promise.all(
      manyRows(10, (weight) =>
        api.send(byPath(table, 'N'), { method: 'PUT', body: { name: 'n', weight }, headers: { 'If-None-Match': '*' } }),
      ),
    );
    expect(created.map(({ status }) => status).sort()).toEqual([201, ...manyRows(9, () => 412)]);
  });
});

interface Change {
  revision: number;
  key: string;
  deleted: boolean;
  item: Item | null;
}

async function changesOf(table: string, since: number, limit = 3): Promise<{ changes: Change[]; revision: number }> {
  const changes: Change[] = [];
  for (let cursor = ''; ;) {
    const answer = await api.get(at(table, `changes?since=${since}&limit=${limit}${cursor && `&cursor=${cursor}`}`));
    expect(answer.status).toBe(200);
    const { items, nextCursor, revision } = answer.body.data;
    changes.push(...(items as Change[]));
    if (nextCursor === null) return { changes, revision: revision as number };
    cursor = nextCursor as string;
  }
}

describe('the change feed', () => {
  it('lists changes and tombstones by revision and key', async () => {
    const table = await createTable([PUMP, { ...PUMP, key: 'Q' }, { ...PUMP, key: 'R' }]);
    await api.patch(byPath(table, 'Q'), { weight: 7 });
    await api.delete(byPath(table, 'R'));
    await tables.bulk('locations', {
      name: table,
      items: [
        { key: 'A', name: 'a' },
        { key: 'B', name: 'b' },
      ],
    });
    await api.post(at(table, 'items/A/rename'), { key: 'Z' });
    const summary = ({ revision, key, deleted, item }: Change) => [revision, key, deleted, item?.['name'] ?? null];
    const all = await changesOf(table, 0);
    expect(all.changes.map(summary)).toEqual([
      [1, 'P', false, 'Pump'],
      [2, 'Q', false, 'Pump'],
      [3, 'R', true, null],
      [4, 'B', false, 'b'],
      [5, 'A', true, null],
      [5, 'Z', false, 'a'],
    ]);
    expect(all.revision).toBe(5);
    expect((await changesOf(table, 3)).changes.map(({ key }) => key)).toEqual(['B', 'A', 'Z']);
    expect((await changesOf(table, 5)).changes).toEqual([]);
    expect(await api.get(at(table, 'changes?since=6'))).toMatchObject({
      status: 400,
      body: { error: 'unknown_revision' },
    });
    expect(await api.get(at(table, 'changes'))).toMatchObject({ status: 400 });
    for (const since of ['', '%20', '0x1', '1e0', '-1', '1.5', '1&since=2']) {
      const { status, body } = await api.get(at(table, `changes?since=${since}`));
      expect([since, status, body.details?.errors[0].field]).toEqual([since, 400, 'since']);
    }
  });

  it('lists changes that make a copy equal to the table during concurrent writes', async () => {
    const table = await createTable(manyRows(50, (position) => ({ key: keyAt(position), name: 'first' })));
    const copy = new Map<string, Item>();
    let since = 0;
    const follow = async () => {
      const { changes, revision } = await changesOf(table, since, 7);
      for (const { key, deleted, item } of changes) {
        if (deleted) copy.delete(key);
        else copy.set(key, item!);
      }
      since = revision;
    };
    let writing = true;
    const write = async (writer: number) => {
      for (let round = 0; round < 12; round++) {
        const key = keyAt((writer * 13 + round * 7) % 60);
        if (round % 3 === 0) await api.delete(byPath(table, key));
        else await api.send(byPath(table, key), { method: 'PUT', body: { name: `${writer} ${round}` } });
      }
    };
    const writers = Promise.all(manyRows(4, write)).finally(() => (writing = false));
    while (writing) await follow();
    await writers;
    await follow();
    const rows = await tables.rows('locations', table);
    expect([...copy.values()].sort((a, b) => (a['key']! < b['key']! ? -1 : 1))).toEqual(rows);
  });

  it('returns 410 after the tombstones were removed', async () => {
    const table = await createTable([PUMP, { ...PUMP, key: 'Q' }, { ...PUMP, key: 'R' }]);
    await api.delete(byPath(table, 'Q'));
    await api.delete(byPath(table, 'R'));
    const { id } = (await tables.read('locations', table)).body.data.table as { id: string };
    const tombstones = `ws_${tables.workspaceId.replaceAll('-', '')}.d_${id.replaceAll('-', '')}`;
    await database.query(`UPDATE ${tombstones} SET deleted_at = now() - interval '31 days' WHERE key = 'Q'`);
    await database.query(`UPDATE workspace_tables SET tombstones_since = now() - interval '31 days' WHERE id = $1`, [
      id,
    ]);
    await until(async () => (await api.get(at(table, 'changes?since=1'))).status === 410);
    expect((await changesOf(table, 2)).changes.map(({ key, deleted }) => [key, deleted])).toEqual([['R', true]]);
    expect((await changesOf(table, 0)).changes.map(({ key }) => key)).toEqual(['P', 'R']);
  }, 40_000);
});
