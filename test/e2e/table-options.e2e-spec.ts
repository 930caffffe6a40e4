import type { ApiResponse } from '../support/api.js';
import { lines, sendFile } from '../support/imports.js';
import { shareServices } from '../support/shared-services.js';
import { errorsOf, TableAdministration } from '../support/table-administration.js';
import { column, type Item, manyRows, Tables, text } from '../support/tables.js';

let tables: TableAdministration;
/** The workspace on another instance. */
let other: TableAdministration;

beforeAll(async () => {
  const { services } = await shareServices(2);
  const me = await services[0]!.provision();
  [tables, other] = services.map((service) => TableAdministration.for(Tables.of(service, me))) as [
    TableAdministration,
    TableAdministration,
  ];
}, 60_000);

const COLUMNS = [
  text('Key'),
  text('Plant', { options: { indexed: true } }),
  column('Number', 'number'),
  text('Name'),
  column('Done', 'checkbox'),
];
const setOptions = (table: string, options: object, more: object = {}) =>
  tables.edit('assets', table, { options, ...more });

async function createUnique(items: readonly Item[] = []): Promise<string> {
  const table = await tables.createTable('assets', COLUMNS, [...items]);
  const edited = await setOptions(table, { uniqueTogether: [['plant', 'number']] });
  expect(edited.body.data.options).toEqual({ uniqueTogether: [['plant', 'number']] });
  return table;
}

describe('uniqueTogether', () => {
  const STORED = [
    { key: 'a', plant: 'AT10', number: 1 },
    { key: 'b', plant: 'AT10', number: 2 },
    { key: 'c', plant: 'AT20', number: 1 },
  ];

  it.each<[string, (table: string, item: Item) => Promise<ApiResponse>]>([
    ['bulk', (name, item) => tables.bulk('assets', { name, items: [item] })],
    ['an import', (name, item) => sendFile(tables, name, lines([item]))],
    [
      'one row',
      (name, { key, ...item }) => tables.api.put(`${tables.pathOf('assets', name)}/items/${String(key)}`, item),
    ],
    [
      'a changed row',
      (name, { key: _, ...item }) => tables.api.patch(`${tables.pathOf('assets', name)}/items/c`, item),
    ],
  ])('rejects a row with the values of another one in all of its columns, by %s', async (_, write) => {
    const table = await createUnique(STORED);
    const rejected = await write(table, { key: 'd', plant: 'AT10', number: 2 });
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      { column: 'plant', code: 'not_unique', message: 'The row "b" has the same values in "plant" and "number".' },
    ]);
    expect(await tables.rows('assets', table, { sort: 'key', fields: 'key,plant,number' })).toEqual(STORED);
  });

  it('accepts equal values in one of its columns, empty values, and rows that exchange their values', async () => {
    const table = await createUnique(STORED);
    const items = [
      { key: 'a', number: 2 },
      { key: 'b', number: 1 },
      { key: 'd', plant: 'AT10', number: null },
      { key: 'e', plant: 'AT10', number: null },
      { key: 'f', plant: null, number: 1 },
      { key: 'g', plant: null, number: 1 },
    ];
    expect((await tables.bulk('assets', { name: table, items })).status).toBe(200);
  });

  it('compares whole texts, also if their beginnings are equal', async () => {
    const table = await createUnique();
    const long = 'x'.repeat(300);
    const items = [
      { key: 'a', plant: `${long}1`, number: 1 },
      { key: 'b', plant: `${long}2`, number: 1 },
    ];
    expect((await tables.bulk('assets', { name: table, items })).status).toBe(200);
    expect(
      errorsOf(await tables.bulk('assets', { name: table, items: [{ key: 'b', plant: `${long}1` }] })),
    ).toHaveLength(1);
  });

  it('is rejected if stored rows violate it, unless they are allowed; then they are listed', async () => {
    const table = await tables.createTable('assets', COLUMNS, [...STORED, { key: 'd', plant: 'AT20', number: 1 }]);
    const options = { uniqueTogether: [['plant', 'number']] };
    const rejected = await setOptions(table, options);
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      {
        code: 'not_unique',
        message: expect.stringContaining('2 rows violate "uniqueTogether" of "plant" and "number"') as string,
      },
    ]);
    expect((await tables.get('assets', table)).body.data.options).toEqual({});
    expect((await setOptions(table, options, { existing: 'allow' })).status).toBe(200);
    const { body } = await tables.api.get(`${tables.pathOf('assets', table)}/violations`);
    expect(body.data.items.map(({ key, code }: { key: string; code: string }) => [key, code])).toEqual([
      ['c', 'not_unique'],
      ['d', 'not_unique'],
    ]);
    expect(body.data.counts).toMatchObject([
      { column: 'plant', columns: ['plant', 'number'], rule: 'unique', rows: 2 },
    ]);
    expect((await setOptions(table, { uniqueTogether: null })).body.data.options).toEqual({});
    expect((await tables.bulk('assets', { name: table, items: [{ key: 'e', plant: 'AT20', number: 1 }] })).status).toBe(
      200,
    );
  });

  it('is won by one of 50 writers on two instances for each pair of values', async () => {
    const table = await createUnique();
    const answers = await Promise.all(
      manyRows(50, (at) => {
        const of = at % 2 === 0 ? tables : other;
        return of.bulk('assets', { name: table, items: [{ key: `k${at}`, plant: 'AT10', number: at % 5 }] });
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(45);
    expect((await tables.rows('assets', table)).map(({ number }) => number).toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  it.each<[unknown, string]>([
    [[['plant', 'nothing']], 'a column "nothing" that the table does not have'],
    [[['plant', 'plant']], 'names a column twice'],
    [[['plant', 'done']], 'not for checkbox columns'],
    [[['number', 'plant']], '"number", needs an index'],
  ])('cannot be %j', async (uniqueTogether, message) => {
    const table = await tables.createTable('assets', COLUMNS);
    const rejected = await setOptions(table, { uniqueTogether });
    expect(rejected.status).toBe(422);
    expect(errorsOf(rejected)).toMatchObject([
      { code: 'invalid_option', message: expect.stringContaining(message) as string },
    ]);
  });

  it.each<unknown>([[['plant']], [[]], [], ['plant'], [['a', 'b', 'c', 'd', 'e', 'f']], { plant: 1 }])(
    'must be lists of 2 to 5 keys, not %j',
    async (uniqueTogether) => {
      const table = await tables.createTable('assets', COLUMNS);
      const rejected = await setOptions(table, { uniqueTogether });
      expect(rejected.status).toBe(400);
      expect(errorsOf(rejected)[0]).toMatchObject({ field: 'options.uniqueTogether' });
    },
  );
});

describe('title', () => {
  it('is shown by `expand` instead of the key, and the key if it is empty', async () => {
    const target = await tables.createTable('assets', COLUMNS, [
      { key: 'a', name: 'Name a', plant: 'Plant a' },
      { key: 'b', name: 'Name b', plant: null },
    ]);
    const columns = [
      text('Id'),
      column('Asset', 'reference', { options: { target: { entity: 'asset', table: target } } }),
    ];
    const items = [
      { id: '1', asset: 'a' },
      { id: '2', asset: 'b' },
    ];
    const lists = await tables.createTable('lists', columns, items);
    const titles = async (of: Tables) => {
      const { body } = await of.read('lists', lists, { expand: 'asset' });
      const { asset } = body.data.expanded as { asset: Record<string, { title: string }> };
      return [asset['a']!.title, asset['b']!.title];
    };
    expect(await titles(tables)).toEqual(['a', 'b']);
    await setOptions(target, { title: 'plant' });
    // The other instance has the former definition in its cache.
    expect(await titles(other)).toEqual(['Plant a', 'b']);
    expect(await titles(tables)).toEqual(['Plant a', 'b']);
    await setOptions(target, { title: null });
    expect(await titles(other)).toEqual(['a', 'b']);
  });

  it.each([
    ['nothing', 'a column "nothing" that the table does not have'],
    ['number', 'must name a column of text; "number" is a number column'],
  ])('cannot be %s', async (title, message) => {
    const table = await tables.createTable('assets', COLUMNS);
    const rejected = await setOptions(table, { title });
    expect(errorsOf(rejected)).toMatchObject([
      { code: 'invalid_option', message: expect.stringContaining(message) as string },
    ]);
  });
});

it.each([
  ['title', { title: 'name' }, 'name'],
  ['uniqueTogether', { uniqueTogether: [['plant', 'number']] }, 'number'],
])('a column that the option %s names cannot be dropped', async (option, options, key) => {
  const table = await tables.createTable('assets', COLUMNS);
  await setOptions(table, options);
  const rejected = await tables.dropColumn('assets', table, key);
  expect(rejected.status).toBe(422);
  expect(errorsOf(rejected)).toMatchObject([
    {
      column: key,
      code: 'invalid_option',
      message: `The option "${option}" of the table names "${key}". Change the option first.`,
    },
  ]);
});

it('options are edited one by one, and an edit without changes does not increment the revision', async () => {
  const table = await tables.createTable('assets', COLUMNS);
  await setOptions(table, { title: 'name' });
  const edited = await setOptions(table, { approval: { required: true, over: 5 } });
  expect(edited.body.data.options).toEqual({ title: 'name', approval: { required: true, over: 5 } });
  const { revision } = edited.body.data;
  expect((await setOptions(table, { title: 'name' })).body.data.revision).toBe(revision);
  expect((await setOptions(table, {})).body.data.revision).toBe(revision);
});
