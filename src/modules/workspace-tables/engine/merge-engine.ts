import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type CatalogTable, CatalogRepository, compareLockOrder } from '../catalog/catalog.repository.js';
import { type CatalogColumn, planColumns } from '../catalog/column-plan.js';
import { isReference } from '../catalog/column-types.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { PhysicalTablesRepository } from '../catalog/physical-tables.repository.js';
import { findReferenceTargets, getTargetEntity } from '../catalog/reference-targets.js';
import type { ArrayRowSource } from './array-row-source.js';
import { type BatchOrigin, BatchRecorder, type OpenBatch, type WrittenTable } from './batch-recorder.js';
import { createTable } from './create-table.js';
import { DryRun } from './dry-run.js';
import type { UnresolvedReferencesDto, UpsertReportDto } from './dto/upsert-report.dto.js';
import { MergeRepository, type WrittenRows } from './merge.repository.js';
import type { DeletionGuard } from './replacement.js';
import { Replacer } from './replacer.js';
import { createDuplicateKeyError, createHierarchyCycleError, createMissingInNewRowError } from './row-errors.js';
import type { RowSource } from './row-source.js';
import { RowSources } from './row-sources.js';
import { type RowStream, StagingRowSource } from './staging-row-source.js';
import {
  isCurrent,
  type LockedTable,
  requireValidColumns,
  requireValidRows,
  type TableInput,
  type TablePlan,
} from './table-plan.js';
import { ColumnsBusyError } from '../workspace-tables.errors.js';
import { type MergedTable, toUpsertReport } from './upsert-report.js';

/** How often a file is read if the columns of its table change each time before the lock is acquired. */
const ATTEMPTS = 3;

/** Unresolved references that are listed per table; the total counts all. */
const MAX_LISTED_REFERENCES = 20;

export interface MergeOptions {
  /** Store the valid rows even if others are invalid? */
  continueOnError?: boolean;
  /** Do everything and roll back? */
  dryRun?: boolean;
  /** Report a result per row? Only for rows in memory. */
  returnItems?: boolean;
  /** Recorded as a batch, which can be undone. Absent for single rows. */
  origin?: BatchOrigin;
  /** Unresolved references that the report lists per table; 20 by default. */
  maxUnresolved?: number;
  /** The error if a table does not exist. Without it, the table is created. Files require it. */
  toMissingTableError?: () => Error;
  /** Called after the rows were read and before the tables are locked. */
  beforeLock?: () => Promise<void>;
  /** Called when all tables are locked, before the rows are checked. @param tables in request order. */
  afterLock?: (tables: readonly CatalogTable[]) => Promise<void>;
  /** Part of the transaction, after everything is written; not called by a dry run. Must be idempotent: a retry repeats it. */
  completeWith?: (report: UpsertReportDto) => Promise<void>;
  /** Called when the errors of all rows are known, if there are any, before the transaction commits or rolls back. */
  recordErrors?: (sources: readonly RowSource[]) => Promise<void>;
  /** Called before the transaction commits or rolls back. */
  beforeEnd?: () => Promise<void>;
}

/** Rolls a transaction back whose file was read by columns that have changed since. */
class ColumnsChanged extends Error {}

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
    private readonly physical: PhysicalTablesRepository,
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
    const isInMemory = inputs.every(({ items }) => !('read' in items));
    let prepared = isInMemory ? await this.prepareAll(workspaceId, inputs, options) : undefined;
    const merge = async () => {
      try {
        const plans = prepared ?? (await this.prepareAll(workspaceId, inputs, options));
        // A repeated transaction plans again: the tables may have changed, and the checks change the sources.
        prepared = undefined;
        return await this.merge(workspaceId, plans, options);
      } finally {
        await options.beforeEnd?.();
      }
    };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await this.database.transaction(merge);
      } catch (error) {
        if (error instanceof DryRun) return error.report as UpsertReportDto;
        if (!(error instanceof ColumnsChanged)) throw error;
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
    await this.check({ plan, table, isNew: false });
    return plan.source as StagingRowSource;
  }

  private async merge(
    workspaceId: string,
    plans: readonly TablePlan[],
    options: MergeOptions,
  ): Promise<UpsertReportDto> {
    await options.beforeLock?.();
    const tables = await this.lockAll(workspaceId, plans, options);
    requireValidColumns(tables.map(({ plan }) => plan));
    const batch = options.origin && (await this.batches.begin(workspaceId, options.origin));
    const fromRevisions = tables.map(({ table }) => table.revision);
    await options.afterLock?.(tables.map(({ table }) => table));
    for (const table of tables) await this.check(table);
    if (!options.continueOnError) await this.requireValidRows(tables, options);
    const guards = new Map<LockedTable, DeletionGuard | undefined>();
    for (const table of tables) guards.set(table, await this.replacer.check(table, options.dryRun ?? false));
    const merged: MergedTable[] = [];
    const storing = this.batches.toStoring(batch);
    for (const table of tables) merged.push(await this.write(table, options, guards.get(table), storing));
    // Only now does every row exist that a reference of this request may name.
    for (const table of merged)
      table.unresolved = await this.findUnresolved(table.table, table.plan.source, options.maxUnresolved);
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
    for (const [number, input] of inputs.entries()) plans.push(await this.prepare(workspaceId, input, options, number));
    requireValidColumns(plans);
    return plans;
  }

  private async prepare(
    workspaceId: string,
    input: TableInput,
    { toMissingTableError }: MergeOptions,
    number: number,
  ): Promise<TablePlan> {
    const found = await this.catalog.findByIdOrName(workspaceId, input);
    if (!found && 'read' in input.items && input.columns) {
      const table = await createTable(this.catalog, this.physical, workspaceId, input, this.sources.limits.maxColumns);
      return { ...(await this.plan({ ...input, columns: undefined }, table.found, number)), created: table.created };
    }
    if (toMissingTableError && (!found || (input.id !== undefined && found.id !== input.id)))
      throw toMissingTableError();
    return this.plan(input, found, number);
  }

  /**
   * Reads one row of an existing table, as `execute` does.
   *
   * @returns undefined if it has an error.
   */
  readRow(table: CatalogTable, item: object): ArrayRowSource | undefined {
    const source = this.sources.read([item], table.columns);
    return source.errors.total === 0 ? source : undefined;
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
  ): Promise<LockedTable[]> {
    const getName = ({ found, input }: TablePlan) => found ?? input;
    const locked = new Map<TablePlan, LockedTable>();
    for (const plan of plans.toSorted((a, b) => compareLockOrder(getName(a), getName(b))))
      locked.set(plan, await this.lock(workspaceId, plan, options));
    return plans.map((plan) => locked.get(plan)!);
  }

  /** Plans again if the columns changed between plan and lock. */
  private async lock(
    workspaceId: string,
    plan: TablePlan,
    { toMissingTableError }: MergeOptions,
  ): Promise<LockedTable> {
    const { input, found } = plan;
    const { table, isNew } = toMissingTableError
      ? { table: await this.catalog.lockExisting(found!), isNew: false }
      : await this.lockOrCreate(workspaceId, plan);
    if (!table) throw toMissingTableError!();
    await this.physical.upgradeLayout(table);
    if (isCurrent(found, { table, isNew })) return { plan, table, isNew };
    // A file is not read again under the lock: that may take an hour.
    if ('read' in input.items) throw new ColumnsChanged();
    return { plan: await this.plan(input, isNew ? undefined : table), table, isNew };
  }

  private async lockOrCreate(workspaceId: string, { input, found }: TablePlan) {
    const { table, created } = await this.catalog.lockOrCreate(workspaceId, input, found);
    return { table, isNew: created };
  }

  /** Rejects the rows that only the stored rows show to be invalid. Nothing is written yet. */
  private async check({ plan: { source, columns }, table, isNew }: LockedTable): Promise<void> {
    const required = columns.columns.filter((column) => column.required && !column.primaryKey);
    for (const { column, found } of await source.findNewRowsWithout(required, isNew ? undefined : table))
      await source.reject(found, () => createMissingInNewRowError(column.key));

    const parents = source.columns.filter(({ type }) => type === 'hierarchyParent');
    const isStored = ({ key }: CatalogColumn) => table.columns.some((column) => column.key === key);
    // The stored parent of a rejected row remains and may close another cycle: repeat until no cycle is left.
    for (let before = -1; before < source.errors.total;) {
      before = source.errors.total;
      const cycles = [];
      for (const column of parents)
        cycles.push({ column, found: await source.findCyclicRows(column, isStored(column) ? table : undefined) });
      for (const { column, found } of cycles)
        await source.reject(found, ({ parent }) => createHierarchyCycleError(column.key, parent));
    }
  }

  /** Writes columns and rows; changed rows and the table receive the next revision. */
  private async write(
    { plan, table: locked, isNew }: LockedTable,
    options: MergeOptions,
    guard: DeletionGuard | undefined,
    batch: OpenBatch | undefined,
  ): Promise<MergedTable> {
    const { columns, added } = plan.columns;
    const table = { ...locked, columns };
    if (added.length > 0) {
      await this.catalog.addColumns(table, added);
      if (isNew) await this.physical.create(table, columns);
      else await this.physical.addColumns(table, added);
    }
    const revision = table.revision + 1;
    const written = await this.writeRows({ plan, table, isNew }, revision, options, batch);
    const deleted = guard ? await this.replacer.deleteMissing({ plan, table, isNew }, revision, batch) : 0;
    if (isNew || plan.created || added.length + written.created + written.updated + deleted > 0) {
      await this.catalog.setRevision(table, revision);
      table.revision = revision;
    }
    return { plan, table, isNew, written, guard, deleted, unresolved: { total: 0, first: [] } };
  }

  /** If only a part of the table is replaced, the rows must be in this part afterwards; those that are not are rejected. */
  private async writeRows(
    locked: LockedTable,
    revision: number,
    options: MergeOptions,
    batch: OpenBatch | undefined,
  ): Promise<WrittenRows> {
    const { plan, table, isNew } = locked;
    const { source, input } = plan;
    const write = () =>
      this.repository.merge(table, source.relations(table, isNew), revision, options.returnItems ?? false, batch);
    const scope = input.replacement?.selectScope?.(table);
    if (scope === undefined || !(source instanceof StagingRowSource)) return write();
    return source.writeInScope(scope, write, async () => {
      if (!options.continueOnError) await this.requireValidRows([locked], options);
    });
  }

  /** References of the rows without a target. @param limit of the list. */
  async findUnresolved(
    table: CatalogTable,
    source: RowSource,
    limit = MAX_LISTED_REFERENCES,
  ): Promise<UnresolvedReferencesDto> {
    const all: UnresolvedReferencesDto = { total: 0, first: [] };
    for (const column of source.columns.filter(({ type }) => isReference(type))) {
      const { total, first } = await source.findUnresolved(column, await this.findTargets(table, column), limit);
      all.total += total;
      all.first.push(...first);
    }
    return { total: all.total, first: all.first.sort((a, b) => a.index - b.index).slice(0, limit) };
  }

  /** The tables whose rows the column names. */
  async findTargets(table: CatalogTable, column: CatalogColumn): Promise<CatalogTable[]> {
    if (column.type === 'hierarchyParent') return [table];
    const candidates = await this.catalog.list(table.workspaceId, getTargetEntity(column.options));
    return findReferenceTargets(table, column, candidates);
  }
}

function toWrittenTable({ table, plan, isNew, written, deleted }: MergedTable, fromRevision: number): WrittenTable {
  const { created, updated } = written;
  const definition = isNew ? 'created' : plan.columns.added.length > 0 ? 'updated' : undefined;
  return { table, fromRevision, definition, counts: { created, updated, deleted } };
}
