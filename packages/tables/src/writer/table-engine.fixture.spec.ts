import { uuid } from '../../../sql/src/uuid.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
  tombstonesName,
} from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { selectKeys } from '../catalog/row-sql.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import type { TableLog } from '../history/table-log.js';
import type { ApprovalGate } from '../history/batch-recorder.js';
import { MergeEngine } from './merge-engine.js';
import type { MergeOptions, TableInput } from './table-plan.js';
import type { RowBlock, RowStream } from '../sources/staging-row-source.js';
import { wholeView } from '../catalog/view.js';
import { RowWriter } from './row-writer.repository.js';
import type { ChangeReport } from './report.js';
import { EngineDatabase } from '../test-database.fixture.spec.js';
import { Tables } from '../tables.js';

/** No table has the option `approval`. */
const NO_APPROVAL = { mayBeNeeded: () => false, isExceeded: () => Promise.resolve(false) } as unknown as ApprovalGate;

/** No user follows the workspace. */
export const LOG: TableLog = {
  currentActor: () => ({ userId: null, source: 'service' }),
  recordWritten: () => Promise.resolve(),
  recordRename: () => Promise.resolve(),
  recordDefinition: () => Promise.resolve(),
  recordLoad: () => Promise.resolve(),
  countRows: () => undefined,
};

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

/** The engine, with a database of its own and one workspace. */
export class TableEngine {
  readonly workspaceId = uuid();
  readonly view = wholeView(this.workspaceId);
  readonly tables: Tables;
  readonly catalog: CatalogRepository;
  readonly writes: CatalogWrites;
  readonly physical: PhysicalTablesRepository;
  readonly rows: RowsRepository;
  readonly writer: RowWriter;
  readonly engine: MergeEngine;

  private constructor(readonly database: EngineDatabase) {
    this.tables = new Tables(database, {
      limits: { maxColumns: 200, rowMaxBytes: 100, historyDays: 1, statementTimeoutMs: 20_000 },
      log: LOG,
      gate: NO_APPROVAL,
      onIndexRequested: () => undefined,
    });
    this.catalog = this.tables.catalog;
    this.writes = this.tables.writes;
    this.physical = this.tables.physical;
    this.rows = this.tables.rows;
    this.writer = this.tables.writer;
    this.engine = this.tables.engine;
  }

  static async create(): Promise<TableEngine> {
    const created = new TableEngine(await EngineDatabase.create());
    await created.physical.createSchema(created.workspaceId);
    return created;
  }

  /** Merges rows, also those of files. */
  merge(inputs: readonly TableInput[], options: MergeOptions = {}): Promise<ChangeReport> {
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
    await this.database.close();
  }
}
