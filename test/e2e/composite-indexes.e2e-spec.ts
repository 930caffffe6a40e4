import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { readIndexDefinitions } from '../support/index-definitions.js';
import { type SharedService, shareServices } from '../support/shared-services.js';
import { errorsOf, settled, TableAdministration } from '../support/table-administration.js';
import { column, type Item, keyAt, manyRows, Tables, text } from '../support/tables.js';

const COLUMNS = [
  text('Key'),
  text('Maker'),
  column('Weight', 'number'),
  column('Active', 'checkbox'),
  text('Name'),
  column('Parent', 'hierarchyParent'),
];

let database: Database;
/** Two instances of the service on one database. */
let services: SharedService[] = [];
let me: Credentials;
let tables: TableAdministration;
/** Requests to the other instance. */
let other: TableAdministration;

beforeAll(async () => {
  ({ database, services } = await shareServices(2));
  me = await services[0]!.provision();
  tables = TableAdministration.for(Tables.of(services[0]!, me));
  other = TableAdministration.for(Tables.of(services[1]!, me));
}, 60_000);

afterAll(() => {
  for (const service of services)
    expect(service.output.join('')).not.toMatch(/internal_error|40P01|Unhandled|uncaught/i);
});

interface Index {
  columns: string[];
  state: string;
  message: string | null;
}

const pathOf = (table: string, columns: string) => `${tables.pathOf('assets', table)}/indexes/${columns}`;
const create = (table: string, columns: string, headers = {}, of = tables) =>
  of.api.put(pathOf(table, columns), undefined, headers);
const drop = (table: string, columns: string, headers = {}) => tables.api.delete(pathOf(table, columns), headers);
const toIndexes = ({ body }: ApiResponse) => body.data.indexes as Index[];
const indexes = async (table: string) => toIndexes(await tables.get('assets', table));

/** Waits until the only composite index of the table has the state. */
const indexIs = (table: string, state: string) =>
  settled(
    () => indexes(table),
    ([index]) => index?.state === state,
  );

/** The composite indexes of the PostgreSQL table. */
const definitions = async (table: string) => {
  const indexes = await readIndexDefinitions(database, await tables.physical('assets', table), 'i\\_%\\_c%\\_c%');
  return indexes.map(({ terms, valid }) => ({ terms, valid }));
};

/** Makers with equal beginnings, texts longer than the part that an index contains, and empty values. */
const MAKERS = ['ABB', 'x'.repeat(39), 'x'.repeat(40), 'x'.repeat(41), `${'x'.repeat(40)}y`, null];
const NAMES = ['pump', 'é'.repeat(255), 'é'.repeat(256), `${'é'.repeat(256)}a`, `${'é'.repeat(256)}b`, null];
const rowAt = (at: number): Item => ({
  key: keyAt(at),
  maker: MAKERS[at % MAKERS.length]!,
  weight: at % 11 === 0 ? null : (at * 7) % 13,
  active: at % 2 === 0,
  name: NAMES[(at * 5) % NAMES.length]!,
  parent: at < 5 ? null : keyAt(at % 5),
});

describe('a composite index', () => {
  it('is built in the background, listed with its state, and dropped', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(20, rowAt));
    expect(await indexes(name)).toEqual([]);
    const created = await create(name, 'MAKER,weight');
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ message: 'The index was created', data: { revision: 1 } });
    expect(toIndexes(created)).toEqual([{ columns: ['maker', 'weight'], state: 'pending', message: null }]);
    await indexIs(name, 'ready');
    expect(await definitions(name)).toEqual([{ terms: '"left"(c2, 40), c3, c1', valid: true }]);

    const repeated = await create(name, 'maker,weight');
    expect(repeated.status).toBe(200);
    expect(toIndexes(repeated)).toEqual([{ columns: ['maker', 'weight'], state: 'ready', message: null }]);
    expect((await create(name, 'weight,maker')).status).toBe(201);

    expect(toIndexes(await drop(name, 'weight,maker'))).toHaveLength(1);
    expect(toIndexes(await drop(name, 'maker,weight'))).toEqual([]);
    for (const columns of ['maker,weight', 'maker', 'maker,colour', 'weight,maker'])
      expect((await drop(name, columns)).status).toBe(404);
    await settled(
      () => definitions(name),
      (found) => found.length === 0,
    );
  });

  it('can be dropped and requested again repeatedly', async () => {
    const name = await tables.createTable('assets', COLUMNS, [rowAt(1)]);
    for (let round = 0; round < 5; round++) {
      expect((await create(name, 'maker,name')).status).toBe(201);
      expect((await drop(name, 'maker,name')).status).toBe(200);
    }
    await create(name, 'maker,name');
    await indexIs(name, 'ready');
    expect(await definitions(name)).toEqual([{ terms: '"left"(c2, 40), "left"(c5, 256), c1', valid: true }]);
  });

  it('changes the ETag of its table and is requested with If-Match', async () => {
    const name = await tables.createTable('assets', COLUMNS, [rowAt(1)]);
    const etag = (await tables.get('assets', name)).headers.get('etag')!;
    expect((await create(name, 'maker,weight', { 'If-Match': '"2"' })).status).toBe(412);
    const created = await create(name, 'maker,weight', { 'If-Match': etag });
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).not.toBe(etag);
    expect((await drop(name, 'maker,weight', { 'If-Match': '"2"' })).status).toBe(412);
    expect((await drop(name, 'maker,weight', { 'If-Match': etag })).status).toBe(200);
  });

  it.each([
    ['maker', undefined, 'invalid_index', '2 to 4 columns; this has 1'],
    ['maker,weight,active,name,parent', undefined, 'invalid_index', '2 to 4 columns; this has 5'],
    ['maker,colour', 'colour', 'unknown_column', 'no column "colour"'],
    ['maker,,weight', '', 'unknown_column', 'no column ""'],
    ['maker,key', 'key', 'invalid_index', 'primary key'],
    ['maker,Maker', 'maker', 'invalid_index', 'twice'],
  ])('is rejected for the columns %s', async (columns, invalid, code, message) => {
    const name = await tables.createTable('assets', COLUMNS);
    const rejected = await create(name, columns);
    expect(rejected.status).toBe(422);
    expect(rejected.body).toMatchObject({ error: 'invalid_index' });
    const [error] = errorsOf(rejected);
    expect(error).toMatchObject({ type: 'asset', table: name, code, field: 'columns' });
    expect(error!['column']).toBe(invalid);
    expect(error!['message']).toContain(message);
    expect(await indexes(name)).toEqual([]);
  });

  it('is rejected if the table has five', async () => {
    const name = await tables.createTable('assets', COLUMNS);
    const five = ['maker,weight', 'maker,name', 'maker,active', 'weight,name', 'parent,active'];
    for (const columns of five) expect((await create(name, columns)).status).toBe(201);
    const rejected = await create(name, 'name,weight');
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      { code: 'too_many_indexes', message: expect.stringContaining('at most 5') as string },
    ]);
    expect((await create(name, five[4]!)).status).toBe(200);
    await drop(name, five[0]!);
    expect((await create(name, 'name,weight')).status).toBe(201);
  });

  it('requires an existing table and the scope to write', async () => {
    const name = await tables.createTable('assets', COLUMNS);
    expect((await create('No such table', 'maker,weight')).status).toBe(404);
    const reader = await tables.api.signIn(me, ['read:workspaces']);
    expect((await reader.put(pathOf(name, 'maker,weight'), undefined)).status).toBe(403);
    expect((await reader.delete(pathOf(name, 'maker,weight'))).status).toBe(403);
    const otherWorkspace = Tables.of(services[0]!, await services[0]!.provision());
    expect((await otherWorkspace.api.put(pathOf(name, 'maker,weight'), undefined)).status).toBe(404);
  });

  it('remains after renames, and is dropped with any of its columns', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(20, rowAt));
    for (const columns of ['maker,weight', 'active,name']) await create(name, columns);
    await settled(
      () => indexes(name),
      (found) => found.every(({ state }) => state === 'ready'),
    );
    const renamed = `${name} renamed`;
    await tables.edit('assets', name, { name: renamed, columns: [{ key: 'maker', name: 'Manufacturer' }] });
    expect((await indexes(renamed)).map(({ columns, state }) => [columns, state])).toEqual([
      [['maker', 'weight'], 'ready'],
      [['active', 'name'], 'ready'],
    ]);
    const filtered = await tables.rows('assets', renamed, { 'filter[Manufacturer]': 'ABB', sort: '-weight' });
    expect(filtered).toHaveLength(4);
    expect(toIndexes(await tables.dropColumn('assets', renamed, 'weight'))).toMatchObject([
      { columns: ['active', 'name'] },
    ]);
    expect(await definitions(renamed)).toHaveLength(1);
    expect(await tables.rows('assets', renamed, { 'filter[maker]': 'ABB' })).toHaveLength(4);
    // A new column with the same key does not restore the index.
    await tables.edit('assets', renamed, { columns: [{ name: 'Weight', type: 'number' }] });
    expect(await indexes(renamed)).toHaveLength(1);
    expect((await tables.drop('assets', renamed)).status).toBe(200);
  });

  it('reports why it cannot be built and is retried when it is requested again', async () => {
    const name = await tables.createTable('assets', COLUMNS);
    const conflicting = `${(await tables.physical('assets', name)).replace('.t_', '.i_')}_c2_c3`;
    await database.query(`CREATE TABLE ${conflicting} ()`);
    await create(name, 'maker,weight');
    expect((await indexIs(name, 'failed'))[0]!.message).toContain('42P07');
    await database.query(`DROP TABLE ${conflicting}`);
    const retried = await create(name, 'maker,weight');
    expect(retried.status).toBe(200);
    expect(toIndexes(retried)).toMatchObject([{ state: 'pending', message: null }]);
    await indexIs(name, 'ready');
  });

  it('does not change which rows pages contain, in which order', async () => {
    const rows = manyRows(240, rowAt);
    const name = await tables.createTable('assets', COLUMNS, rows);
    await tables.bulk('assets', { name, items: [{ ...rowAt(0), maker: 'ABB' }] });
    await tables.api.delete(`${tables.pathOf('assets', name)}/items/${keyAt(6)}`);
    const queries = [
      ...MAKERS.flatMap((maker) => ['weight', '-weight'].map((sort) => ({ filter: { maker: { eq: maker } }, sort }))),
      { filter: { maker: { gt: 'x'.repeat(40) } }, sort: 'weight' },
      { filter: { maker: { in: ['ABB', 'x'.repeat(41), null] } }, sort: '-weight' },
      ...NAMES.flatMap((each) =>
        ['', 'lte', 'gt'].flatMap((operator) =>
          operator !== '' && each === null
            ? []
            : [{ filter: { active: true, name: { [operator || 'eq']: each } }, sort: '-name' }],
        ),
      ),
      { filter: { active: false, parent: keyAt(3) }, sort: '-name' },
      { filter: { active: false }, sort: 'name' },
      ...NAMES.slice(1, 4).map((each) => ({ filter: { name: { gte: each } }, sort: 'name' })),
      { sort: '-weight,-active' },
    ];
    const readAll = async (query: object) => {
      const keys: unknown[] = [];
      let cursor: string | null = null;
      do {
        const page: ApiResponse = await tables.api.post(`${tables.pathOf('assets', name)}/items/query`, {
          ...query,
          limit: 15,
          fields: 'key',
          ...(cursor ? { cursor } : {}),
        });
        expect(page.status).toBe(200);
        keys.push(...(page.body.data.items as Item[]).map(({ key }) => key));
        cursor = page.body.data.nextCursor as string | null;
      } while (cursor);
      return keys;
    };
    const before: unknown[] = [];
    for (const query of queries) before.push(await readAll(query));
    for (const columns of ['maker,weight', 'active,name', 'active,parent,name', 'weight,active'])
      await create(name, columns);
    await settled(
      () => indexes(name),
      (found) => found.length === 4 && found.every(({ state }) => state === 'ready'),
    );
    const after: unknown[] = [];
    for (const query of queries) after.push(await readAll(query));
    expect(after).toEqual(before);
    await tables.edit('assets', name, { columns: [{ key: 'name', options: { indexed: true } }] });
    const withOwnIndex: unknown[] = [];
    for (const query of queries) withOwnIndex.push(await readAll(query));
    expect(withOwnIndex).toEqual(before);
    const abb = rows.filter(({ maker, key }) => (maker === 'ABB' && key !== keyAt(6)) || key === keyAt(0));
    expect(before[0]).toHaveLength(abb.length);
    expect(after.flat().length).toBeGreaterThan(1_000);
  });

  it('is suggested by the page of a slow query that no index serves', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(20, rowAt));
    const physical = await tables.physical('assets', name);
    /** Reads a page that waits for a lock of the table. */
    const readSlowly = async (query: Record<string, string>) => {
      const release = await database.lock(`LOCK TABLE ${physical} IN ACCESS EXCLUSIVE MODE`);
      const page = tables.read('assets', name, query);
      // pg_stat_activity has only the first 1,023 bytes of a statement, which need not contain the table.
      const waiting = `SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted
                        AND waitstart < clock_timestamp() - interval '200 milliseconds'`;
      await settled(
        () => database.query(waiting, [physical]),
        (found) => found.length > 0,
      );
      await release();
      return (await page).body.data as { items: Item[]; suggestedIndex?: string[] };
    };
    const query = { 'filter[maker]': 'ABB', sort: '-weight' };
    expect((await readSlowly(query)).suggestedIndex).toEqual(['maker', 'weight']);
    expect((await readSlowly({ 'filter[parent]': keyAt(1) })).suggestedIndex).toBeUndefined();
    await create(name, 'maker,weight');
    await indexIs(name, 'ready');
    const served = await readSlowly(query);
    expect(served.suggestedIndex).toBeUndefined();
    expect(served.items).toHaveLength(4);
  });

  it('is created once by concurrent requests to two instances', async () => {
    const name = await tables.createTable('assets', COLUMNS, [rowAt(1)]);
    const answers = await Promise.all(
      manyRows(6, (at) => create(name, 'maker,weight', {}, at % 2 === 0 ? tables : other)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    await indexIs(name, 'ready');
    expect(await definitions(name)).toHaveLength(1);
  });

  it('is used by another instance as soon as it is ready, and no longer when it is dropped', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(50, rowAt));
    const query = { 'filter[maker]': 'ABB', sort: 'weight' };
    const read = async () => (await other.read('assets', name, query)).body.data.items as Item[];
    const expected = await read();
    await create(name, 'maker,weight');
    await indexIs(name, 'ready');
    expect(await read()).toEqual(expected);
    await drop(name, 'maker,weight');
    expect(await read()).toEqual(expected);
  });

  it('is complete after it was built during bulk requests', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(200, rowAt));
    const write = async (of: TableAdministration, from: number) => {
      for (let round = 0; round < 4; round++) {
        const items = manyRows(200, (at) => rowAt(from + round * 200 + at));
        expect((await of.bulk('assets', { name, items })).status).toBe(200);
      }
    };
    const [created] = await Promise.all([create(name, 'maker,weight'), write(tables, 200), write(other, 10_000)]);
    expect(created.status).toBe(201);
    await indexIs(name, 'ready');
    expect(await definitions(name)).toMatchObject([{ valid: true }]);
    const found = await tables.rows('assets', name, { 'filter[maker]': 'ABB', sort: 'weight' });
    const physical = await tables.physical('assets', name);
    const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${physical} WHERE c2 = 'ABB'`,
    );
    expect(found).toHaveLength(count);
    expect(count).toBeGreaterThan(200);
  });

  it('does not delay the drop of a column while it is being built', async () => {
    const name = await tables.createTable('assets', COLUMNS, manyRows(20, rowAt));
    const release = await database.lock('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1');
    try {
      await create(name, 'maker,weight');
      await indexIs(name, 'building');
      await settled(
        () => definitions(name),
        (found) => found.length === 1,
      );
      const dropped = await tables.dropColumn('assets', name, 'weight');
      expect(dropped.status).toBe(200);
      expect(toIndexes(dropped)).toEqual([]);
    } finally {
      await release();
    }
    expect(await definitions(name)).toEqual([]);
    expect((await create(name, 'maker,name')).status).toBe(201);
    await indexIs(name, 'ready');
  });
});
