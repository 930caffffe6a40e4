import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type CatalogTable, CatalogRepository, compareLockOrder } from '../catalog/catalog.repository.js';
import { planColumns } from '../catalog/column-plan.js';
import { getPrimaryKey } from '../catalog/physical-table.js';
import { BatchRecorder } from '../history/batch-recorder.js';
import type { OpenBatch } from '../history/open-batch.js';
import { ArrayRowSource } from '../sources/array-row-source.js';
import { createDuplicateKeyError } from '../sources/row-errors.js';
import { RowSources } from '../sources/row-sources.js';
import { type RowStream, StagingRowSource } from '../sources/staging-row-source.js';
import { ColumnsBusyError } from '../workspace-tables.errors.js';
import { catchDryRun, DryRun } from './dry-run.js';
import type { UpsertReportDto } from './dto/upsert-report.dto.js';
import type { MergeOptions } from './merge-options.js';
import { type MergedRows, MergeRepository } from './merge.repository.js';
import { MergedColumns } from './merged-columns.js';
import { type DeletionGuard, Replacer } from './replacer.js';
import { rejectByStoredRows } from './row-checks.js';
import {
  isCurrent,
  type LockedTable,
  requireValidColumns,
  requireValidRows,
  type TableBatch,
  type TableInput,
  type TablePlan,
} from './table-plan.js';
import { type MergedTable, toUpsertReport, toWrittenTable } from './upsert-report.js';

/** How often a merge is prepared if its tables change each time before they are locked. */
const MAX_ATTEMPTS = 3;

/** Rolls a transaction back whose tables have changed since they were read for it. */
class TablesChanged extends Error {}

/** The rows of a request, read for the tables as they are. */
export interface PreparedMerge {
  workspaceId: string;
  plans: readonly TablePlan[];
  options: MergeOptions;
  /** Lock the tables one by one, because they have changed before they were locked together? */
  locksSeparately?: boolean;
}

/** A merge whose transaction has the locks of its tables. */
export interface LockedMerge extends Pick<PreparedMerge, 'workspaceId' | 'options'> {
  /** In the order of the request. */
  tables: readonly LockedTable[];
}

/**
 * Writes the rows of bulk requests, imports and single rows: upserts them by primary key into one or several tables, in
 * one transaction (specification, section 4.4). All or nothing, unless `continueOnError`. Sending the same rows twice
 * changes nothing the second time.
 *
 * The steps of a merge are `prepare`, `lock` and `write`. `run` calls them in a transaction. `execute` takes all steps
 * for rows in memory.
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

  /**
   * Merges rows in memory.
   *
   * @param complete a part of the transaction after everything is written; not called in a dry run. A repeated
   *   transaction calls `complete` again.
   * @throws {InvalidTablesError | ColumnConflictError | UnavailableError} and nothing is stored.
   */
  async execute(
    workspaceId: string,
    inputs: readonly TableBatch[],
    options: MergeOptions = {},
    complete?: (report: UpsertReportDto) => Promise<void>,
  ): Promise<UpsertReportDto> {
    // The rows are read before the transaction, which makes it shorter, and again if the transaction is repeated.
    let first: PreparedMerge | undefined = await this.prepare(workspaceId, inputs, options);
    return this.run(options, async () => {
      const prepared = first ?? { ...(await this.prepare(workspaceId, inputs, options)), locksSeparately: true };
      first = undefined;
      const report = await this.write(await this.lock(prepared));
      if (!options.dryRun) await complete?.(report);
      return report;
    });
  }

  /**
   * Runs the steps of a merge in one transaction, and repeats them if the tables change before they are locked. A dry
   * run is rolled back.
   *
   * @throws {ColumnsBusyError} if the tables change each time.
   */
  async run<T>({ dryRun }: Pick<MergeOptions, 'dryRun'>, steps: () => Promise<T>): Promise<T> {
    const runSteps = async () => {
      const result = await steps();
      if (dryRun) throw new DryRun(result);
      return result;
    };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await catchDryRun(() => this.database.transaction(runSteps));
      } catch (error) {
        if (!(error instanceof TablesChanged)) throw error;
      }
    }
    throw new ColumnsBusyError();
  }

  /**
   * Finds the tables, plans their columns and reads the rows, without locks. Files are read into the open transaction;
   * the missing table of a file is created, and thereby locked, before the file is read.
   *
   * @throws {InvalidTablesError | ColumnConflictError}
   */
  async prepare(
    workspaceId: string,
    inputs: readonly TableInput[],
    options: MergeOptions = {},
  ): Promise<PreparedMerge> {
    const plans: TablePlan[] = [];
    // Reading a file may take long: the table of each file is read right before the file.
    const hasFiles = inputs.some(({ items }) => 'open' in items);
    const found = hasFiles ? undefined : await this.catalog.findAll(workspaceId, inputs);
    for (const [number, input] of inputs.entries()) {
      const table = found ? found[number] : await this.catalog.findByIdOrName(workspaceId, input);
      plans.push(await this.prepareTable(workspaceId, input, table, options, number));
    }
    requireValidColumns(plans);
    return { workspaceId, plans, options };
  }

  /** Locks the tables. Every request does so in the same order, so that no two wait for each other. */
  async lock({ workspaceId, plans, options, locksSeparately }: PreparedMerge): Promise<LockedMerge> {
    const getName = ({ found, input }: TablePlan) => found ?? input;
    const locked = new Map<TablePlan, LockedTable>();
    const ordered = plans.toSorted((a, b) => compareLockOrder(getName(a), getName(b)));
    const isTogether = !locksSeparately && !options.toMissingTableError;
    const known = isTogether ? await this.lockKnown(workspaceId, ordered) : [];
    for (const [position, plan] of ordered.entries())
      locked.set(plan, await this.lockTable(workspaceId, plan, options, known[position]));
    return { workspaceId, options, tables: plans.map((plan) => locked.get(plan)!) };
  }

  /** Checks the rows against the stored ones, and writes them. @throws {InvalidTablesError} */
  async write({ workspaceId, tables, options }: LockedMerge): Promise<UpsertReportDto> {
    requireValidColumns(tables.map(({ plan }) => plan));
    const batch = options.origin && (await this.batches.begin(workspaceId, options.origin));
    for (const table of tables) await rejectByStoredRows(table);
    if (!options.continueOnError) requireValidRows(tables.map(({ plan }) => plan));
    const merged = await this.writeTables(tables, options, batch);
    await this.catalog.setRevisions(merged.filter(hasChanged).map(({ table }) => table));
    // Only now does every row exist that a reference of this request may name.
    for (const table of merged)
      table.unresolved = await this.sources.findUnresolved(table.table, table.plan.source, options.maxUnresolved);
    const report = toUpsertReport(merged, options.returnItems ?? false);
    if (options.dryRun) return report;
    const written = merged.map(toWrittenTable);
    if (!batch) {
      await this.batches.recordEvents(workspaceId, written);
      return report;
    }
    await this.batches.end(batch, written);
    return { ...report, batchId: batch.id };
  }

  /**
   * Reads and checks the rows of a file as a merge does, in the open transaction, and merges nothing. Locks nothing:
   * the transaction needs a snapshot.
   */
  async inspect(table: CatalogTable, stream: RowStream): Promise<StagingRowSource> {
    const { entity, name, id } = table;
    const plan = await this.plan({ entity, name, id, items: stream }, table);
    await rejectByStoredRows({ plan, table, isNew: false });
    return plan.source as StagingRowSource;
  }

  private async prepareTable(
    workspaceId: string,
    input: TableInput,
    found: CatalogTable | undefined,
    { toMissingTableError }: MergeOptions,
    number: number,
  ): Promise<TablePlan> {
    if (!found && 'open' in input.items && input.columns) {
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
    if (columns.errors.length > 0 && !('open' in items))
      return { input, found, columns, source: this.sources.unread(items) };
    const source =
      'open' in items ? await this.sources.stage(number, found!, items) : this.sources.read(items, columns.columns);
    const { key } = getPrimaryKey(columns.columns);
    await source.reject(await source.findDuplicateKeys(), ({ others }) => createDuplicateKeyError(key, others));
    return { input, found, columns, source };
  }

  /**
   * Locks several tables by one statement.
   *
   * @returns an empty list if a table does not exist: the tables are then locked or created one by one, in order.
   */
  private async lockKnown(workspaceId: string, plans: readonly TablePlan[]): Promise<readonly CatalogTable[]> {
    const known = plans.flatMap(({ input: identity, found: table }) => (table ? [{ identity, table }] : []));
    if (plans.length === 1 || known.length < plans.length) return [];
    const tables = await this.catalog.lockKnown(workspaceId, known);
    if (!tables) throw new TablesChanged();
    return tables;
  }

  /** Locks a table, and plans again if its columns have changed since. @param known the table, if already locked. */
  private async lockTable(
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
    if ('open' in input.items) throw new TablesChanged();
    return { plan: await this.plan(input, isNew ? undefined : table), table, isNew };
  }

  private async lockOrCreate(workspaceId: string, { input, found }: TablePlan) {
    const { table, created } = await this.catalog.lockOrCreate(workspaceId, input, found);
    return { table, isNew: created };
  }

  /** Writes columns and rows, and deletes the rows that files lack. Changed tables get the next revision. */
  private async writeTables(
    tables: readonly LockedTable[],
    options: MergeOptions,
    batch: OpenBatch | undefined,
  ): Promise<MergedTable[]> {
    const guards = new Map<LockedTable, DeletionGuard | undefined>();
    for (const table of tables) guards.set(table, await this.replacer.check(table, options.dryRun ?? false));
    const small = await this.writeSmall(tables, options, batch);
    const merged: MergedTable[] = [];
    for (const locked of tables) {
      const { plan, isNew } = locked;
      const { columns, added } = plan.columns;
      const table = { ...locked.table, columns };
      const guard = guards.get(locked);
      const current = { plan, table, isNew };
      await this.columns.add(current);
      const written = small.get(locked) ?? (await this.writeRows(current, options, batch));
      const deleted = guard ? await this.replacer.deleteMissing(current, table.revision + 1, batch) : 0;
      if (!isNew) await this.columns.requireValues(table, plan);
      const isChanged = isNew || plan.created || added.length + written.created + written.updated + deleted > 0;
      if (isChanged) table.revision++;
      const fromRevision = locked.table.revision;
      merged.push({ ...current, fromRevision, written, guard, deleted, unresolved: { total: 0, first: [] } });
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
    batch: OpenBatch | undefined,
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
    const written = await this.repository.mergeSmall(merges, { batch, withStatuses: returnItems });
    return new Map(small.map(({ locked }, position) => [locked, written[position]!]));
  }

  /** Writes rows. If only a part of the table is replaced, rows that are not in this part afterwards are rejected. */
  private async writeRows(
    locked: LockedTable,
    { returnItems = false, continueOnError }: MergeOptions,
    batch: OpenBatch | undefined,
  ): Promise<MergedRows> {
    const { plan, table, isNew } = locked;
    const { source, input } = plan;
    // `write` may run several times, each time with the relations of the rows that are not rejected.
    const write = () =>
      this.repository.merge(table, source.relations(table, isNew), { batch, withStatuses: returnItems });
    const scope = input.replacement?.selectScope?.(table);
    if (scope === undefined || !(source instanceof StagingRowSource)) return write();
    return source.writeInScope(scope, write, () => {
      if (!continueOnError) requireValidRows([plan]);
    });
  }
}

function hasChanged({ table, fromRevision }: MergedTable): boolean {
  return table.revision > fromRevision;
}
