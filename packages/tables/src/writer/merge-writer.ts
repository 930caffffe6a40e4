import type { CatalogTable } from '../catalog/catalog-table.js';
import { withPermittedRows } from '../catalog/physical-table.js';
import type { ComparedRows } from '../catalog/relation.js';
import type { RowChange } from '../history/batch-records.repository.js';
import { RowWriter } from './row-writer.repository.js';
import type { SelectScope } from '../sources/staging-sql.js';
import { RowErrors } from '../sources/row-errors.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import { ConstraintChecks } from './constraint-checks.js';
import { type LockedTable, type MergeOptions, requireValidRows } from './table-plan.js';
import { MergedColumns } from './merged-columns.js';
import { PolicyChecks } from './policy-checks.js';
import { rejectCycles, rejectMissingValues } from './row-checks.js';
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
    await this.policies.rejectMergedUnpermitted(locked, source);
    if (selectScope) await source.rejectOutside(readable, selectScope);
    await this.constraints.rejectMergedViolations({ ...locked, table: readable }, source, () =>
      source.createMerged(readable, selectScope?.(readable)),
    );
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
      const written = await this.writeRows(current, options, change);
      const deleted = keys ? await this.rows.delete(table, keys, { revision: table.revision + 1, change }) : 0;
      if (!isNew) await this.columns.requireValues(table, plan);
      const isChanged = isNew || added.length + written.created + written.updated + deleted > 0;
      if (isChanged) table.revision++;
      const fromRevision = locked.table.revision;
      const unresolved = { total: 0, first: [] };
      merged.push({ ...current, fromRevision, written, guard, deleted, unresolved, warnings: new RowErrors() });
    }
    return merged;
  }

  /** Writes rows. If only a part of the table is replaced, rows that are not in this part afterwards are rejected. */
  private async writeRows(
    locked: LockedTable,
    { continueOnError }: MergeOptions,
    change: RowChange,
  ): Promise<MergedRows> {
    const { plan, table, isNew } = locked;
    const { source, input } = plan;
    // `write` may run several times, each time with the rows that are not rejected.
    const write = () => this.merge(table, source.compare(table, isNew), change);
    const scope = input.replacement?.selectScope?.(table);
    if (scope === undefined || !(source instanceof StagingRowSource)) return write();
    return source.writeInScope(scope, write, () => {
      if (!continueOnError) requireValidRows([plan]);
    });
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
