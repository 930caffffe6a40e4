import { Injectable } from '@nestjs/common';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import type { BatchTable } from '../../../../packages/tables/src/history/batch.js';
import { createOutsidePolicyError } from '../../../../packages/tables/src/sources/row-errors.js';
import type { TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { BatchOutsidePolicyError, toConflict } from './batches.errors.js';
import { BatchRowsRepository } from './batch-rows.repository.js';
import type { UndoConflict } from './undo-plan.repository.js';

/** What the access policies of the caller permit to undo: only whole batches of permitted rows (ADR 0187). */
@Injectable()
export class UndoPermissions {
  constructor(
    private readonly permissions: TablePermissions,
    private readonly rows: BatchRowsRepository,
  ) {}

  /**
   * Before a batch is undone in a table.
   *
   * @param undone what the batch has done in the table.
   * @returns the table as the caller reads it.
   * @throws {BatchOutsidePolicyError} if the batch has changed rows or columns that the caller may not change.
   * @throws {ReadOnlyError}
   */
  async authorizeUndo(
    view: View,
    table: CatalogTable,
    { fromRevision, toRevision }: Pick<BatchTable, 'fromRevision' | 'toRevision'>,
  ): Promise<CatalogTable> {
    if (toRevision === fromRevision) {
      const readable = this.permissions.find(view, table);
      if (!readable) throw new BatchOutsidePolicyError();
      return readable;
    }
    const permitted = this.permissions.permitWrite(view, table, () => new BatchOutsidePolicyError());
    if (!permitted) return table;
    const { readOnly, rows } = permitted.permission!;
    const isWritable = ({ key }: { key: string }) =>
      !readOnly.has(key) && permitted.columns.some((column) => column.key === key);
    const unwritable = table.columns.filter((column) => !isWritable(column));
    if (await this.rows.hasUpdated(table, toRevision, unwritable)) throw new BatchOutsidePolicyError();
    if (rows && (await this.rows.includesUnpermitted(permitted, toRevision))) throw new BatchOutsidePolicyError();
    return permitted;
  }

  /**
   * After a batch was undone in a table.
   *
   * @param permitted of `authorizeUndo`.
   * @param revision of the restored rows.
   * @throws {BatchOutsidePolicyError} if restored rows are outside of the permitted part.
   */
  async authorizeRestored(permitted: CatalogTable, revision: number): Promise<void> {
    if (permitted.permission?.rows && (await this.rows.hasRestoredUnpermitted(permitted, revision)))
      throw new BatchOutsidePolicyError();
  }

  /** The error of a row that is not restored, without columns that the caller may not read. */
  toVisibleConflict(permitted: CatalogTable, conflict: UndoConflict): TableError {
    const { key, reason } = conflict;
    const isKnown = !reason || permitted.columns.some((column) => column.key === reason.column.key);
    if (isKnown) return toConflict(permitted, conflict);
    return { type: permitted.entity, table: permitted.name, key, ...createOutsidePolicyError() };
  }
}
