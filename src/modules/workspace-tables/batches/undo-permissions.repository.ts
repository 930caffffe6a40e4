import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import {
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
  storedTableName,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import { selectVersions } from '../../../../packages/tables/src/catalog/row-versions-sql.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import type { BatchTable } from '../../../../packages/tables/src/history/batch.js';
import { BatchOutsidePolicyError } from './batches.errors.js';

/** What the access policies of the caller permit to undo: only whole batches of permitted rows (ADR 0187). */
@Injectable()
export class UndoPermissions {
  constructor(
    private readonly sql: Sql,
    private readonly permissions: TablePermissions,
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
    if (await this.hasUpdated(table, toRevision, unwritable)) throw new BatchOutsidePolicyError();
    if (rows && (await this.includesUnpermitted(permitted, toRevision))) throw new BatchOutsidePolicyError();
  }

  /** Has the batch changed any of the columns in a row that existed before it? */
  private async hasUpdated(table: CatalogTable, undone: number, columns: readonly CatalogColumn[]): Promise<boolean> {
    if (columns.length === 0) return false;
    const key = physicalKeyName(table);
    const versions = selectVersions(table);
    const changed = columns.map(physicalColumnName).map((name) => `b.${name} IS DISTINCT FROM a.${name}`);
    return this.exists(
      `SELECT 1 FROM ${versions} b JOIN ${versions} a ON a.${key} = b.${key}
        WHERE b._ended_revision = ${undone} AND a._revision = ${undone} AND (${changed.join(' OR ')})`,
    );
  }

  /** Was, or is, any row of the batch outside of the permitted part? */
  private async includesUnpermitted(permitted: CatalogTable, undone: number): Promise<boolean> {
    const key = physicalKeyName(permitted);
    const inside = (condition: string) =>
      `EXISTS (SELECT 1 FROM (SELECT * FROM ${permitted.permission!.rows!.selectVersions()} p
                               WHERE p.${key} = v.${key} OFFSET 0) p WHERE ${condition})`;
    const readable = `EXISTS (SELECT 1 FROM (SELECT 1 FROM ${physicalTableName(permitted)} r
                                              WHERE r.${key} = v.${key} OFFSET 0) r)`;
    const stored = `EXISTS (SELECT 1 FROM ${storedTableName(permitted)} s WHERE s.${key} = v.${key})`;
    return this.exists(
      `SELECT 1 FROM ${selectVersions(permitted)} v
        WHERE (v._revision = ${undone} AND NOT ${inside(`p._revision = ${undone} AND p._from = ${undone}`)})
           OR (v._ended_revision = ${undone} AND NOT ${inside(`p._ended_revision = ${undone} AND p._until = ${undone}`)})
           OR ((v._revision = ${undone} OR v._ended_revision = ${undone}) AND ${stored} AND NOT ${readable})`,
    );
  }

  private async exists(query: string): Promise<boolean> {
    const [found] = await this.sql.query<{ found: boolean }>(`SELECT EXISTS (${query}) AS found`, []);
    return found!.found;
  }
}
