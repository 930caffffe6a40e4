import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type CatalogTable, CatalogRepository, compareLockOrder } from '../catalog/catalog.repository.js';
import { planColumns } from '../catalog/column-plan.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { ArrayRowSource } from './array-row-source.js';
import { BatchRecorder } from './batch-recorder.js';
import type { OpenBatch } from './open-batch.js';
import { DryRun } from './dry-run.js';
import type { UpsertReportDto } from './dto/upsert-report.dto.js';
import { MergeRepository, type SmallMerge, type WrittenRows } from './merge.repository.js';
import { MergedColumns } from './merged-columns.js';
import type { MergeOptions } from './merge-options.js';
import type { DeletionGuard } from './replacement.js';
import { Replacer } from './replacer.js';
import { rejectByStoredRows } from './row-checks.js';
import { createDuplicateKeyError } from './row-errors.js';
import { RowSources } from './row-sources.js';
import { type RowStream, StagingRowSource } from './staging-row-source.js';
import {
  isCurrent,
  isInMemory,
  type LockedTable,
  requireValidColumns,
  requireValidRows,
  type TableInput,
  type TablePlan,
} from './table-plan.js';
import { ColumnsBusyError } from '../workspace-tables.errors.js';
import { type MergedTable, toUpsertReport, toWrittenTable } from './upsert-report.js';

/** How often a file is read if the columns of its table change each time before the lock is acquired. */
const ATTEMPTS = 3;

/** Rolls a transaction back whose tables have changed since they were read for it. */
class TablesChanged extends Error {}

/**
 * Bulk requests, imports and single rows are written through this class: it upserts rows by primary key into one or several
 * tables, in one transaction (specification, section 4.4). All or nothing, unless `continueOnError`. Sending the same rows
 * twice changes nothing the second time.
 */
@Injectable()
export class MergeEngine {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly columns: MergedColumns,
    private readonly repository: MergeRepository,
    private readonly sources: RowSources,
    private readonly replacer: Replacer,
    private readonly batches: BatchRecorder,
  ) {}

  /** @throws {InvalidTablesError | ColumnConflictError | UnavailableError} and nothing is stored. */
  async execute(
    workspaceId: string,
    inputs: readonly TableInput[],
    options: MergeOptions = {},
  ): Promise<UpsertReportDto> {
    // Rows in memory are read before the transaction, which makes it shorter; a file is staged within it.
    let prepared = isInMemory(inputs) ? await this.prepareAll(workspaceId, inputs, options) : undefined;
    const merge = async () => {
      try {
        const first = prepared;
        // A repeated transaction plans again: the tables may have changed, and the checks change the sources.
        prepared = undefined;
        const plans = first ?? (await this.prepareAll(workspaceId, inputs, options));
        return await this.merge(workspaceId, plans, options, first !== undefined);
      } finally {
        await options.beforeEnd?.();
      }
    };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.database.transaction(merge);
      } catch (error) {
        if (error instanceof DryRun) return error.report as UpsertReportDto;
        if (!(error instanceof TablesChanged)) throw error;
      }
    }
    throw new ColumnsBusyError();
  }

  /**
   * Reads and checks the rows of a file as `execute` does, in the open transaction, and merges nothing. Locks nothing: the
   * transaction needs a snapshot.
   */
  async inspect(table: CatalogTable, stream: RowStream): Promise<StagingRowSource> {
    const { entity, name, id } = table;
    const plan = await this.plan({ entity, name, id, items: stream }, table);
    await rejectByStoredRows({ plan, table, isNew: false });
    return plan.source as StagingRowSource;
  }

  /** @param isFirst is this the first attempt? */
  private async merge(
    workspaceId: string,
    plans: readonly TablePlan[],
    options: MergeOptions,
    isFirst: boolean,
  ): Promise<UpsertReportDto> {
    await options.beforeLock?.();
    const tables = await this.lockAll(workspaceId, plans, options, isFirst);
    requireValidColumns(tables.map(({ plan }) => plan));
    const batch = options.origin && (await this.batches.begin(workspaceId, options.origin));
    const fromRevisions = tables.map(({ table }) => table.revision);
    await options.afterLock?.(tables.map(({ table }) => table));
    for (const table of tables) await rejectByStoredRows(table);
    if (!options.continueOnError) await this.requireValidRows(tables, options);
    const guards = new Map<LockedTable, DeletionGuard | undefined>();
    for (const table of tables) guards.set(table, await this.replacer.check(table, options.dryRun ?? false));
    const merged: MergedTable[] = [];
    const storing = this.batches.toStoring(batch);
    const small = await this.writeSmall(tables, options, storing);
    for (const table of tables) {
      const write = async (locked: LockedTable) => small.get(table) ?? this.writeRows(locked, options, storing);
      merged.push(await this.write(table, write, guards.get(table), storing));
    }
    const changed = merged.filter(({ table }, at) => table.revision > fromRevisions[at]!);
    await this.catalog.setRevisions(changed.map(({ table }) => table));
    // Only now does every row exist that a reference of this request may name.
    for (const table of merged)
      table.unresolved = await this.sources.findUnresolved(table.table, table.plan.source, options.maxUnresolved);
    await this.recordErrors(tables, options);
    const report = toUpsertReport(merged, options.returnItems ?? false);
    if (options.dryRun) throw new DryRun(report);
    const written = merged.map((table, at) => toWrittenTable(table, fromRevisions[at]!));
    if (batch) {
      await this.batches.end(batch, written);
      report.batchId = batch.id;
    } else {
      await this.batches.recordEvents(workspaceId, written);
    }
    await options.completeWith?.(report);
    return report;
  }

  /** @throws {InvalidTablesError} */
  private async requireValidRows(tables: readonly LockedTable[], options: MergeOptions): Promise<void> {
    try {
      requireValidRows(tables.map(({ plan }) => plan));
    } catch (error) {
      await this.recordErrors(tables, options);
      throw error;
    }
  }

  private async recordErrors(tables: readonly LockedTable[], { recordErrors }: MergeOptions): Promise<void> {
    const sources = tables.map(({ plan }) => plan.source);
    if (sources.some(({ errors }) => errors.total > 0)) await recordErrors?.(sources);
  }

  /** Everything that does not need the locks. @throws {InvalidTablesError | ColumnConflictError} */
  private async prepareAll(
    workspaceId: string,
    inputs: readonly TableInput[],
    options: MergeOptions,
  ): Promise<TablePlan[]> {
    const plans: TablePlan[] = [];
    // A file may take long: its table is read right before it.
    const found = isInMemory(inputs) ? await this.catalog.findAll(workspaceId, inputs) : undefined;
    for (const [number, input] of inputs.entries()) {
      const table = found ? found[number] : await this.catalog.findByIdOrName(workspaceId, input);
      plans.push(await this.prepare(workspaceId, input, table, options, number));
    }
    requireValidColumns(plans);
    return plans;
  }

  private async prepare(
    workspaceId: string,
    input: TableInput,
    found: CatalogTable | undefined,
    { toMissingTableError }: MergeOptions,
    number: number,
  ): Promise<TablePlan> {
    if (!found && 'read' in input.items && input.columns) {
      const table = await this.columns.createTable(workspaceId, input, this.sources.limits.maxColumns);
      return { ...(await this.plan({ ...input, columns: undefined }, table.found, number)), created: table.created };
    }
    if (toMissingTableError && (!found || (input.id !== undefined && found.id !== input.id)))
      throw toMissingTableError();
    return this.plan(input, found, number);
  }

  /** Plans the columns, and reads the rows unless the columns have errors. */
  private async plan(input: TableInput, found: CatalogTable | undefined, number = 0): Promise<TablePlan> {
    const { items } = input;
    const { columns: existing = [], droppedOrdinal = 0 } = found ?? {};
    const columns = planColumns(existing, input.columns ?? [], this.sources.limits.maxColumns, droppedOrdinal);
    if (columns.errors.length > 0 && !('read' in items))
      return { input, found, columns, source: this.sources.unread(items) };
    const source =
      'read' in items ? await this.sources.stage(number, found!, items) : this.sources.read(items, columns.columns);
    const { key } = getPrimaryKey(columns.columns);
    await source.reject(await source.findDuplicateKeys(), ({ others }) => createDuplicateKeyError(key, others));
    return { input, found, columns, source };
  }

  /** Every request locks in the same order, so that no two wait for each other. @returns the tables in request order. */
  private async lockAll(
    workspaceId: string,
    plans: readonly TablePlan[],
    options: MergeOptions,
    isFirst: boolean,
  ): Promise<LockedTable[]> {
    const getName = ({ found, input }: TablePlan) => found ?? input;
    const locked = new Map<TablePlan, LockedTable>();
    const ordered = plans.toSorted((a, b) => compareLockOrder(getName(a), getName(b)));
    const known = isFirst && !options.toMissingTableError ? await this.lockKnown(workspaceId, ordered) : [];
    for (const [position, plan] of ordered.entries())
      locked.set(plan, await this.lock(workspaceId, plan, options, known[position]));
    return plans.map((plan) => locked.get(plan)!);
  }

  /** Locks several tables by one statement. @returns an empty list if one does not exist: it must be created in order. */
  private async lockKnown(workspaceId: string, plans: readonly TablePlan[]): Promise<readonly CatalogTable[]> {
    const known = plans.flatMap(({ input: identity, found: table }) => (table ? [{ identity, table }] : []));
    if (plans.length === 1 || known.length < plans.length) return [];
    const tables = await this.catalog.lockKnown(workspaceId, known);
    if (!tables) throw new TablesChanged();
    return tables;
  }

  /** Plans again if the columns changed between plan and lock. @param known the table, if it is locked. */
  private async lock(
    workspaceId: string,
    plan: TablePlan,
    { toMissingTableError }: MergeOptions,
    known: CatalogTable | undefined,
  ): Promise<LockedTable> {
    const { input, found } = plan;
    const lockExisting = async () => ({ table: known ?? (await this.catalog.lockExisting(found!)), isNew: false });
    const { table, isNew } = await (known || toMissingTableError
      ? lockExisting()
      : this.lockOrCreate(workspaceId, plan));
    if (!table) throw toMissingTableError!();
    if (isCurrent(found, { table, isNew })) return { plan, table, isNew };
    // A file is not read again under the lock: that may take an hour.
    if ('read' in input.items) throw new TablesChanged();
    return { plan: await this.plan(input, isNew ? undefined : table), table, isNew };
  }

  private async lockOrCreate(workspaceId: string, { input, found }: TablePlan) {
    const { table, created } = await this.catalog.lockOrCreate(workspaceId, input, found);
    return { table, isNew: created };
  }

  /** Writes the rows of all tables that get few and whose columns exist, by one statement. */
  private async writeSmall(
    tables: readonly LockedTable[],
    { returnItems }: MergeOptions,
    batch: OpenBatch | undefined,
  ): Promise<Map<LockedTable, WrittenRows>> {
    const merges = new Map<LockedTable, SmallMerge>();
    const ids = new Set<string>();
    for (const locked of returnItems ? [] : tables) {
      const { plan, table, isNew } = locked;
      if (isNew || plan.columns.added.length > 0 || !(plan.source instanceof ArrayRowSource)) continue;
      const relation = plan.source.toSmallRelation(table);
      // A request may name a table twice, by ID and by name.
      if (!relation || ids.has(table.id)) continue;
      ids.add(table.id);
      merges.set(locked, { table, relation, revision: table.revision + 1 });
    }
    const written = await this.repository.mergeSmall([...merges.values()], batch);
    return new Map([...merges.keys()].map((table, position) => [table, written[position]!]));
  }

  /** Writes columns and rows; changed rows receive the next revision, and the table must. */
  private async write(
    { plan, table: locked, isNew }: LockedTable,
    writeRows: (locked: LockedTable) => Promise<WrittenRows>,
    guard: DeletionGuard | undefined,
    batch: OpenBatch | undefined,
  ): Promise<MergedTable> {
    const { columns, added } = plan.columns;
    const table = { ...locked, columns };
    await this.columns.add({ plan, table, isNew });
    const revision = table.revision + 1;
    const written = await writeRows({ plan, table, isNew });
    const deleted = guard ? await this.replacer.deleteMissing({ plan, table, isNew }, revision, batch) : 0;
    if (!isNew) await this.columns.requireValues(table, plan);
    const isChanged = isNew || plan.created || added.length + written.created + written.updated + deleted > 0;
    if (isChanged) table.revision = revision;
    return { plan, table, isNew, written, guard, deleted, unresolved: { total: 0, first: [] } };
  }

  /** If only a part of the table is replaced, the rows must be in this part afterwards; those that are not are rejected. */
  private async writeRows(
    locked: LockedTable,
    options: MergeOptions,
    batch: OpenBatch | undefined,
  ): Promise<WrittenRows> {
    const { plan, table, isNew } = locked;
    const { source, input } = plan;
    // It may run twice, each time with the relations of the rows that are not rejected.
    const write = () =>
      this.repository.merge(table, source.relations(table, isNew), options.returnItems ?? false, batch);
    const scope = input.replacement?.selectScope?.(table);
    if (scope === undefined || !(source instanceof StagingRowSource)) return write();
    return source.writeInScope(scope, write, async () => {
      if (!options.continueOnError) await this.requireValidRows([locked], options);
    });
  }
}
