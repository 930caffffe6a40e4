import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { toMissingTableError } from '../catalog/catalog.repository.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { ColumnDefinition } from '../catalog/column-plan.js';
import { TableEngine, toStream } from './table-engine.fixture.spec.js';
import { PROPERTY_CASES } from '../../../../test/support/property-cases.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text', primaryKey: true },
  { name: 'Name', type: 'text' },
  { name: 'Weight', type: 'number' },
];
const COUNT = 3;

let tables: TableEngine;
let number = 0;

beforeAll(async () => {
  tables = await TableEngine.create();
});

afterAll(() => tables.close());

/** Creates empty tables in any other order than that of their locks. @returns their names. */
async function createTables(): Promise<string[]> {
  const names = Array.from({ length: COUNT }, (_, at) => `T${++number} ${COUNT - at}`);
  for (const name of names) await write([name], [[]]);
  return names;
}

/** Writes rows to the tables with one request. */
const write = (names: readonly string[], items: readonly (readonly object[])[]) =>
  tables.engine.execute(
    tables.view,
    names.map((name, at) => ({ entity: 'asset', name, columns: COLUMNS, items: items[at]! })),
  );

const row = fc.record(
  { key: fc.constantFrom('a', 'b', 'c', 'd'), name: fc.constantFrom('x', 'y', null), weight: fc.constantFrom(1, 2) },
  { requiredKeys: ['key'] },
);
const rows = fc.uniqueArray(row, { selector: ({ key }) => key, maxLength: 4 });
const requests = fc.array(fc.array(rows, { minLength: COUNT, maxLength: COUNT }), { minLength: 1, maxLength: 4 });

it('a request with several tables has the effects of a request for each table', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (batches) => {
      const [together, separate] = [await createTables(), await createTables()];
      for (const batch of batches) {
        const all = (await write(together, batch)).tables;
        for (const [at, items] of batch.entries()) {
          const one = (await write([separate[at]!], [items])).tables[0]!;
          const counts = ({ created, updated, unchanged, revision }: typeof one) => ({
            created,
            updated,
            unchanged,
            revision,
          });
          expect(counts(all[at]!)).toEqual(counts(one));
        }
      }
      for (const [at, name] of together.entries())
        expect(await tables.readRows(name, 0)).toEqual(await tables.readRows(separate[at]!, 0));
    }),
    { numRuns: Math.ceil(PROPERTY_CASES / 4) },
  );
}, 120_000);

it('a request with several tables creates rows again that one of them has deleted', async () => {
  const names = await createTables();
  await write(
    names,
    names.map(() => [{ key: 'a', name: 'x' }]),
  );
  const first = await tables.getTable(names[0]!);
  await tables.deleteRows(first, ['a'], first.revision);
  const report = await write(
    names,
    names.map(() => [{ key: 'a', weight: 1 }]),
  );
  expect(report.tables.map(({ created, updated }) => [created, updated])).toEqual([
    [1, 0],
    [0, 1],
    [0, 1],
  ]);
  expect(await tables.readRows(names[0]!, 0)).toEqual([
    { c1: 'a', c2: null, c3: 1, revision: 3, deleted: false, created: true },
  ]);
});

it('rejects a table that is named twice, by its name and by its ID', async () => {
  const [name] = await createTables();
  const { id } = await tables.getTable(name!);
  const items = [{ key: 'a' }];
  const inputs = [
    { entity: 'asset' as const, name: name!.toUpperCase(), items },
    { entity: 'asset' as const, name: 'Any', id, items },
  ];
  const errors = [{ table: 'Any', code: 'duplicate_table' }];
  for (const each of [inputs, inputs.map((input) => ({ ...input, items: toStream(items) }))])
    await expect(tables.merge(each)).rejects.toMatchObject({ code: 'duplicate_table', details: { errors } });
  expect(await tables.readRows(name!, 0)).toEqual([]);
});

it('locks no table while files are read, and compares the columns of a table that was created meanwhile', async () => {
  const [first, second] = [`F${++number} 2`, `F${number} 1`];
  const sent = toStream([{ key: 'a', name: 'x' }]);
  let opened = 0;
  const open: typeof sent.open = async (table) => {
    opened++;
    // Another request creates the tables in the order of locks, after the first file was read.
    if (opened === 2) await tables.database.outsideTransaction(() => write([second, first], [[], [{ key: 'b' }]]));
    return sent.open(table);
  };
  const inputs = [first, second].map((name) => {
    return { entity: 'asset' as const, name, columns: COLUMNS, items: { ...sent, open } };
  });
  const { tables: reports } = await tables.merge(inputs, { toMissingTableError });
  expect(reports.map(({ tableCreated, created }) => [tableCreated, created])).toEqual([
    [false, 1],
    [false, 1],
  ]);
  expect(await tables.readRows(first, 0)).toMatchObject([{ c1: 'a' }, { c1: 'b' }]);
});

it('changes of several tables that overlap in any order are all stored', async () => {
  const names = await createTables();
  const count = 12;
  const writers = Array.from({ length: count }, (_, writer) => {
    const order = writer % 2 === 0 ? names : names.toReversed();
    return write(
      order,
      order.map(() => [{ key: `k${writer}` }]),
    );
  });
  await Promise.all(writers);
  for (const name of names) {
    expect(await tables.readRows(name, 0)).toHaveLength(count);
    expect((await tables.getTable(name)).revision).toBe(count + 1);
  }
});

/** Runs `change` in a transaction that commits after the request waits for its locks. */
async function writeDuring(names: readonly string[], change: () => Promise<unknown>): Promise<CatalogTable[]> {
  let writing: Promise<unknown> | undefined;
  await tables.database.transaction(async () => {
    await tables.writes.lockEntry(await tables.getTable(names[1]!));
    await change();
    writing = tables.database.outsideTransaction(() =>
      write(
        names,
        names.map(() => [{ key: 'new' }]),
      ),
    );
    await delay(300);
  });
  await writing;
  return Promise.all(names.map((name) => tables.getTable(name)));
}

it.each([
  ['gets a new revision', 'UPDATE workspace_tables SET revision = 7 WHERE workspace_id = $2 AND id = $1', 8, true],
  [
    'is renamed',
    "UPDATE workspace_tables SET name = 'R', name_key = 'r' || id WHERE workspace_id = $2 AND id = $1",
    1,
    false,
  ],
  ['is dropped', 'DELETE FROM workspace_tables WHERE workspace_id = $2 AND id = $1', 1, false],
])('a table that %s while the request waits for its lock is read again', async (_, sql, revision, isSame) => {
  const names = await createTables();
  const before = await tables.getTable(names[1]!);
  const [first, table, last] = await writeDuring(names, () =>
    tables.database.query(sql, [before.id, tables.workspaceId]),
  );
  expect(table!.revision).toBe(revision);
  expect(table!.id === before.id).toBe(isSame);
  expect([first!.revision, last!.revision]).toEqual([2, 2]);
  for (const name of names) expect(await tables.readRows(name, 0)).toHaveLength(1);
});
