import { Injectable } from '@nestjs/common';
import { quoteLiteral } from '../../../../packages/sql/src/sql-literal.js';
import { listCallerPolicies } from '../../../platform/security/caller-policies.js';
import type { PolicyRules } from '../../access-policies/policy-rules.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { describeViolation, listConstraints } from '../../../../packages/tables/src/catalog/column-constraints.js';
import { findParentColumn } from '../../../../packages/tables/src/catalog/column-finder.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import {
  getPrimaryKey,
  hasSelectedRows,
  physicalKeyName,
  withPermittedRows,
} from '../../../../packages/tables/src/catalog/physical-table.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { isRestricted, type View } from '../../../../packages/tables/src/catalog/view.js';
import { ReadOnlyError } from '../../../../packages/tables/src/catalog/policy.errors.js';
import {
  createHierarchyCycleError,
  createOutsidePolicyError,
} from '../../../../packages/tables/src/sources/row-errors.js';
import { type KeyChange, RenameRepository } from './rename.repository.js';
import { createInvalidKeyError } from './row-key.js';

/** Columns with the former key that receive the new one. */
export interface ChangedReferences {
  table: CatalogTable;
  columns: readonly CatalogColumn[];
}

/**
 * Rejects new keys that constraints, hierarchies or access policies do not permit. A rename changes rows that refer to
 * the row: a caller with a policy must be permitted to change each of them directly (ADR 0200).
 */
@Injectable()
export class RenameChecks {
  constructor(
    private readonly rows: RowsRepository,
    private readonly repository: RenameRepository,
    private readonly constraints: ConstraintsRepository,
    private readonly permissions: TablePermissions,
  ) {}

  /** Rows may already name the new key as their parent. If the row is below one of them, the rename creates a cycle. */
  async requireNoCycle(table: CatalogTable, { from, to }: KeyChange): Promise<void> {
    for (const column of table.columns.filter(({ type }) => type === 'hierarchyParent')) {
      if ((await this.rows.findFirstAbove(table, column, [from], [to])).size === 0) continue;
      const { code } = createHierarchyCycleError(column.key, to);
      const message = `The key "${to}" would create a cycle: a row above this row has it as its parent. Choose another key.`;
      throw createInvalidKeyError(table, from, { code, column: column.key, message });
    }
  }

  /** The new key must satisfy the constraints of the primary key, unless they are warnings. */
  async requireConstraints(table: CatalogTable, { from, to }: KeyChange): Promise<void> {
    const constraints = listConstraints(table).filter(({ column, level }) => column.primaryKey && level === 'error');
    const condition = `r.${physicalKeyName(table)} = ${quoteLiteral(to)}`;
    const [violation] = await this.constraints.find(table, { condition, constraints }, 1);
    if (violation) throw createInvalidKeyError(table, from, describeViolation(violation));
  }

  /**
   * Before the rename: the caller may change the key, and every row that refers to it, and no hidden row becomes a
   * child of the row.
   *
   * @throws {ReadOnlyError | InvalidTablesError}
   */
  async requirePermittedBefore(
    view: View,
    table: CatalogTable,
    { from, to }: KeyChange,
    referring: readonly ChangedReferences[],
  ): Promise<void> {
    const outside = createOutsideError(table, from);
    if (await this.changesNotes(table, { from, to })) throw outside;
    if (!isRestricted(view)) return;
    const { key } = getPrimaryKey(table.columns);
    const permitted = this.permissions.find(view, table)!;
    if (permitted.permission!.readOnly.has(key)) throw new ReadOnlyError(table, key);
    // Rows that already have the new key as their parent would enter the permitted part below the row.
    const mayAddChildren = permitted.permission!.rows?.dependsOnOthers;
    if (mayAddChildren && (await this.hasHiddenReferences(table, permitted, findParentColumn(table)!, to)))
      throw outside;
    for (const { table: each, columns } of referring)
      for (const column of columns) if (!(await this.canChange(view, each, column, from))) throw outside;
  }

  /** After the rename, which has incremented the revision of the tables: all changed rows are in the permitted part. */
  async requirePermittedAfter(
    view: View,
    table: CatalogTable,
    { from }: KeyChange,
    changed: readonly CatalogTable[],
  ): Promise<void> {
    if (!isRestricted(view)) return;
    for (const each of changed) {
      const permitted = withPermittedRows(each, this.permissions.find(view, each));
      if (!hasSelectedRows(permitted)) continue;
      const outside = await this.rows.findWrittenUnpermitted(each, permitted, 1);
      if (outside.length > 0) throw createOutsideError(table, from);
    }
  }

  /** May the caller change the column in all rows that have the key there? @throws {ReadOnlyError} */
  private async canChange(view: View, table: CatalogTable, column: CatalogColumn, key: string): Promise<boolean> {
    if ((await this.repository.countReferences(table, column, key)) === 0) return true;
    const permitted = this.permissions.find(view, table);
    if (!permitted?.columns.some((each) => each.key === column.key)) return false;
    const { canWrite, readOnly } = permitted.permission!;
    if (!canWrite) throw new ReadOnlyError(table);
    if (readOnly.has(column.key)) throw new ReadOnlyError(table, column.key);
    return !(await this.hasHiddenReferences(table, permitted, column, key));
  }

  /** Do rows that the caller may not read have the key in the column? */
  private async hasHiddenReferences(
    table: CatalogTable,
    permitted: CatalogTable,
    column: CatalogColumn,
    key: string,
  ): Promise<boolean> {
    const all = await this.repository.countReferences(table, column, key);
    return (await this.repository.countReferences(withPermittedRows(table, permitted), column, key)) < all;
  }

  /** Does the rename change the locations at which the caller may read notes? */
  private async changesNotes(table: CatalogTable, { from, to }: KeyChange): Promise<boolean> {
    const roots = listNoteRoots(table.workspaceId);
    if (roots.length === 0 || table.entity !== 'location') return false;
    if (roots.includes(from) || roots.includes(to)) return true;
    const parent = findParentColumn(table);
    return parent !== undefined && (await this.repository.countReferences(table, parent, to)) > 0;
  }
}

/** The keys of the locations below which the policies of the caller permit notes. */
function listNoteRoots(workspaceId: string): string[] {
  return listCallerPolicies(workspaceId).flatMap(({ rules }) => (rules as PolicyRules).notes?.under ?? []);
}

function createOutsideError(table: CatalogTable, from: string): Error {
  return createInvalidKeyError(table, from, {
    ...createOutsidePolicyError(),
    message: 'The rename changes rows, or adds rows to those, that the access policy of the caller does not permit.',
  });
}
