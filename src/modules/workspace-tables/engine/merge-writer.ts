import { Injectable } from '@nestjs/common';
import { withPermittedRows } from '../catalog/physical-table.js';
import type { RowChange } from '../history/batch-records.repository.js';
import { ArrayRowSource } from '../sources/array-row-source.js';
import type { SelectScope } from '../sources/replacement.js';
import { RowErrors } from '../sources/row-errors.js';
import { StagingRowSource } from '../sources/staging-row-source.js';
import { ConstraintChecks } from './constraint-checks.js';
import type { MergeOptions } from './merge-options.js';
import { type MergedRows, MergeRepository } from './merge.repository.js';
import { MergedColumns } from './merged-columns.js';
import { PolicyChecks } from './policy-checks.js';
import { type DeletionGuard, Replacer } from './replacer.js';
import { rejectCycles, rejectMissingValues } from './row-checks.js';
import { type LockedTable, requireValidRows } from './table-plan.js';
import type { MergedTable } from './upsert-report.js';

/** Checks the rows of a merge against the stored rows, and writes its columns and rows. The tables are locked. */
@Injectable()
export class MergeWriter {
  constructor(
    private readonly columns: MergedColumns,
    private readonly repository: MergeRepository,
    private readonly replacer: Replacer,
    private readonly constraints: ConstraintChecks,
    private readonly policies: PolicyChecks,
  ) {}

  /** Rejects the rows that only the stored rows show to be invalid, or not permitted. Nothing is written yet. */
  async rejectByStoredRows(table: LockedTable): Promise<void> {
    await this.policies.rejectStoredOutside(table);
    await rejectMissingValues(table);
    await rejectCycles(table);
  }

  /** @throws {InvalidTablesError} if rows are invalid, unless `continueOnError`. */
  write(tables: readonly LockedTable[], options: MergeOptions, change: RowChange): Promise<MergedTable[]> {
    return this.constraints.writeValidRows(tables, options.continueOnError ?? false, () =>
      this.writeTables(tables, options, change),
    );
  }

  /** Rejects the rows of a file that a merge would reject after it has written them. Nothing is written. */
  async rejectByMergedRows(
    locked: LockedTable,
    source: StagingRowSource,
    selectScope: SelectScope | undefined,
  ): Promise<void> {
    const readable = withPermittedRows(locked.table, locked.plan.permitted);
    await this.policies.rejectMergedOutside(locked, source);
    if (selectScope) await source.rejectOutside(readable, selectScope);
    await this.constraints.rejectMergedViolations({ ...locked, table: readable }, source, () =>
      source.createMerged(readable, selectScope?.(readable)),
    );
  }

  /** Writes columns and rows, and deletes the rows that files lack. Changed tables get the next revision. */
  private async writeTables(
    tables: readonly LockedTable[],
    options: MergeOptions,
    change: RowChange,
  ): Promise<MergedTable[]> {
    const guards = new Map<LockedTable, DeletionGuard | undefined>();
    for (const table of tables) guards.set(table, await this.replacer.checkDeletions(table, options.dryRun ?? false));
    const small = await this.writeSmall(tables, options, change);
    const merged: MergedTable[] = [];
    for (const locked of tables) {
      const { plan, isNew } = locked;
      const { columns, added } = plan.columns;
      const table = { ...locked.table, columns };
      const guard = guards.get(locked);
      const current = { plan, table, isNew };
      await this.columns.add(current);
      const written = small.get(locked) ?? (await this.writeRows(current, options, change));
      const deleted = await this.replacer.deleteRows(current, guard, change);
      if (!isNew) await this.columns.requireValues(table, plan);
      const isChanged = isNew || plan.created || added.length + written.created + written.updated + deleted > 0;
      if (isChanged) table.revision++;
      const fromRevision = locked.table.revision;
      const unresolved = { total: 0, first: [] };
      merged.push({ ...current, fromRevision, written, guard, deleted, unresolved, warnings: new RowErrors() });
    }
    return merged;
  }

  /**
   * Writes the tables with few rows (`ArrayRowSource.isSmall`) together, unless they have new columns or tombstones.
   *
   * @returns what was written, per table. The caller writes the other tables.
   */
  private async writeSmall(
    tables: readonly LockedTable[],
    { returnItems = false }: MergeOptions,
    change: RowChange,
  ): Promise<Map<LockedTable, MergedRows>> {
    const small = tables.flatMap((locked) => {
      const { plan, table, isNew } = locked;
      const { source } = plan;
      if (isNew || plan.columns.added.length > 0 || table.hasTombstones) return [];
      // The rows of a table that the request names twice, by ID and by name, are written in the order of the request.
      if (tables.filter((other) => other.table.id === table.id).length > 1) return [];
      if (!(source instanceof ArrayRowSource) || !source.isSmall) return [];
      return { locked, merge: { table, toRelation: (first: number) => source.toRelation(table, first) } };
    });
    const merges = small.map(({ merge }) => merge);
    const written = await this.repository.mergeSmall(merges, { change, withStatuses: returnItems });
    return new Map(small.map(({ locked }, position) => [locked, written[position]!]));
  }

  /** Writes rows. If only a part of the table is replaced, rows that are not in this part afterwards are rejected. */
  private async writeRows(
    locked: LockedTable,
    { returnItems = false, continueOnError }: MergeOptions,
    change: RowChange,
  ): Promise<MergedRows> {
    const { plan, table, isNew } = locked;
    const { source, input } = plan;
    // `write` may run several times, each time with the relations of the rows that are not rejected.
    const write = () =>
      this.repository.merge(table, source.relations(table, isNew), { change, withStatuses: returnItems });
    const scope = input.replacement?.selectScope?.(table);
    if (scope === undefined || !(source instanceof StagingRowSource)) return write();
    return source.writeInScope(scope, write, () => {
      if (!continueOnError) requireValidRows([plan]);
    });
  }
}
