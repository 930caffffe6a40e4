import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { mayBeUnresolved } from '../catalog/column-types.js';
import { ReferenceLookup } from '../catalog/reference-targets.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import type { UnresolvedReferences } from './row-results.js';
import type { RowSource } from './row-source.js';
import { ArrayRowSource } from './array-row-source.js';
import { type FileTable, type RowStream, StagingRowSource } from './staging-row-source.js';
import { StagingRepository } from './staging.repository.js';
import { type UndoneRevision, UndoneRowSource } from './undone-row-source.js';
import { UndoneRowsRepository } from './undone-rows.repository.js';

/** Unresolved references that are listed per table; the total counts all. */
const MAX_LISTED_REFERENCES = 20;

/** Limits of tables that a deployment sets. */
export interface TableLimits {
  maxColumns: number;
  /** Bytes of a row as JSON. */
  rowMaxBytes: number;
  /** Days for which former rows remain, in tables without an own number. */
  historyDays: number;
  /** Of all statements. */
  statementTimeoutMs: number;
}

/** Reads rows into the sources that are written, and finds their unresolved references. */
export class RowSources {
  constructor(
    private readonly rows: RowsRepository,
    private readonly staging: StagingRepository,
    private readonly undone: UndoneRowsRepository,
    private readonly references: ReferenceLookup,
    readonly limits: TableLimits,
  ) {}

  read(items: readonly unknown[], columns: readonly CatalogColumn[]): ArrayRowSource {
    return ArrayRowSource.read(this.rows, items, columns, this.limits.rowMaxBytes);
  }

  /** Rows that cannot be read, because the columns have errors. */
  unread(items: readonly unknown[]): ArrayRowSource {
    return ArrayRowSource.unread(this.rows, items);
  }

  /**
   * Reads a file into a staging table of the open transaction.
   *
   * @param number of the staging table in the transaction.
   * @param stored the table as it is; undefined if it does not exist.
   */
  stage(
    number: number,
    table: FileTable & Pick<CatalogTable, 'workspaceId'>,
    stored: CatalogTable | undefined,
    stream: RowStream,
  ): Promise<StagingRowSource> {
    const context = { staging: this.staging, maxRowBytes: this.limits.rowMaxBytes };
    return StagingRowSource.stage(context, number, table, stored, stream);
  }

  /** @param number of the temporary table in the transaction. */
  async undo(
    number: number,
    table: CatalogTable,
    { undoneRevision, timeoutS }: UndoneRevision,
  ): Promise<UndoneRowSource> {
    await this.staging.begin(timeoutS);
    return UndoneRowSource.plan(this.undone, table, undoneRevision, number);
  }

  /** References of the rows without a target. @param limit of the list. */
  async findUnresolved(
    table: CatalogTable,
    source: RowSource,
    limit = MAX_LISTED_REFERENCES,
  ): Promise<UnresolvedReferences> {
    const all: UnresolvedReferences = { total: 0, first: [] };
    for (const column of source.columns.filter(mayBeUnresolved)) {
      const targets = await this.references.findTargets(table, column);
      const { total, first } = await source.findUnresolved(column, targets, limit);
      all.total += total;
      all.first.push(...first);
    }
    return { total: all.total, first: all.first.sort((a, b) => a.index - b.index).slice(0, limit) };
  }
}
