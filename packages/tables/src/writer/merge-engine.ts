import { catchDryRun, DryRun } from '../../../sql/src/dry-run.js';
import type { Sql } from '../../../sql/src/sql.js';
import { type CatalogTable, compareLockOrder } from '../catalog/catalog-table.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import type { View } from '../catalog/view.js';
import { BatchRecorder } from '../history/batch-recorder.js';
import type { SelectScope } from '../sources/staging-sql.js';
import { type RowStream, StagingRowSource } from '../sources/staging-row-source.js';
import { ColumnsBusyError } from '../catalog/tables.errors.js';
import type { ChangeReport } from './report.js';
import {
  isCurrent,
  type LockedTable,
  type MergeOptions,
  requireValidColumns,
  type TableInput,
  type TableItems,
  type TablePlan,
} from './table-plan.js';
import { MergeWriter } from './merge-writer.js';
import { SubtreeGuard } from './subtree-guard.js';
import { TablePlanner } from './table-planner.js';
import { type MergedTable, toProposedReport, toUpsertReport, toWrittenTable, withoutItems } from './upsert-report.js';

/** How often a merge is prepared if its tables change each time before they are locked. */
const MAX_ATTEMPTS = 3;

/** Rolls a transaction back whose tables have changed since they were read for it. */
class TablesChanged extends Error {}

/** The rows of a request, read for the tables as they are. */
export interface PreparedMerge {
  view: View;
  plans: readonly TablePlan[];
  options: MergeOptions;
  /** Lock the tables one by one, because they have changed before they were locked together? */
  locksSeparately?: boolean;
}

/** A merge whose transaction has the locks of its tables. */
export interface LockedMerge extends Pick<PreparedMerge, 'view' | 'options'> {
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
export class MergeEngine {
  constructor(
    private readonly sql: Sql,
    private readonly writes: CatalogWrites,
    private readonly planner: TablePlanner,
    private readonly writer: MergeWriter,
    private readonly recorder: BatchRecorder,
    private readonly subtrees: SubtreeGuard,
  ) {}

  /**
   * Merges rows in memory.
   *
   * @param complete a part of the transaction after everything is written; not called in a dry run. A repeated
   *   transaction calls `complete` again.
   * @throws {InvalidTablesError | ColumnConflictError | UnavailableError} and nothing is stored.
   */
  async execute(
    view: View,
    inputs: readonly TableItems[],
    options: MergeOptions = {},
    complete?: (report: ChangeReport) => Promise<void>,
  ): Promise<ChangeReport> {
    // The rows are read before the transaction, which makes it shorter, and again if the transaction is repeated.
    let first: PreparedMerge | undefined = await this.prepare(view, inputs, options);
    return this.run(options, async () => {
      const prepared = first ?? { ...(await this.prepare(view, inputs, options)), locksSeparately: true };
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
        return await catchDryRun(() => this.sql.transaction(runSteps));
      } catch (error) {
        if (!(error instanceof TablesChanged)) throw error;
      }
    }
    throw new ColumnsBusyError();
  }

  /**
   * Finds the tables, plans their columns and reads the rows, without locks. Files are read into the open transaction.
   *
   * @throws {InvalidTablesError | ColumnConflictError}
   */
  async prepare(view: View, inputs: readonly TableInput[], options: MergeOptions = {}): Promise<PreparedMerge> {
    return { view, plans: await this.planner.findAndPlan(view, inputs, options), options };
  }

  /** Locks the tables. Every request does so in the same order, so that no two wait for each other. */
  async lock({ view, plans, options, locksSeparately }: PreparedMerge): Promise<LockedMerge> {
    const getName = ({ found, input }: TablePlan) => found ?? input;
    const locked = new Map<TablePlan, LockedTable>();
    const ordered = plans.toSorted((a, b) => compareLockOrder(getName(a), getName(b)));
    const isTogether = !locksSeparately && !options.toMissingTableError;
    const known = isTogether ? await this.lockTogether(view, ordered) : [];
    for (const [position, plan] of ordered.entries())
      locked.set(plan, await this.lockTable(view, plan, options, known[position]));
    return { view, options, tables: plans.map((plan) => locked.get(plan)!) };
  }

  /**
   * Reads rows for a table that the transaction has locked.
   *
   * @param number of the table in the request.
   * @throws {ReadOnlyError | InvalidTablesError}
   */
  async readLocked(
    view: View,
    table: CatalogTable,
    rows: Pick<TableInput, 'items' | 'deletions'>,
    number = 0,
  ): Promise<LockedTable> {
    const { entity, name, id } = table;
    return { plan: await this.planner.plan(view, { entity, name, id, ...rows }, table, number), table, isNew: false };
  }

  /**
   * Checks the rows against the stored ones, and writes them.
   *
   * @param toProposed the report for those who approve the changes.
   * @throws {InvalidTablesError}
   */
  async write(
    { view, tables, options }: LockedMerge,
    toProposed: (report: ChangeReport) => object = withoutItems,
  ): Promise<ChangeReport> {
    requireValidColumns(tables.map(({ plan }) => plan));
    const entries = tables.map(({ table }) => table);
    const { origin, dryRun } = options;
    // A dry run is rolled back anyway, so it needs no approval.
    const batch = origin && (await this.recorder.begin(view, origin, dryRun ? [] : entries));
    for (const table of tables) await this.writer.rejectByStoredRows(table);
    const requireSameSubtrees = await this.subtrees.begin(view, tables);
    const change = batch ?? (await this.recorder.beginSingle());
    const merged = await this.writer.write(tables, options, change);
    await requireSameSubtrees?.(merged);
    await this.writes.setRevisions(merged.filter(hasChanged).map(({ table }) => table));
    // Only now does every row exist that a reference of this request may name.
    for (const table of merged)
      table.unresolved = await this.planner.findUnresolved(table.table, table.plan.source, options.maxUnresolved);
    const report = toUpsertReport(merged, options.returnItems ?? false);
    const written = merged.map(toWrittenTable);
    if (dryRun) return (await this.recorder.needsApproval(written)) ? { ...report, needsApproval: true } : report;
    if (!batch) {
      await this.recorder.recordChanges(view.workspaceId, written, change);
      return report;
    }
    const proposed = toProposedReport(report, written);
    const ended = await this.recorder.end(batch, written, toProposed(proposed));
    return { ...(ended.proposalId === undefined ? report : proposed), ...ended };
  }

  /**
   * Reads and checks the rows of a file as a merge does, in the open transaction, and merges nothing. Locks nothing:
   * the transaction needs a snapshot.
   *
   * @param selectScope of the replacement with which the file is compared.
   */
  async checkFile(
    { view, entity, name, id }: CatalogTable,
    stream: RowStream,
    selectScope?: SelectScope,
  ): Promise<StagingRowSource> {
    const { plan, table } = await this.planner.planForComparison(view, { entity, name, id, items: stream });
    const checked = { plan, table, isNew: false };
    await this.writer.rejectByStoredRows(checked);
    const source = plan.source as StagingRowSource;
    await this.writer.rejectByMergedRows(checked, source, selectScope);
    return source;
  }

  /**
   * Locks several tables by one statement.
   *
   * @returns an empty list if a table does not exist: the tables are then locked or created one by one, in order.
   */
  private async lockTogether({ workspaceId }: View, plans: readonly TablePlan[]): Promise<readonly CatalogTable[]> {
    const known = plans.flatMap(({ input: identity, found: table }) => (table ? [{ identity, table }] : []));
    if (plans.length === 1 || known.length < plans.length) return [];
    const tables = await this.writes.lockKnown(workspaceId, known);
    if (!tables) throw new TablesChanged();
    return tables;
  }

  /**
   * Locks a table, and plans the rows of a request again if its columns have changed since.
   *
   * @param known the table, if it is already locked.
   */
  private async lockTable(
    view: View,
    plan: TablePlan,
    options: MergeOptions,
    known: CatalogTable | undefined,
  ): Promise<LockedTable> {
    const { input, found } = plan;
    const locked = known ? { table: known, isNew: false } : await this.lockOne(view.workspaceId, plan, options);
    if (isCurrent(found, locked)) return { plan, ...locked };
    // A file is not read again under the lock: that may take an hour. Not every caller may create a table.
    if ('open' in input.items || (found && locked.isNew)) throw new TablesChanged();
    return { plan: await this.planner.plan(view, input, locked.isNew ? undefined : locked.table), ...locked };
  }

  /** Locks one table, and creates it if the request may do so. */
  private async lockOne(
    workspaceId: string,
    { input, found }: TablePlan,
    options: MergeOptions,
  ): Promise<Omit<LockedTable, 'plan'>> {
    if (!options.toMissingTableError || !found) return this.writes.lockOrCreate(workspaceId, input, found);
    const table = await this.writes.lockExisting(found);
    if (!table) throw options.toMissingTableError();
    return { table, isNew: false };
  }
}

function hasChanged({ table, fromRevision }: MergedTable): boolean {
  return table.revision > fromRevision;
}
