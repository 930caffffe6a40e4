import { Injectable } from '@nestjs/common';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import { listCallerPolicies } from '../../../platform/security/caller-policies.js';
import type { PolicyRules } from '../../access-policies/policy-rules.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { describeViolation, listConstraints } from '../catalog/column-constraints.js';
import { findParentColumn } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { ConstraintsRepository } from '../catalog/constraints.repository.js';
import { getPrimaryKey, hasSelectedRows, physicalKeyName, withPermittedRows } from '../catalog/physical-table.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TablePermissions } from '../catalog/table-permissions.js';
import { PermittedRowsRepository } from '../engine/permitted-rows.repository.js';
import { ReadOnlyError } from '../policy.errors.js';
import { createHierarchyCycleError, createOutsidePolicyError } from '../sources/row-errors.js';
import { RenameRepository } from './rename.repository.js';
import { createInvalidKeyError } from './row-key.js';

/** A row that receives another key. */
export interface RenamedKey {
  table: CatalogTable;
  from: string;
  to: string;
}

/** Columns with the former key that receive the new one. */
export interface ChangedReferences {
  table: CatalogTable;
  columns: readonly CatalogColumn[];
}

/**
 * Rejects new keys that constraints, hierarchies or access policies do not permit. A rename changes rows that refer to
 * the row: a caller with a policy must be permitted to change each of them directly (ADR 0199).
 */
@Injectable()
export class RenameChecks {
  constructor(
    private readonly rows: RowsRepository,
    private readonly repository: RenameRepository,
    private readonly constraints: ConstraintsRepository,
    private readonly permissions: TablePermissions,
    private readonly permittedRows: PermittedRowsRepository,
  ) {}

  /** Rows may already name the new key as their parent. If the row is below one of them, the rename creates a cycle. */
  async requireNoCycle({ table, from, to }: RenamedKey): Promise<void> {
    for (const column of table.columns.filter(({ type }) => type === 'hierarchyParent')) {
      if ((await this.rows.findFirstAbove(table, column, [from], [to])).size === 0) continue;
      const { code } = createHierarchyCycleError(column.key, to);
      const message = `The key "${to}" would create a cycle: a row above this row has it as its parent. Choose another key.`;
      throw createInvalidKeyError(table, from, { code, column: column.key, message });
    }
  }

  /** The new key must satisfy the constraints of the primary key, unless they are warnings. */
  async requireConstraints({ table, from, to }: RenamedKey): Promise<void> {
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
  async requirePermitted(renamed: RenamedKey, referring: readonly ChangedReferences[]): Promise<void> {
    const { table, from } = renamed;
    const { workspaceId } = table;
    if (listNoteRoots(workspaceId).length > 0) await this.requireSameNotes(renamed);
    if (!this.permissions.isRestricted(workspaceId)) return;
    const { key } = getPrimaryKey(table.columns);
    const permitted = this.permissions.find(table)!;
    if (permitted.permission!.readOnly.has(key)) throw new ReadOnlyError(table, key);
    if (permitted.permission!.rows?.dependsOnOthers) await this.requireNoHiddenChild(renamed, permitted);
    for (const { table: each, columns } of referring)
      for (const column of columns)
        if ((await this.repository.countReferences(each, column, from)) > 0)
          await this.requireWritable(renamed, each, column);
  }

  /** After the rename, which has incremented the revision of the tables: all changed rows are in the permitted part. */
  async requireInside(renamed: RenamedKey, changed: readonly CatalogTable[]): Promise<void> {
    if (!this.permissions.isRestricted(renamed.table.workspaceId)) return;
    for (const table of changed) {
      const permitted = withPermittedRows(table, this.permissions.find(table));
      if (!hasSelectedRows(permitted)) continue;
      const outside = await this.permittedRows.findWrittenOutside(table, permitted, 1);
      if (outside.length > 0) throw createOutsideError(renamed);
    }
  }

  private async requireWritable(renamed: RenamedKey, table: CatalogTable, column: CatalogColumn): Promise<void> {
    const permitted = this.permissions.find(table);
    const isVisible = permitted?.columns.some(({ key }) => key === column.key);
    if (!permitted || !isVisible) throw createOutsideError(renamed);
    const { canWrite, readOnly } = permitted.permission!;
    if (!canWrite) throw new ReadOnlyError(table);
    if (readOnly.has(column.key)) throw new ReadOnlyError(table, column.key);
    await this.requireAllPermitted(renamed, table, permitted, column, renamed.from);
  }

  /** Rows that already have the new key as their parent would enter the permitted part below the row. */
  private requireNoHiddenChild(renamed: RenamedKey, permitted: CatalogTable): Promise<void> {
    const { table, to } = renamed;
    return this.requireAllPermitted(renamed, table, permitted, findParentColumn(table)!, to);
  }

  private async requireAllPermitted(
    renamed: RenamedKey,
    table: CatalogTable,
    permitted: CatalogTable,
    column: CatalogColumn,
    key: string,
  ): Promise<void> {
    const all = await this.repository.countReferences(table, column, key);
    const readable = await this.repository.countReferences(withPermittedRows(table, permitted), column, key);
    if (readable < all) throw createOutsideError(renamed);
  }

  /** The locations at which the caller may read notes remain the same. */
  private async requireSameNotes(renamed: RenamedKey): Promise<void> {
    const { table, from, to } = renamed;
    if (table.entity !== 'location') return;
    const roots = listNoteRoots(table.workspaceId);
    if (roots.includes(from) || roots.includes(to)) throw createOutsideError(renamed);
    const parent = findParentColumn(table);
    if (parent && (await this.repository.countReferences(table, parent, to)) > 0) throw createOutsideError(renamed);
  }
}

/** The keys of the locations below which the policies of the caller permit notes. */
function listNoteRoots(workspaceId: string): string[] {
  return listCallerPolicies(workspaceId).flatMap(({ rules }) => (rules as PolicyRules).notes?.under ?? []);
}

function createOutsideError({ table, from }: RenamedKey): Error {
  return createInvalidKeyError(table, from, {
    ...createOutsidePolicyError(),
    message: 'The rename changes rows, or adds rows to those, that the access policy of the caller does not permit.',
  });
}
