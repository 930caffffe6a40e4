import { DataSource } from 'typeorm';
import { uuid } from '../../../platform/database/uuid.js';
import { ColumnRulesRepository } from '../catalog/column-rules.repository.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { ReferenceLookup } from '../catalog/reference-lookup.js';
import { FormerTableName } from '../catalog/former-table-name.entity.js';
import { FormerTableNamesRepository } from '../catalog/former-table-names.repository.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
  tombstonesName,
} from '../catalog/physical-table.js';
import { MomentsRepository } from '../catalog/moments.repository.js';
import { ReadMoments } from '../catalog/read-moments.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { selectKeys } from '../catalog/row-sql.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TablePermissions } from '../catalog/table-permissions.js';
import { TableTurns } from '../catalog/table-turns.js';
import { WorkspaceColumn } from '../catalog/workspace-column.entity.js';
import { WorkspaceTable } from '../catalog/workspace-table.entity.js';
import type { TableLog } from '../history/table-log.js';
import type { ApprovalGate } from '../history/approval-gate.js';
import { BatchRecorder } from '../history/batch-recorder.js';
import { BatchRecords } from '../history/batch-records.repository.js';
import { ConstraintsRepository } from '../catalog/constraints.repository.js';
import { ConstraintChecks } from './constraint-checks.js';
import { MergeEngine } from './merge-engine.js';
import { TablePlanner } from './table-planner.js';
import { MergeWriter } from './merge-writer.js';
import { MergedColumns } from './merged-columns.js';
import { PolicyChecks } from './policy-checks.js';
import { Replacer } from './replacer.js';
import { RowSources } from '../sources/row-sources.js';
import { RowRequests } from './row-requests.js';
import type { MergeOptions } from './merge-options.js';
import type { UpsertReportDto } from './dto/upsert-report.dto.js';
import type { TableInput } from './table-plan.js';
import { ParentCyclesRepository } from '../sources/parent-cycles.repository.js';
import { TemporaryTablesFactory } from '../catalog/temporary-tables.js';
import type { RowBlock, RowStream } from '../sources/staging-row-source.js';
import { StagingRepository } from '../sources/staging.repository.js';
import { RevisionsRepository } from '../history/revisions.repository.js';
import { RowHistory } from '../catalog/row-history.js';
import { wholeView } from '../catalog/view.js';
import { TableBatch } from '../history/table-batch.entity.js';
import { TableRevision } from '../history/table-revision.entity.js';
import { RowWriter } from '../history/row-writer.repository.js';
import type { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { SnakeCaseNaming } from '../../../platform/database/snake-case-naming.js';
import { PendingEvent } from '../../events/event.entity.js';
import { TestDatabase } from '../../../../test/support/service.js';

/** No table has the option `approval`. */
const NO_APPROVAL = { isNeeded: () => false, isExceeded: () => Promise.resolve(false) } as unknown as ApprovalGate;

/** Nobody follows the workspace. */
export const LOG: TableLog = {
  currentActor: () => ({ userId: null, source: 'service' }),
  recordWritten: () => Promise.resolve(),
  recordRows: () => Promise.resolve(),
  recordDefinition: () => Promise.resolve(),
  recordLoad: () => Promise.resolve(),
};

const CONFIG = {
  tables: { maxColumns: 200, rowMaxBytes: 100, historyDays: 1 },
  database: { poolSize: 10, lockTimeoutMs: 20_000 },
} as Config;

const ROWS_PER_BLOCK = 3;

/** Rows as a file of an import: three per block, one per line. */
export function toStream(items: readonly unknown[]): RowStream {
  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
  async function* read(): AsyncGenerator<RowBlock> {
    for (let from = 0; from < items.length; from += ROWS_PER_BLOCK)
      yield (take) => {
        items.slice(from, from + ROWS_PER_BLOCK).forEach((item, position) => {
          take(item, from + position + 1, () => '');
        });
      };
  }
  return {
    timeoutS: 60,
    open: (table) => {
      const columns = table.columns.filter(({ primaryKey }) => !primaryKey);
      return Promise.resolve({ columns, readerOptions: {}, blocks: read() });
    },
    reportProgress: () => undefined,
  };
}

/** What writes the rows of workspace tables, with a database of its own and one workspace. */
export class TableEngine {
  readonly workspaceId = uuid();
  readonly view = wholeView(this.workspaceId);
  readonly database: Database;
  readonly catalog: CatalogRepository;
  readonly writes: CatalogWrites;
  readonly permissions = new TablePermissions();
  readonly physical: PhysicalTablesRepository;
  readonly rows: RowsRepository;
  readonly writer: RowWriter;
  readonly lookup: ReferenceLookup;
  readonly turns: TableTurns;
  readonly sources: RowSources;
  readonly history = new RowHistory(CONFIG);
  readonly recorder: BatchRecorder;
  readonly engine: MergeEngine;
  readonly requests: RowRequests;

  private constructor(
    private readonly server: TestDatabase,
    private readonly dataSource: DataSource,
  ) {
    const database = new Database(dataSource);
    const temporary = new TemporaryTablesFactory(database);
    const records = new BatchRecords(database);
    const { history, permissions } = this;
    this.database = database;
    const moments = new ReadMoments(new MomentsRepository(database, history));
    this.catalog = new CatalogRepository(database, permissions, moments);
    const names = new FormerTableNamesRepository(database);
    this.writes = new CatalogWrites(database, this.catalog, names, {} as never);
    this.physical = new PhysicalTablesRepository(database, temporary);
    this.writer = new RowWriter(database, history);
    this.rows = new RowsRepository(database);
    this.lookup = new ReferenceLookup(this.catalog);
    this.turns = new TableTurns(database, CONFIG);
    const staging = new StagingRepository(database, new ParentCyclesRepository(database), temporary);
    this.sources = new RowSources(this.rows, staging, this.lookup, CONFIG);
    const constraints = new ConstraintsRepository(database, this.lookup);
    const rules = new ColumnRulesRepository(database);
    const columns = new MergedColumns(this.catalog, this.writes, this.physical, rules, constraints, LOG);
    const policies = new PolicyChecks(this.rows, permissions);
    const checks = new ConstraintChecks(constraints, policies);
    const revisions = new RevisionsRepository(database, LOG);
    this.recorder = new BatchRecorder(records, revisions, LOG, NO_APPROVAL);
    this.engine = new MergeEngine(
      database,
      this.writes,
      new TablePlanner(this.catalog, permissions, columns, this.sources),
      this.sources,
      new MergeWriter(columns, this.writer, new Replacer(this.writer), checks, policies),
      this.recorder,
    );
    this.requests = new RowRequests(database, this.writes, this.engine, this.rows, this.turns, permissions, LOG);
  }

  static async create(): Promise<TableEngine> {
    const server = await TestDatabase.create();
    const dataSource = new DataSource({
      type: 'postgres',
      url: server.url,
      entities: [PendingEvent, WorkspaceTable, WorkspaceColumn, FormerTableName, TableBatch, TableRevision],
      namingStrategy: new SnakeCaseNaming(),
      extra: { lock_timeout: 20_000 },
    });
    await dataSource.initialize();
    await dataSource.synchronize();
    const created = new TableEngine(server, dataSource);
    await created.physical.createSchema(created.workspaceId);
    return created;
  }

  /** Merges rows, also those of files. */
  merge(inputs: readonly TableInput[], options: MergeOptions = {}): Promise<UpsertReportDto> {
    return this.engine.run(options, async () => {
      const prepared = await this.engine.prepare(this.view, inputs, options);
      return this.engine.write(await this.engine.lock(prepared));
    });
  }

  /** Deletes rows and leaves tombstones. The table retains its revision. */
  async deleteRows(table: CatalogTable, keys: readonly string[], revision: number): Promise<void> {
    await this.writer.delete(table, selectKeys(keys), { revision, change: { at: new Date().toISOString() } });
  }

  async getTable(name: string): Promise<CatalogTable> {
    return (await this.catalog.findByName(this.view, { entity: 'asset', name }))!;
  }

  /** Replaces the rows of a table. @param deleted keys of tombstones. */
  async reset(name: string, items: readonly object[], deleted: readonly string[]): Promise<void> {
    const emptied = await this.getTable(name);
    const relations = [physicalTableName, formerRowsName, tombstonesName].map((name) => name(emptied));
    await this.database.query(`TRUNCATE ${relations.join(', ')}`);
    await this.engine.execute(this.view, [{ entity: 'asset', name, items }], { continueOnError: true });
    const table = await this.getTable(name);
    await this.deleteRows(table, deleted, table.revision);
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
