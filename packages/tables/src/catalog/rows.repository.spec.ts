import { uuid } from '../../../sql/src/uuid.js';
import { EngineDatabase } from '../test-database.fixture.spec.js';
import type { CatalogTable } from './catalog-table.js';
import { CatalogRepository } from './catalog.repository.js';
import { ReadMoments } from './read-moments.repository.js';
import { TablePermissions } from './table-permissions.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import type { CatalogColumn } from './column-plan.js';
import { physicalTableName } from './physical-table.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';
import { RowsRepository } from './rows.repository.js';
import { TemporaryTablesFactory } from './temporary-tables.js';

const KEY: CatalogColumn = {
  key: 'key',
  ordinal: 1,
  name: 'Key',
  type: 'text',
  primaryKey: true,
  required: true,
  description: null,
  options: {},
};
const ROWS = 20_000;
/** After so many executions PostgreSQL would plan a prepared statement no more. */
const EXECUTIONS = 8;

describe('the statement for one row', () => {
  let database: EngineDatabase;
  let rows: RowsRepository;
  let table: CatalogTable;

  beforeAll(async () => {
    // One connection, whose plans and statistics the test observes.
    database = await EngineDatabase.create(1);
    rows = new RowsRepository(database);
    const catalog = new CatalogRepository(
      database,
      new TablePermissions({} as never),
      new ReadMoments(database, {} as never),
    );
    const writes = new CatalogWrites(database, catalog, {} as never);
    const physical = new PhysicalTablesRepository(database, new TemporaryTablesFactory(database));
    const workspaceId = uuid();
    await physical.createSchema(workspaceId);
    const identity = { entity: 'asset', name: 'Pumps' } as const;
    const { table: created } = await database.transaction(() => writes.lockOrCreate(workspaceId, identity));
    table = { ...created, columns: [KEY] };
    await database.transaction(() => physical.create(table, [KEY]));
  });

  afterAll(async () => {
    await database.close();
  });

  const insert = (from: number, count: number) =>
    database.query(
      `INSERT INTO ${physicalTableName(table)} (c1, _revision, _created_at, _updated_at)
       SELECT 'K' || n, 1, now(), now() FROM generate_series($1::integer, $2::integer) n`,
      [from, from + count - 1],
    );

  const readRows = async (from: number, count: number) => {
    for (let at = from; at < from + count; at++)
      expect((await rows.find(table, `K${at}`))?.item).toEqual({ key: `K${at}` });
  };

  /** The number of rows that sequential scans of the table have read. */
  const countScannedRows = async () => {
    await database.query('SELECT pg_stat_force_next_flush()');
    const [statistics] = await database.query<{ scanned: number }>(
      'SELECT seq_tup_read::integer AS scanned FROM pg_stat_user_tables WHERE relid = $1::regclass',
      [physicalTableName(table)],
    );
    return statistics!.scanned;
  };

  it('uses the index as soon as the table has grown', async () => {
    await insert(1, EXECUTIONS);
    await database.query(`ANALYZE ${physicalTableName(table)}`);
    const before = await countScannedRows();
    await readRows(1, EXECUTIONS);
    // The test is meaningful only if the plan for a small table is a scan.
    expect(await countScannedRows()).toBeGreaterThan(before);
    await insert(EXECUTIONS + 1, ROWS);
    const grown = await countScannedRows();
    await readRows(1, 2 * EXECUTIONS);
    expect(await countScannedRows()).toBe(grown);
  });
});
