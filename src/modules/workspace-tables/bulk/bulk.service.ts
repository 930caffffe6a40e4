import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { RowMetrics } from '../engine/row-metrics.js';
import { listErrors, type TableWithErrors, type FinishedTable, toUpsertReport } from '../engine/upsert-report.js';
import { compareLockOrder, CatalogRepository, type TableIdentity } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import { UpsertReportDto } from '../engine/dto/upsert-report.dto.js';
import { normalizeName } from '../catalog/entity-kind.js';
import type { TableBatch, TablePlan } from '../engine/table-plan.js';
import { type CheckedTable, type LockedTable, type TableOutcome, TableWriter } from '../engine/table-writer.js';
import {
  BatchTooLargeError,
  ColumnConflictError,
  InvalidTablesError,
  type TableError,
} from '../workspace-tables.errors.js';

export interface BulkOptions {
  /** Store the good rows though others are at fault? */
  continueOnError: boolean;
  /** Do everything, and store nothing? */
  dryRun: boolean;
  /** Report what became of each row? */
  returnItems: boolean;
  /** What else is to be kept with the rows: done in their transaction, once they are written. Must be repeatable. */
  alongside?: (report: UpsertReportDto) => Promise<void>;
}

/** Thrown to undo a dry run; carries what it found. */
class DryRun extends Error {
  constructor(readonly report: UpsertReportDto) {
    super('A dry run is undone.');
  }
}

/**
 * Upserts rows by primary key, in bulk (specification, section 4.4). The same request sent twice changes nothing the
 * second time. All or nothing, unless the caller asks to go on.
 */
@Injectable()
export class BulkService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly writer: TableWriter,
    private readonly metrics: RowMetrics,
    private readonly config: Config,
  ) {}

  /** @throws {BatchTooLargeError | InvalidTablesError | ColumnConflictError} and then nothing is stored. */
  async upsert(workspaceId: string, batches: readonly TableBatch[], options: BulkOptions): Promise<UpsertReportDto> {
    this.checkSize(batches);
    refuseDuplicateTables(batches);
    // Whatever can be done before the locks is done before them: they are held for the writing alone.
    const plans: TablePlan[] = [];
    for (const batch of batches) {
      plans.push(this.writer.plan(batch, await this.catalog.findByIdOrName(workspaceId, batch)));
    }
    refuseFaultyColumns(plans);
    const report = await this.carryOut(workspaceId, plans, options);
    if (!options.dryRun) for (const table of report.tables) this.metrics.countRows(table.type, table);
    return report;
  }

  private async carryOut(
    workspaceId: string,
    plans: readonly TablePlan[],
    options: BulkOptions,
  ): Promise<UpsertReportDto> {
    try {
      return await this.database.transaction(() => this.write(workspaceId, plans, options));
    } catch (error) {
      if (error instanceof DryRun) return error.report;
      throw error;
    }
  }

  private async write(
    workspaceId: string,
    plans: readonly TablePlan[],
    options: BulkOptions,
  ): Promise<UpsertReportDto> {
    const locked = new Map<TablePlan, LockedTable>();
    // Everybody takes the locks in one order, so that no two requests wait for each other.
    for (const plan of plans.toSorted((a, b) => compareLockOrder(placeOf(a), placeOf(b))))
      locked.set(plan, await this.writer.lock(workspaceId, plan));
    const current = plans.map((plan) => locked.get(plan)!);
    refuseFaultyColumns(current.map(({ plan }) => plan));

    const checked: CheckedTable[] = [];
    for (const table of current) checked.push(await this.writer.check(table));
    if (!options.continueOnError) refuseFaultyRows(checked);

    const outcomes: TableOutcome[] = [];
    for (const table of checked) outcomes.push(await this.writer.write(table, options.returnItems));

    // Only now is everything there that a link of this request may name.
    const finished: FinishedTable[] = [];
    for (const outcome of outcomes) finished.push({ ...outcome, unresolved: await this.writer.unresolved(outcome) });
    const report = toUpsertReport(finished, options.returnItems);
    if (options.dryRun) throw new DryRun(report);
    await options.alongside?.(report);
    return report;
  }

  private checkSize(batches: readonly TableBatch[]): void {
    const { bulkMaxRows } = this.config.tables;
    const rows = batches.reduce((sum, batch) => sum + batch.items.length, 0);
    if (rows > bulkMaxRows) throw new BatchTooLargeError('rows', bulkMaxRows, rows);
  }
}

/** The key of a row as it is stored and compared; undefined where the value cannot be one. */
export function storedKey(value: unknown): string | undefined {
  const key = coerceKey(value);
  return typeof key === 'string' ? key : undefined;
}

/** What the table is called by now; as it was sent where it has yet to be made. */
function placeOf({ found, batch }: TablePlan): TableIdentity {
  return found ?? batch;
}

function refuseDuplicateTables(batches: readonly TableBatch[]): void {
  const seen = new Set<string>();
  const errors: TableError[] = [];
  for (const { entity, name } of batches) {
    const place = `${entity} ${normalizeName(name)}`;
    const message = `The ${entity} table "${name}" stands in the request twice.`;
    if (seen.has(place)) errors.push({ type: entity, table: name, code: 'duplicate_table', message });
    seen.add(place);
  }
  if (errors.length > 0)
    throw new InvalidTablesError('duplicate_table', 'A table stands in the request twice; nothing was stored.', errors);
}

/** Where a table's columns are at fault none of its rows can be stored, so this is refused whatever the options. */
function refuseFaultyColumns(plans: readonly TablePlan[]): void {
  const errors = plans.flatMap(({ batch, columns }) =>
    columns.errors.map((fault) => ({ type: batch.entity, table: batch.name, ...fault })),
  );
  if (errors.length === 0) return;
  if (errors.some((fault) => fault.code === 'column_type_conflict')) throw new ColumnConflictError(errors);
  throw new InvalidTablesError(
    'invalid_columns',
    'The columns cannot be as they were sent; nothing was stored.',
    errors,
  );
}

function refuseFaultyRows(tables: readonly TableWithErrors[]): void {
  const total = tables.reduce((sum, { errors }) => sum + errors.total, 0);
  if (total === 0) return;
  const rows = tables.reduce((sum, { plan }) => sum + plan.batch.items.length, 0);
  const faulty = tables.reduce((sum, { errors }) => sum + errors.rows.size, 0);
  throw new InvalidTablesError(
    'invalid_rows',
    `${faulty} of ${rows} ${rows === 1 ? 'row' : 'rows'} cannot be stored; nothing was stored.`,
    listErrors(tables),
    total,
  );
}
