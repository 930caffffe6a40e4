import { TableEngine } from '../../../../packages/tables/src/writer/table-engine.fixture.spec.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import { Database } from '../../../platform/database/database.js';
import type { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import type { ColumnDefinition } from '../../../../packages/tables/src/catalog/column-plan.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { physicalTableName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { RenameRepository } from '../rows/rename.repository.js';
import { RenameChecks } from '../rows/rename-checks.js';
import { RenameService } from '../rows/rename.service.js';
import { type RenamedRow, RowReferrer } from '../rows/row-referrer.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import { RowReferencesService } from './row-references.service.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import { TableLocks } from '../catalog/table-locks.js';
import { TableTurns } from '../catalog/table-turns.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { UnknownTableError } from '../../../../packages/tables/src/catalog/tables.errors.js';

const COLUMNS: ColumnDefinition[] = [
  { name: 'Key', type: 'text' },
  { name: 'Name', type: 'text' },
  { name: 'Parent', type: 'hierarchyParent' },
];

let tables: TableEngine;
let catalog: CatalogRepository;
let writes: CatalogWrites;
let engine: MergeEngine;
let database: Database;
let rows: RowReferencesService;
let renames: RenameService;
/** Each test has a workspace of its own. */
let workspaceId: string;

beforeAll(async () => {
  tables = await TableEngine.create();
  ({ catalog, writes, engine, database } = tables);
  rows = new RowReferencesService(catalog, tables.rows);
  const turns = new TableTurns(database, catalog, { poolSize: 10, lockTimeoutMs: 20_000 });
  const locks = new TableLocks(database, catalog, writes, turns, tables.tables.permissions);
  const repository = new RenameRepository(database, tables.writer);
  const constraints = new ConstraintsRepository(database, tables.tables.lookup);
  const checks = new RenameChecks(tables.rows, repository, constraints, tables.tables.permissions);
  renames = new RenameService(
    locks,
    writes,
    tables.rows,
    tables.tables.writer,
    repository,
    tables.tables.recorder,
    checks,
  );
});

afterAll(() => tables.close());

beforeEach(async () => {
  workspaceId = uuid();
  await tables.physical.createSchema(workspaceId);
});

/** A table with rows, as bulk writes them. @returns its id. */
async function given(entity: EntityKind, name: string, items: object[], columns = COLUMNS): Promise<string> {
  const { tables } = await engine.execute(wholeView(workspaceId), [{ entity, name, columns, items }]);
  return tables[0]!.id;
}

async function remove(entity: EntityKind, name: string, key: string): Promise<void> {
  const table = (await catalog.findByName(wholeView(workspaceId), { entity, name }))!;
  await tables.deleteRows(table, [key], table.revision + 1);
}

describe('rows by their key', () => {
  it('are found in every table of the entity that has them, or in the one named by id or name', async () => {
    const first = await given('location', 'First', [{ key: 'a', name: 'Hall' }, { key: 'b' }]);
    const second = await given('location', 'Second', [{ key: 'a', name: '' }]);
    await given('asset', 'First', [{ key: 'a', name: 'Pump' }]);
    const inFirst = { tableId: first, table: 'First', key: 'a', name: 'Hall' };
    const inSecond = { tableId: second, table: 'Second', key: 'a', name: 'a' };
    expect(await rows.lockByKey(workspaceId, 'location', 'a')).toEqual([inFirst, inSecond]);
    expect(await rows.lockByKey(workspaceId, 'location', 'a', 'FIRST')).toEqual([inFirst]);
    expect(await rows.lockByKey(workspaceId, 'location', 'a', second)).toEqual([inSecond]);
    expect(await rows.lockByKey(workspaceId, 'location', 'b', 'Second')).toEqual([]);
    expect(await rows.lockByKey(uuid(), 'location', 'a')).toEqual([]);
  });

  it('are found by normalized key, and not if deleted', async () => {
    await given('asset', 'Assets', [{ key: 'Kläranlage 1/2' }, { key: 'gone' }]);
    await remove('asset', 'Assets', 'gone');
    const decomposed = ` ${'Kläranlage 1/2'.normalize('NFD')} `;
    expect(await rows.lockByKey(workspaceId, 'asset', decomposed)).toMatchObject([{ key: 'Kläranlage 1/2' }]);
    for (const key of ['gone', '', ' ', 'KLÄRANLAGE 1/2', 'a\0', 'x'.repeat(256)])
      expect(await rows.lockByKey(workspaceId, 'asset', key)).toEqual([]);
  });

  it('have their key as name if the table has no text column "name"', async () => {
    await given('asset', 'Plain', [{ key: 'a' }], [{ name: 'Key', type: 'text' }]);
    const numbered: ColumnDefinition[] = [
      { name: 'Key', type: 'text' },
      { name: 'Name', type: 'number' },
    ];
    await given('asset', 'Number', [{ key: 'a', name: 7 }], numbered);
    expect((await rows.lockByKey(workspaceId, 'asset', 'a')).map(({ name }) => name)).toEqual(['a', 'a']);
  });

  it('cannot be found in an unknown table', async () => {
    await given('list', 'Plants', [{ key: 'a' }]);
    for (const table of ['Plants', uuid(), '']) {
      await expect(rows.lockByKey(workspaceId, 'location', 'a', table)).rejects.toThrow(UnknownTableError);
      await expect(rows.findSubtree(workspaceId, 'a', table)).rejects.toThrow(UnknownTableError);
    }
  });

  it('are found among 50 tables', async () => {
    const ids: string[] = [];
    for (let table = 0; table < 50; table++)
      ids.push(await given('asset', `Table ${String(table).padStart(2, '0')}`, [{ key: table % 10 }]));
    const found = await rows.lockByKey(workspaceId, 'asset', '3');
    expect(found.map(({ tableId }) => tableId)).toEqual(ids.filter((_, table) => table % 10 === 3));
  });
});

describe('references of records', () => {
  it('contain the names of the table and the row; both are null if the row is missing', async () => {
    const locations = await given('location', 'Plants', [{ key: 'a b', name: 'Hall' }, { key: 'c' }, { key: 'gone' }]);
    const assets = await given('asset', 'Assets', [{ key: 'a b', name: 'Pump' }]);
    await remove('location', 'Plants', 'gone');
    const unknownTable = uuid();
    const record = (id: number, location: [string, string] | null, asset: [string, string] | null) => ({
      id,
      locationTableId: location?.[0] ?? null,
      locationKey: location?.[1] ?? null,
      assetTableId: asset?.[0] ?? null,
      assetKey: asset?.[1] ?? null,
    });
    const records = [
      record(1, [locations, 'a b'], [assets, 'a b']),
      record(2, [locations, 'a b'], null),
      record(3, [locations, 'c'], [assets, 'c']),
      record(4, [locations, 'gone'], [unknownTable, 'a b']),
      record(5, null, null),
    ];
    const hall = { tableId: locations, table: 'Plants', key: 'a b', name: 'Hall' };
    const missing = { table: null, name: null };
    expect(await rows.expand(workspaceId, records)).toEqual([
      { id: 1, location: hall, asset: { tableId: assets, table: 'Assets', key: 'a b', name: 'Pump' } },
      { id: 2, location: hall, asset: null },
      {
        id: 3,
        location: { tableId: locations, table: 'Plants', key: 'c', name: 'c' },
        asset: { tableId: assets, key: 'c', ...missing },
      },
      {
        id: 4,
        location: { tableId: locations, key: 'gone', ...missing },
        asset: { tableId: unknownTable, key: 'a b', ...missing },
      },
      { id: 5, location: null, asset: null },
    ]);
    expect(await rows.expand(uuid(), records.slice(0, 1))).toEqual([
      {
        id: 1,
        location: { tableId: locations, key: 'a b', ...missing },
        asset: { tableId: assets, key: 'a b', ...missing },
      },
    ]);
    expect(await rows.expand(workspaceId, [])).toEqual([]);
  });
});

describe('a subtree', () => {
  const sorted = (keys: string) => keys.slice(1, -1).split(',').toSorted();
  const TREE = [
    { key: 'root' },
    { key: 'a', parent: 'root' },
    { key: 'b', parent: 'a' },
    { key: 'c', parent: 'b' },
    { key: 'side', parent: 'root' },
    { key: 'other' },
  ];

  it('is the row with all its descendants, in each Locations table that contains it', async () => {
    const tree = await given('location', 'Tree', TREE);
    const flat = await given('location', 'Flat', [{ key: 'a' }, { key: 'b' }], [{ name: 'Key', type: 'text' }]);
    await given('asset', 'Tree', TREE);
    const subtrees = async (key: string, table?: string) =>
      Object.fromEntries(
        (await rows.findSubtree(workspaceId, key, table)).map(({ tableId, keys }) => [tableId, sorted(keys)]),
      );
    expect(await subtrees('a')).toEqual({ [tree]: ['a', 'b', 'c'], [flat]: ['a'] });
    expect(await subtrees(' a ', 'tree')).toEqual({ [tree]: ['a', 'b', 'c'] });
    expect(await subtrees('root')).toEqual({ [tree]: ['a', 'b', 'c', 'root', 'side'] });
    expect(await subtrees('c', flat)).toEqual({});
    expect(await subtrees('nowhere')).toEqual({});
  });

  it('contains those of the rows that are below its row', async () => {
    const tree = await given('location', 'Tree', TREE);
    const flat = await given('location', 'Flat', [{ key: 'a' }, { key: 'b' }], [{ name: 'Key', type: 'text' }]);
    const inside = async (root: string, keys: string[]) => {
      const sought = [tree, flat].flatMap((tableId) => keys.map((key) => ({ tableId, key })));
      const found = await rows.listInWholeSubtree(workspaceId, root, sought);
      return found.map(({ tableId, key }) => `${tableId === tree ? 'tree' : 'flat'} ${key}`).toSorted();
    };
    expect(await inside('a', ['root', 'a', 'c', 'side', 'nowhere'])).toEqual(['flat a', 'tree a', 'tree c']);
    expect(await inside('root', ['b', 'other'])).toEqual(['tree b']);
    expect(await inside('nowhere', ['nowhere', 'a'])).toEqual([]);
    const table = (await catalog.findByName(wholeView(workspaceId), { entity: 'location', name: 'Tree' }))!;
    await database.query(`UPDATE ${physicalTableName(table)} SET c3 = 'c' WHERE c1 = 'a'`);
    expect(await inside('b', ['a', 'b', 'c', 'root', 'other'])).toEqual(['flat b', 'tree a', 'tree b', 'tree c']);
    expect(await inside('root', ['c'])).toEqual([]);
    await remove('location', 'Tree', 'root');
    expect(await inside('root', ['side'])).toEqual([]);
  });

  it('ends at deleted rows and on cycles', async () => {
    const tree = await given('location', 'Tree', TREE);
    const table = (await catalog.findByName(wholeView(workspaceId), { entity: 'location', name: 'Tree' }))!;
    // Bulk makes no cycles; who restores a database by hand might.
    await database.query(`UPDATE ${physicalTableName(table)} SET c3 = 'c' WHERE c1 = 'a'`);
    expect(sorted((await rows.findSubtree(workspaceId, 'b'))[0]!.keys)).toEqual(['a', 'b', 'c']);
    await remove('location', 'Tree', 'c');
    expect(await rows.findSubtree(workspaceId, 'b')).toEqual([{ tableId: tree, keys: '{b}' }]);
    expect(await rows.findSubtree(workspaceId, 'c')).toEqual([]);
  });
});

describe('a row that a record refers to', () => {
  /** Stores records by the row's key, as a module above does. */
  class Records extends RowReferrer {
    readonly stored: { tableId: string; key: string }[] = [];

    updateReferences({ tableId, from, to }: RenamedRow): Promise<void> {
      for (const record of this.stored) if (record.tableId === tableId && record.key === from) record.key = to;
      return Promise.resolve();
    }
  }

  it('delays a rename until the record is stored, then renames the reference of the record', async () => {
    const records = new Records();
    renames.register(records);
    await given('asset', 'Others', [{ key: 'other' }]);
    const tableId = await given('asset', 'Assets', [{ key: 'old', name: 'Pump' }]);
    let renaming: Promise<unknown> = Promise.resolve();
    await database.transaction(async () => {
      await rows.lockByKey(workspaceId, 'asset', 'old');
      const rename = () =>
        renames.rename({ view: wholeView(workspaceId), entity: 'asset', table: tableId }, { from: 'old', to: 'new' });
      await database.outsideTransaction(async () => {
        const batch = { entity: 'asset' as const, name: 'Assets', items: [{ key: 'old', name: 'Fan' }] };
        expect((await engine.execute(wholeView(workspaceId), [batch])).totals.updated).toBe(1);
        renaming = rename();
        await waitingForLock();
      });
      records.stored.push({ tableId, key: 'old' });
    });
    await renaming;
    expect(records.stored).toEqual([{ tableId, key: 'new' }]);
    expect(await rows.lockByKey(workspaceId, 'asset', 'old')).toEqual([]);
    expect(await rows.lockByKey(workspaceId, 'asset', 'new')).toMatchObject([{ key: 'new', name: 'Fan' }]);
  });

  it('is not found under the old key after waiting for its rename', async () => {
    const tableId = await given('asset', 'Assets', [{ key: 'old' }]);
    let looking: Promise<unknown[]> = Promise.resolve([{}]);
    await database.transaction(async () => {
      await renames.rename(
        { view: wholeView(workspaceId), entity: 'asset', table: tableId },
        { from: 'old', to: 'new' },
      );
      await database.outsideTransaction(async () => {
        looking = database.transaction(() => rows.lockByKey(workspaceId, 'asset', 'old'));
        await waitingForLock();
      });
    });
    expect(await looking).toEqual([]);
  });

  it('is not renamed if a referrer fails', async () => {
    class RejectingReferrer extends RowReferrer {
      updateReferences({ to }: RenamedRow): Promise<void> {
        return to === 'rejected' ? Promise.reject(new Error('not this one')) : Promise.resolve();
      }
    }
    renames.register(new RejectingReferrer());
    const table = await given('asset', 'Assets', [{ key: 'old' }]);
    const renaming = renames.rename(
      { view: wholeView(workspaceId), entity: 'asset', table },
      { from: 'old', to: 'rejected' },
    );
    await expect(renaming).rejects.toThrow('not this one');
    expect(await rows.lockByKey(workspaceId, 'asset', 'old')).toHaveLength(1);
    expect((await catalog.find(wholeView(workspaceId), 'asset', table))!.revision).toBe(1);
  });

  it('can get the key of a deleted row', async () => {
    const table = await given('asset', 'Assets', [{ key: 'old', name: 'Pump' }, { key: 'new' }]);
    await remove('asset', 'Assets', 'new');
    await renames.rename({ view: wholeView(workspaceId), entity: 'asset', table }, { from: 'old', to: 'new' });
    expect(await rows.lockByKey(workspaceId, 'asset', 'new')).toMatchObject([{ name: 'Pump' }]);
  });

  /** Until some statement of this database waits for a lock. */
  async function waitingForLock(): Promise<void> {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await database.query(sql)).length === 0);
  }
});
