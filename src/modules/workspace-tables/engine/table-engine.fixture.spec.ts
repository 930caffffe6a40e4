import { DataSource } from 'typeorm';
import { uuid } from '../../../platform/database/uuid.js';
import { ColumnRulesRepository } from '../catalog/column-rules.repository.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import { ReferenceLookup } from '../catalog/reference-lookup.js';
import { RowKey, RowKeyPosition } from '../catalog/row-key.entity.js';
import { RowKeysRepository } from '../catalog/row-keys.repository.js';
import { FormerTableName } from '../catalog/former-table-name.entity.js';
import { FormerTableNamesRepository } from '../catalog/former-table-names.repository.js';
import { physicalColumnName, physicalKeyName, physicalTableName, tombstonesName } from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import type { TableEvents } from '../catalog/table-events.js';
import { TableWriters } from '../catalog/table-writers.js';
import { RowsWithEntryRepository } from '../catalog/rows-with-entry.repository.js';
import { WorkspaceColumn } from '../catalog/workspace-column.entity.js';
import { WorkspaceTable } from '../catalog/workspace-table.entity.js';
import { BatchRecorder } from './batch-recorder.js';
import { BatchRecords } from './batch-records.repository.js';
import { MergeEngine } from './merge-engine.js';
import { MergeRepository } from './merge.repository.js';
import { PreviousRows } from './previous-rows.repository.js';
import { MergedColumns } from './merged-columns.js';
import { Replacer } from './replacer.js';
import { RowSources } from './row-sources.js';
import { RowWriter } from './row-writer.js';
import { StagingRepository } from './staging.repository.js';
import { TableBatch } from './table-batch.entity.js';
import { TombstonesRepository } from './tombstones.repository.js';
import type { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { DatabaseLayout } from '../../../platform/database/database-layout.js';
import { SnakeCaseNaming } from '../../../platform/database/snake-case-naming.js';
import { PendingEvent } from '../../events/event.entity.js';
import { TestDatabase } from '../../../../test/support/service.js';

/** Events are stored, but not numbered. */
const EVENTS = {
  recordWritten: () => Promise.resolve(),
  createRowEvent: () => ({ id: uuid(), actorId: null, source: 'service' }),
  numberSoon: () => undefined,
} as unknown as TableEvents;

/** What writes the rows of workspace tables, with a database of its own and one workspace. */
export class TableEngine {
  readonly workspaceId = uuid();
  readonly database: Database;
  readonly catalog: CatalogRepository;
  readonly rows: RowsRepository;
  readonly tombstones: TombstonesRepository;
  readonly merges: MergeRepository;
  readonly engine: MergeEngine;
  readonly writer: RowWriter;

  private constructor(
    private readonly server: TestDatabase,
    private readonly dataSource: DataSource,
    layout: DatabaseLayout,
  ) {
    const database = new Database(dataSource, undefined, layout);
    const catalog = new CatalogRepository(database, new FormerTableNamesRepository(database), {} as never);
    const physical = new PhysicalTablesRepository(database);
    const records = new BatchRecords(database);
    this.tombstones = new TombstonesRepository(database, records);
    this.merges = new MergeRepository(database, records, this.tombstones);
    const config = {
      tables: { maxColumns: 200, rowMaxBytes: 100, undoDays: 1 },
      database: { poolSize: 10, lockTimeoutMs: 5_000 },
    } as Config;
    this.database = database;
    this.catalog = catalog;
    this.rows = new RowsRepository(database, new RowsWithEntryRepository(database));
    const lookup = new ReferenceLookup(database, catalog, new RowKeysRepository(database), {} as never);
    const sources = new RowSources(this.rows, new StagingRepository(database), lookup, config);
    const replacer = new Replacer(this.tombstones);
    const batches = new BatchRecorder(records, new PreviousRows(database), config, EVENTS);
    const columns = new MergedColumns(catalog, physical, new ColumnRulesRepository(database));
    this.engine = new MergeEngine(database, catalog, columns, this.merges, sources, replacer, batches);
    const writers = new TableWriters(database, config);
    this.writer = new RowWriter(database, catalog, sources, this.merges, writers, EVENTS);
  }

  /** @param layout distributed: with the statements of a cluster, which one server executes, too. */
  static async create(layout = new DatabaseLayout(false)): Promise<TableEngine> {
    const server = await TestDatabase.create();
    const dataSource = new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [PendingEvent, WorkspaceTable, WorkspaceColumn, FormerTableName, RowKey, RowKeyPosition, TableBatch],
      namingStrategy: new SnakeCaseNaming(),
    });
    await dataSource.initialize();
    await dataSource.synchronize();
    const created = new TableEngine(server, dataSource, layout);
    await new PhysicalTablesRepository(created.database).createSchema(created.workspaceId);
    return created;
  }

  async getTable(name: string): Promise<CatalogTable> {
    return (await this.catalog.findByName(this.workspaceId, { entity: 'asset', name }))!;
  }

  /** Replaces the rows of a table. @param deleted keys of tombstones. */
  async reset(name: string, items: readonly object[], deleted: readonly string[]): Promise<void> {
    const emptied = await this.getTable(name);
    await this.database.query(`TRUNCATE ${physicalTableName(emptied)}, ${tombstonesName(emptied)}`);
    await this.engine.execute(this.workspaceId, [{ entity: 'asset', name, items }], { continueOnError: true });
    const table = await this.getTable(name);
    await this.tombstones.deleteRows(table, deleted, table.revision);
  }

  /** All rows and tombstones, with their revision relative to the given one. */
  async readRows(name: string, revision: number): Promise<unknown[]> {
    const table = await this.getTable(name);
    const names = table.columns.map(physicalColumnName);
    const ofTombstone = names.map((name) => (name === physicalKeyName(table) ? 'key' : 'NULL'));
    return this.database.query(
      `SELECT ${names.join(', ')}, _revision::integer - $1::integer AS revision, false AS deleted, _created_at = _updated_at AS created
         FROM ${physicalTableName(table)}
       UNION ALL
       SELECT ${ofTombstone.join(', ')}, revision::integer - $1::integer, true, created_at = deleted_at FROM ${tombstonesName(table)}
       ORDER BY 1`,
      [revision],
    );
  }

  async close(): Promise<void> {
    await this.dataSource.destroy();
    await this.server.drop();
  }
}
