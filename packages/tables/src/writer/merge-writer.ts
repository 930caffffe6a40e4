import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { withPermittedRows } from '../catalog/physical-table.js';
import type { ComparedRows } from '../catalog/relation.js';
import type { RowChange } from '../history/batch-records.repository.js';
import { RowWriter } from './row-writer.repository.js';
import type { SelectScope } from '../sources/staging-sql.js';
import { createMissingInNewRowError, createOutsidePolicyError, RowErrors } from '../sources/row-errors.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import { ConstraintChecks, MAX_VIOLATIONS } from './constraint-checks.js';
import type { LockedTable, MergeOptions } from './table-plan.js';
import { MergedColumns } from './merged-columns.js';
import { rejectCycles } from './parent-cycles.js';
import { PolicyChecks } from './policy-checks.js';
import { type FoundDeletions, RowDeletions } from './row-deletions.js';
import type { MergedRows, MergedTable } from './upsert-report.js';

/** Checks the rows of a merge against the stored rows, and writes its columns and rows. The tables are locked. */
export class MergeWriter {
  constructor(
    private readonly columns: MergedColumns,
    private readonly rows: RowWriter,
    private readonly deletions: RowDeletions,
    private readonly constraints: ConstraintChecks,
    private readonly policies: PolicyChecks,
  ) {}

  /** Rejects the rows that only the stored rows show to be invalid, or not permitted. Nothing is written yet. */
  async rejectByStoredRows(table: LockedTable): Promise<void> {
    await this.policies.rejectStoredUnpermitted(table);
    await rejectMissingValues(table);
    await rejectCycles(table);
  }

  /** @throws {InvalidTablesError} if rows are invalid, unless `continueOnError`. */
  write(tables: readonly LockedTable[], options: MergeOptions, change: RowChange): Promise<MergedTable[]> {
    return this.constraints.writeValidRows(tables, options, () => this.writeTables(tables, options, change));
  }

  /** Rejects the rows of a file that a merge would reject after it has written them. Nothing is written. */
  async rejectByMergedRows(
    locked: LockedTable,
    source: StagingRowSource,
    selectScope: SelectScope | undefined,
  ): Promise<void> {
    const readable = withPermittedRows(locked.table, locked.plan.permitted);
    for (let before = -1; before < source.errors.total;) {
      // The first time, cycles were rejected before.
      if (before >= 0) await rejectCycles(locked);
      before = source.errors.total;
      await this.policies.rejectMergedUnpermitted(locked, source);
      if (selectScope) await source.rejectOutside(readable, selectScope);
      await this.constraints.rejectMergedViolations({ ...locked, table: readable }, source, () =>
        source.createMerged(readable, selectScope?.(readable)),
      );
    }
  }

  /** Writes columns and rows, and deletes rows. Changed tables get the next revision. */
  private async writeTables(
    tables: readonly LockedTable[],
    options: MergeOptions,
    change: RowChange,
  ): Promise<MergedTable[]> {
    const deletions = new Map<LockedTable, FoundDeletions | undefined>();
    for (const table of tables) deletions.set(table, await this.deletions.select(table, options.dryRun ?? false));
    const merged: MergedTable[] = [];
    for (const locked of tables) {
      const { plan, isNew } = locked;
      const { columns, added } = plan.columns;
      const table = { ...locked.table, columns };
      const { keys, guard } = deletions.get(locked) ?? {};
      const current = { plan, table, isNew };
      await this.columns.add(current);
      const written = await this.merge(table, plan.source.compare(table, isNew), change);
      const outsideScope = await listOutsideScope(current);
      const deleted = keys ? await this.rows.delete(table, keys, { revision: table.revision + 1, change }) : 0;
      if (!isNew) await this.columns.requireValues(table, plan);
      const isChanged = isNew || added.length + written.created + written.updated + deleted > 0;
      if (isChanged) table.revision++;
      const fromRevision = locked.table.revision;
      const unresolved = { total: 0, first: [] };
      const warnings = new RowErrors();
      merged.push({ ...current, fromRevision, written, outsideScope, guard, deleted, unresolved, warnings });
    }
    return merged;
  }

  /** Inserts the missing rows, and updates the different ones. */
  private async merge(
    table: CatalogTable,
    compared: AsyncIterable<ComparedRows>,
    change: RowChange,
  ): Promise<MergedRows> {
    const merged: MergedRows = { created: 0, updated: 0, statuses: new Map() };
    const write = { revision: table.revision + 1, change };
    for await (const { missing, different } of compared) {
      merged.created += await this.rows.insert(table, missing, write);
      for (const key of missing.keysInMemory ?? []) merged.statuses.set(key, 'created');
      if (!different) continue;
      merged.updated += await this.rows.update(table, different, write);
      for (const key of different.keysInMemory ?? []) merged.statuses.set(key, 'updated');
    }
    return merged;
  }
}

/** Rejects the rows that would create a row without the value of a required column. */
async function rejectMissingValues({ plan: { source, columns, permitted }, table, isNew }: LockedTable): Promise<void> {
  const required = columns.columns.filter((column) => column.required && !column.primaryKey);
  const missing = await source.findNewRowsWithout(required, isNew ? undefined : table);
  const isHidden = ({ ordinal }: CatalogColumn) =>
    permitted !== undefined && !permitted.columns.some((column) => column.ordinal === ordinal);
  await source.rejectAll(
    missing.map(({ column, found }) => {
      return {
        found,
        toError: () => (isHidden(column) ? createOutsidePolicyError() : createMissingInNewRowError(column.key)),
      };
    }),
  );
}

/** If only a part of the table is replaced: the keys of written rows that are not in this part. */
async function listOutsideScope({ plan: { source, input }, table }: LockedTable): Promise<string[]> {
  const scope = input.replacement?.selectScope?.(table);
  if (scope === undefined || !(source instanceof StagingRowSource)) return [];
  return source.listOutside(scope, MAX_VIOLATIONS);
}
