import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { DomainError, toErrorDetails } from '../../../../packages/errors/src/domain-error.js';
import { InvalidTablesError, type TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { wholeView, type View } from '../../../../packages/tables/src/catalog/view.js';
import type { BatchOrigin } from '../../../../packages/tables/src/history/batch-records.repository.js';
import { createOutsidePolicyError } from '../../../../packages/tables/src/sources/row-errors.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { ChangeReport, RowCounts } from '../../../../packages/tables/src/writer/report.js';
import type { LockedTable } from '../../../../packages/tables/src/writer/table-plan.js';
import { TableTurns } from '../catalog/table-turns.js';
import { BATCH_ERRORS, BatchOutsidePolicyError, NotUndoableError } from './batches.errors.js';
import { BatchesRepository } from './batches.repository.js';
import type { TableViolationDto, UndoReportDto } from './dto/batches.dto.js';
import { UndoPermissions } from './undo-permissions.repository.js';

/** Violated constraints of restored rows that a report lists. */
const MAX_LISTED_VIOLATIONS = 20;

interface Undo extends Pick<BatchOrigin, 'isApproved' | 'comparedProposalId'> {
  view: View;
  id: string;
  userId: string;
  /** Leave rows that were changed since as they are? */
  skipConflicts: boolean;
}

/** Restores the rows of a batch as they were before it. */
@Injectable()
export class UndoService {
  constructor(
    private readonly sql: Sql,
    private readonly writes: CatalogWrites,
    private readonly turns: TableTurns,
    private readonly batches: BatchesRepository,
    private readonly engine: MergeEngine,
    private readonly permissions: UndoPermissions,
    private readonly config: Config,
  ) {}

  /**
   * Undoes a batch in all of its tables or in none. The undo is a batch, too, which can be undone.
   *
   * @throws {NotFoundError | NotUndoableError}
   * @throws {DomainError} `already_undone` or `batch_conflict`, and nothing was done.
   * @throws {BatchOutsidePolicyError | ReadOnlyError} if the access policies of the caller permit only a part of it.
   */
  async undo(request: Undo): Promise<UndoReportDto> {
    // If access policies permit none of its tables, the batch does not exist for the caller.
    await this.batches.get(request);
    const { workspaceId } = request.view;
    const { tables } = await this.batches.getWhole({ workspaceId, id: request.id });
    const undo = () => this.sql.transaction(() => this.execute(request));
    return this.turns.run(workspaceId, tables, undo);
  }

  /** The transaction of an undo. */
  async execute({ view, id, ...origin }: Undo): Promise<UndoReportDto> {
    const key = { workspaceId: view.workspaceId, id };
    const before = await this.lockTables(key);
    const { undoneBy, tables: undone } = await this.batches.lock(key);
    if (undoneBy) {
      const message = `The batch was already undone by the batch ${undoneBy}. Undo that batch to restore its changes.`;
      throw new DomainError(BATCH_ERRORS.already_undone, message);
    }
    if (!(await this.batches.getWhole(key)).undoable) throw new NotUndoableError('its previous values were removed.');
    const tables: LockedTable[] = [];
    for (const [at, table] of before.entries()) {
      const { fromRevision, toRevision: undoneRevision } = undone[at]!;
      await this.permissions.authorize(view, table, undone[at]!);
      // The revision of a table that the batch has not changed is that of an earlier change.
      const isChanged = undoneRevision > fromRevision;
      const items = isChanged ? { undoneRevision, timeoutS: this.config.imports.timeoutS } : [];
      tables.push(await this.engine.readLocked(isChanged ? view : wholeView(view.workspaceId), table, { items }, at));
    }
    const options = {
      continueOnError: origin.skipConflicts,
      allowsViolations: true,
      origin: { source: 'undo' as const, undoes: id, ...origin },
    };
    const toResult = (written: ChangeReport) => ({ undoes: id, ...toUndone(written) });
    const report = await this.engine.write({ view, options, tables }, toResult).catch((error: unknown) => {
      throw error instanceof InvalidTablesError ? toConflict(error, tables) : error;
    });
    if (report.summary.some(isOutside)) throw new BatchOutsidePolicyError();
    const { batchId, proposalId } = report;
    if (batchId !== undefined) await this.batches.setUndone(key, batchId);
    const written = report.tables.map(({ id: tableId, type: entity, name, revision: toRevision, ...counts }, at) => {
      const { revision: fromRevision } = before[at]!;
      return { id: tableId, entity, name, fromRevision, toRevision, counts: toCounts(counts) };
    });
    return { batchId, proposalId, ...toResult(report), tables: written };
  }

  /** Locks the tables of the batch. @returns them in its order. @throws {NotUndoableError} */
  private async lockTables(key: { workspaceId: string; id: string }): Promise<CatalogTable[]> {
    const { tables } = await this.batches.getWhole(key);
    const locked = await this.writes.lockByIds(
      key.workspaceId,
      tables.map(({ id }) => id),
    );
    if (locked.size < tables.length) throw new NotUndoableError('a table of it was dropped.');
    return tables.map(({ id }) => locked.get(id)!);
  }
}

function toCounts({ created, updated, deleted = 0 }: Pick<RowCounts, 'created' | 'updated' | 'deleted'>) {
  return { created, updated, deleted };
}

/** What an undo has done, without its tables. */
function toUndone({ totals, warnings }: ChangeReport): Pick<UndoReportDto, 'totals' | 'skipped' | 'violations'> {
  const first = (warnings?.errors ?? []).slice(0, MAX_LISTED_VIOLATIONS).map((error) => {
    const { table, key, level, column, code, message } = error as TableError & TableViolationDto;
    return { table, key, level, column, code, message };
  });
  const total = (warnings?.summary ?? []).reduce((sum, { count }) => sum + count, 0);
  return { totals: toCounts(totals), skipped: totals.failed, violations: { total, first } };
}

function isOutside({ code }: { code: string }): boolean {
  return code === createOutsidePolicyError().code;
}

/** The error if rows cannot be restored, without columns that the caller may not read. */
function toConflict({ details }: InvalidTablesError, tables: readonly LockedTable[]): DomainError {
  const { total = 0, errors = [] } = details!;
  if (errors.some(isOutside)) return new BatchOutsidePolicyError();
  const permitted = new Map(tables.map(({ plan, table }) => [`${table.entity} ${table.name}`, plan.permitted]));
  const conflicts = (errors as TableError[]).map(({ index: _, ...error }) => {
    const { type, table, key, column } = error;
    const columns = permitted.get(`${type} ${table}`)?.columns;
    const isKnown = !column || !columns || columns.some((each) => each.key === column);
    return isKnown ? error : { type, table, key, ...createOutsidePolicyError() };
  });
  const message = `${total} ${total === 1 ? 'row was' : 'rows were'} changed since the batch, or cannot have the previous values; nothing was undone. Send onConflict=skip to leave them as they are.`;
  return new DomainError(BATCH_ERRORS.batch_conflict, message, { details: toErrorDetails(conflicts, total) });
}
