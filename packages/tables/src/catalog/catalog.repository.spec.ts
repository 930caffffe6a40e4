import { uuid } from '../../../sql/src/uuid.js';
import { type TableRule, type View, wholeView } from './view.js';
import { until } from '../../../../test/support/until.js';
import { EngineDatabase } from '../test-database.fixture.spec.js';
import type { CatalogTable } from './catalog-table.js';
import { ReadMoments } from './read-moments.repository.js';
import { TablePermissions } from './table-permissions.js';
import { CatalogRepository } from './catalog.repository.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import type { CatalogColumn } from './column-plan.js';

describe('the columns of tables', () => {
  let database: EngineDatabase;
  /** The repositories of two instances, with a cache each. */
  let first: CatalogRepository;
  let second: CatalogRepository;
  let writes: CatalogWrites;
  let table: CatalogTable;

  beforeAll(async () => {
    database = await EngineDatabase.create();
  });

  afterAll(async () => {
    await database.close();
  });

  beforeEach(async () => {
    const moments = new ReadMoments(database, {} as never);
    // A policy permits the tables that its rules name, without their columns.
    const permit = (named: CatalogTable, policies: readonly (readonly TableRule[])[]) =>
      policies.flat().some((rule) => rule.table === named.name) ? { ...named, columns: [], permission } : undefined;
    const permissions = new TablePermissions({ permit, names: () => true });
    const create = () => new CatalogRepository(database, permissions, moments);
    [first, second] = [create(), create()];
    writes = new CatalogWrites(database, first, {} as never);
    const identity = { entity: 'asset', name: 'Pumps' } as const;
    ({ table } = await database.transaction(() => writes.lockOrCreate(uuid(), identity)));
    await writes.addColumns(table, [column(1)]);
  });

  function column(ordinal: number): CatalogColumn {
    const key = `c${ordinal}`;
    // Columns of this type have no index, whose table this database lacks.
    const type = 'checkbox';
    return { key, ordinal, name: key, type, primaryKey: false, required: false, description: null, options: {} };
  }

  const permission = { canWrite: true, readOnly: new Set<string>() };
  const toView = (...names: string[]): View => {
    const rules = names.map((name): TableRule => ({ entity: 'assets', table: name }));
    return { workspaceId: table.workspaceId, policies: [{ id: 'policy', version: 1, rules }] };
  };

  it('are those that the view permits, whatever other views have read', async () => {
    const view = toView('Pumps');
    const permitted = (await first.find(view, 'asset', 'pumps'))!;
    expect([permitted.columns, permitted.view]).toEqual([[], view]);
    expect(await first.find(toView('Fans'), 'asset', 'pumps')).toBeUndefined();
    expect(await first.listAll(toView('Fans'))).toEqual([]);
    expect(await read(first)).toEqual(['c1']);
    // A lock is that of the whole table.
    const locked = (await database.transaction(() => writes.lockExisting(permitted)))!;
    expect([locked.columns.length, locked.view]).toEqual([1, wholeView(table.workspaceId)]);
    expect(await first.find(view, 'asset', 'pumps')).toMatchObject({ columns: [], view });
  });

  const read = async (repository: CatalogRepository) => {
    const found = await repository.find(wholeView(table.workspaceId), 'asset', 'pumps');
    return found?.columns.map(({ key }) => key);
  };

  it('are read again after another instance has changed them', async () => {
    expect([await read(first), await read(second)]).toEqual([['c1'], ['c1']]);
    await writes.addColumns(table, [column(2)]);
    expect([await read(first), await read(second)]).toEqual([
      ['c1', 'c2'],
      ['c1', 'c2'],
    ]);
  });

  it('are those of the committed definition after a transaction that read its own change was rolled back', async () => {
    class Rollback extends Error {}
    const changed = database.transaction(async () => {
      await writes.addColumns(table, [column(2)]);
      expect(await read(first)).toEqual(['c1', 'c2']);
      throw new Rollback();
    });
    await expect(changed).rejects.toThrow(Rollback);
    expect(await read(first)).toEqual(['c1']);
    await writes.addColumns(table, [column(3)]);
    expect(await read(first)).toEqual(['c1', 'c3']);
  });

  it('are read from the cache while the definition is unchanged', async () => {
    await read(first);
    // No definition changes without a new ID; here the rows are changed behind the back of the service.
    const key = [table.workspaceId, table.id];
    await database.query('DELETE FROM workspace_columns WHERE workspace_id = $1 AND table_id = $2', key);
    expect([await read(first), await read(second)]).toEqual([['c1'], []]);
  });

  it('never belong to another definition while they change concurrently', async () => {
    const WRITES = 40;
    let isWriting = true;
    const reads = [0, 0, 0];
    /** Waits until each reader has begun and ended a read: on a busy machine, one may be slower than all writes. */
    const untilRead = async () => {
      const before = [...reads];
      await until(
        () => reads.map((count, reader) => count - before[reader]!),
        (done) => done.every((count) => count > 1),
      );
    };
    const write = async () => {
      await untilRead();
      for (let ordinal = 2; ordinal < WRITES; ordinal++)
        await database.transaction(() => writes.addColumns(table, [column(ordinal)]));
      await untilRead();
    };
    /** The number of columns must never decrease, and a definition must always have the same columns. */
    const readAlways = async (repository: CatalogRepository, reader: number) => {
      const seen = new Map<string, number>();
      let before = 1;
      while (isWriting) {
        const { columns, definitionId } = (await repository.find(wholeView(table.workspaceId), 'asset', 'pumps'))!;
        expect(columns.length).toBeGreaterThanOrEqual(before);
        expect(seen.get(definitionId) ?? columns.length).toBe(columns.length);
        seen.set(definitionId, columns.length);
        before = columns.length;
        reads[reader]! += 1;
      }
      expect(seen.size).toBeGreaterThan(1);
    };
    const writing = write().finally(() => (isWriting = false));
    await Promise.all([writing, ...[first, first, second].map(readAlways)]);
    expect(await read(first)).toHaveLength(WRITES - 1);
  });
});
