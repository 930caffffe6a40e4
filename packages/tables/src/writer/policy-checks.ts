import type { CatalogTable } from '../catalog/catalog-table.js';
import type { Constraint, Violation } from '../catalog/column-constraints.js';
import { hasSelectedRows, physicalKeyName, physicalTableName, withPermittedRows } from '../catalog/physical-table.js';
import { RowsRepository } from '../catalog/rows.repository.js';
import { TablePermissions } from '../catalog/table-permissions.js';
import { createOutsidePolicyError } from '../sources/row-errors.js';
import type { RowSource } from '../sources/row-source.js';
import type { StagingRowSource } from '../sources/staging-row-source.js';
import type { TableError } from '../catalog/tables.errors.js';
import type { LockedTable } from './table-plan.js';
import type { MergedTable } from './upsert-report.js';

/**
 * Rejects rows that the access policies of the caller do not permit: a row must be in the permitted part of its table
 * before and after it is written (ADR 0161).
 */
export class PolicyChecks {
  constructor(
    private readonly rows: RowsRepository,
    private readonly permissions: TablePermissions,
  ) {}

  /** Rejects the rows that are stored outside of the permitted part. Nothing is written yet. */
  async rejectStoredUnpermitted({ plan: { source, permitted }, table, isNew }: LockedTable): Promise<void> {
    if (!hasSelectedRows(permitted) || isNew) return;
    await source.reject(
      await source.findStoredUnpermitted(table, withPermittedRows(table, permitted)),
      createOutsidePolicyError,
    );
  }

  /** Rejects the rows of a file that a merge would leave outside of the permitted part. Nothing is merged. */
  async rejectMergedUnpermitted({ plan: { permitted }, table }: LockedTable, source: StagingRowSource): Promise<void> {
    if (!permitted || !hasSelectedRows(permitted)) return;
    const selectPermitted = (merged: CatalogTable) => selectKeys(this.permissions.find(permitted.view, merged)!);
    await source.rejectOutside(withPermittedRows(table, permitted), selectPermitted, createOutsidePolicyError);
  }

  /** The keys of the rows that were written and are outside of the permitted part now. */
  async findWrittenUnpermitted(
    { plan: { permitted }, table, fromRevision }: MergedTable,
    limit: number,
  ): Promise<string[]> {
    if (!hasSelectedRows(permitted) || table.revision === fromRevision) return [];
    return this.rows.findWrittenUnpermitted(table, withPermittedRows(table, permitted), limit);
  }

  /**
   * The violations as the caller may know them: without the keys of rows that the caller may not read, and without
   * constraints of hidden columns.
   *
   * @returns also the keys of the rows that violate a constraint of a hidden column.
   */
  async hideViolations(
    { plan: { permitted }, table }: LockedTable,
    found: readonly Violation[],
  ): Promise<{ found: readonly Violation[]; outside: string[] }> {
    if (!permitted) return { found, outside: [] };
    const isKnown = ({ constraint }: Violation) => isVisible(constraint, permitted);
    const outside = found.filter((violation) => !isKnown(violation)).map(({ key }) => key);
    const known = found.filter(isKnown);
    if (!hasSelectedRows(permitted)) return { found: known, outside };
    const others = known.flatMap(({ otherKey }) => otherKey ?? []);
    const readable = await this.rows.findExisting(withPermittedRows(table, permitted), others);
    const toReadable = (key: string | null) => (key !== null && readable.has(key) ? key : null);
    return { found: known.map((each) => ({ ...each, otherKey: toReadable(each.otherKey) })), outside };
  }

  /** Rejects the rows with these keys, which are outside of the permitted part. */
  async rejectUnpermitted(source: RowSource, keys: readonly string[]): Promise<void> {
    await source.reject(await source.findByKeys(keys), createOutsidePolicyError);
  }
}

/** May the caller read all columns of the constraint? @param permitted undefined if no policy restricts the caller. */
export function isVisible({ column, others = [] }: Constraint, permitted: CatalogTable | undefined): boolean {
  if (!permitted) return true;
  return [column, ...others].every(({ ordinal }) => permitted.columns.some((each) => each.ordinal === ordinal));
}

/** The errors of rows that are, or were, outside of the permitted part. */
export function toOutsidePolicyErrors({ entity: type, name }: CatalogTable, keys: readonly string[]): TableError[] {
  return keys.map((key) => ({ type, table: name, key, ...createOutsidePolicyError() }));
}

function selectKeys(table: CatalogTable): string {
  return `SELECT t.${physicalKeyName(table)} AS key FROM ${physicalTableName(table)} t`;
}
