import { Injectable } from '@nestjs/common';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import type { BatchTable } from '../../../../packages/tables/src/history/batch.js';
import { BatchOutsidePolicyError } from './batches.errors.js';
import { BatchRowsRepository } from './batch-rows.repository.js';

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
   * @throws {BatchOutsidePolicyError} if the batch has changed rows or columns that the caller may not change.
   * @throws {ReadOnlyError}
   */
  async authorize(
    view: View,
    table: CatalogTable,
    { fromRevision, toRevision }: Pick<BatchTable, 'fromRevision' | 'toRevision'>,
  ): Promise<void> {
    if (toRevision === fromRevision) {
      if (!this.permissions.find(view, table)) throw new BatchOutsidePolicyError();
      return;
    }
    const permitted = this.permissions.permitWrite(view, table, () => new BatchOutsidePolicyError());
    if (!permitted) return;
    const { readOnly, rows } = permitted.permission!;
    const isWritable = ({ key }: { key: string }) =>
      !readOnly.has(key) && permitted.columns.some((column) => column.key === key);
    const unwritable = table.columns.filter((column) => !isWritable(column));
    if (await this.rows.hasUpdated(table, toRevision, unwritable)) throw new BatchOutsidePolicyError();
    if (rows && (await this.rows.includesUnpermitted(permitted, toRevision))) throw new BatchOutsidePolicyError();
  }
}
