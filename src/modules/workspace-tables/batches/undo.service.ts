import { Injectable } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { MAX_LISTED_ERRORS } from '../../../../packages/errors/src/domain-error.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { withAllRows } from '../../../../packages/tables/src/catalog/physical-table.js';
import { describeViolation, type Violation } from '../../../../packages/tables/src/catalog/column-constraints.js';
import { TableTurns } from '../catalog/table-turns.js';
import type { View } from '../../../../packages/tables/src/catalog/view.js';
import { BatchRecorder, type EndedBatch } from '../../../../packages/tables/src/history/batch-recorder.js';
import type { BatchOrigin, OpenBatch } from '../../../../packages/tables/src/history/batch-records.repository.js';
import type { BatchTable } from '../../../../packages/tables/src/history/batch.js';
import type { WrittenTable } from '../../../../packages/tables/src/history/written-table.js';
import type { TableError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { AlreadyUndoneError, BatchConflictError, NotUndoableError } from './batches.errors.js';
import { BatchesRepository } from './batches.repository.js';
import type { BatchTableDto, TableViolationDto, UndoReportDto } from './dto/batches.dto.js';
import { UndoPermissions } from './undo-permissions.js';
import { type UndoPlan, UndoPlanRepository } from './undo-plan.repository.js';

/** Violated constraints of restored rows that a report lists. */
const MAX_LISTED_VIOLATIONS = 20;

interface Undo extends Pick<BatchOrigin, 'isApproved' | 'comparedProposalId'> {
  view: View;
  id: string;
  userId: string;
  /** Leave rows that were changed since as they are? */
  skipConflicts: boolean;
}

/** What an undo has done to a table. */
interface UndoneTable {
  written: WrittenTable;
  /** The rows that are not restored. */
  conflicts: { total: number; listed: readonly TableError[] };
  /** The constraints that restored rows violate. */
  violations: { total: number; first: readonly TableViolationDto[] };
}

/** Restores the rows of a batch as they were before it. */
@Injectable()
export class UndoService {
  constructor(
    private readonly sql: Sql,
    private readonly writes: CatalogWrites,
    private readonly turns: TableTurns,
    private readonly batches: BatchesRepository,
    private readonly recorder: BatchRecorder,
    private readonly plans: UndoPlanRepository,
    private readonly permissions: UndoPermissions,
  ) {}

  /**
   * Undoes a batch in all of its tables or in none. The undo is a batch, too, which can be undone.
   *
   * @throws {NotFoundError | AlreadyUndoneError | NotUndoableError | BatchConflictError}
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
    const { workspaceId } = view;
    const key = { workspaceId, id };
    const { tables } = await this.batches.getWhole(key);
    const ids = tables.map((table) => table.id);
    const locked = await this.lockTables(workspaceId, ids);
    const batch = await this.batches.lock(key);
    if (batch.undoneBy) throw new AlreadyUndoneError(batch.undoneBy);
    await this.plans.begin();
    if (!(await this.batches.getWhole(key)).undoable) throw new NotUndoableError('its previous values were removed.');
    const undo = await this.recorder.begin(view, { source: 'undo', undoes: id, ...origin }, locked);
    const undone: UndoneTable[] = [];
    for (const [position, table] of locked.entries()) {
      const changes = batch.tables.find(({ id: tableId }) => tableId === table.id)!;
      undone.push(await this.undoTable(table, changes, undo, position));
    }
    const skipped = sum(undone.map(({ conflicts }) => conflicts.total));
    const conflicts = undone.flatMap((table) => table.conflicts.listed);
    if (skipped > 0 && !origin.skipConflicts) throw new BatchConflictError(conflicts, skipped);
    const violations = {
      total: sum(undone.map((table) => table.violations.total)),
      first: undone.flatMap((table) => table.violations.first).slice(0, MAX_LISTED_VIOLATIONS),
    };
    const written = undone.map((table) => table.written);
    const sumOf = (name: keyof WrittenTable['counts']) => sum(written.map(({ counts }) => counts[name]));
    const totals = { created: sumOf('created'), updated: sumOf('updated'), deleted: sumOf('deleted') };
    const report = { undoes: id, totals, skipped, violations };
    const ended = await this.recorder.end(undo, written, report);
    if (ended.proposalId === undefined) await this.batches.setUndone(key, undo.id);
    return { ...ended, ...report, tables: written.map((table) => toTableReport(table, ended)) };
  }

  /**
   * Undoes the changes of a batch in one locked table.
   *
   * @param position of the table in the batch.
   */
  private async undoTable(
    table: CatalogTable,
    changes: BatchTable,
    undo: OpenBatch,
    position: number,
  ): Promise<UndoneTable> {
    const permitted = await this.permissions.authorizeUndo(undo.view, table, changes);
    const { revision: fromRevision } = table;
    // The revision of a table that the batch has not changed is that of an earlier change.
    if (changes.toRevision === changes.fromRevision)
      return {
        written: { table, fromRevision, counts: { created: 0, updated: 0, deleted: 0 } },
        conflicts: { total: 0, listed: [] },
        violations: { total: 0, first: [] },
      };
    const plan = await this.plans.create(table, changes, position);
    const listed = plan.conflicts > 0 ? await this.listConflicts(permitted, plan) : [];
    const revision = fromRevision + 1;
    const counts = await this.plans.execute(table, plan, undo, revision);
    const isChanged = counts.created + counts.updated + counts.deleted > 0;
    if (isChanged) await this.writes.setRevision(table, revision);
    await this.permissions.authorizeRestored(permitted, revision);
    const violations = await this.plans.findViolations(withAllRows(permitted), revision, MAX_LISTED_VIOLATIONS);
    return {
      written: { table: { ...table, revision: isChanged ? revision : fromRevision }, fromRevision, counts },
      conflicts: { total: plan.conflicts, listed },
      violations: {
        total: violations.total,
        first: violations.first.map((violation) => toTableViolation(permitted, violation)),
      },
    };
  }

  /** Locks the tables. @returns them in the order of the IDs. @throws {NotUndoableError} */
  private async lockTables(workspaceId: string, ids: readonly string[]): Promise<CatalogTable[]> {
    const locked = await this.writes.lockByIds(workspaceId, ids);
    if (locked.size < ids.length) throw new NotUndoableError('a table of it was dropped.');
    return ids.map((id) => locked.get(id)!);
  }

  private async listConflicts(table: CatalogTable, plan: UndoPlan): Promise<TableError[]> {
    const conflicts = await this.plans.listConflicts(plan, MAX_LISTED_ERRORS);
    return conflicts.map((conflict) => this.permissions.toVisibleConflict(table, conflict));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The revisions of a table whose rows wait for approval are unchanged. */
function toTableReport({ table, fromRevision, counts }: WrittenTable, { proposalId }: EndedBatch): BatchTableDto {
  const toRevision = proposalId === undefined ? table.revision : fromRevision;
  return { id: table.id, entity: table.entity, name: table.name, fromRevision, toRevision, counts };
}

/** @param table as the caller reads it: if only some rows are permitted, the other row may not be among them. */
function toTableViolation({ name, permission }: CatalogTable, violation: Violation): TableViolationDto {
  const { key, constraint } = violation;
  const known = permission?.rows ? { ...violation, otherKey: null } : violation;
  return { table: name, key, level: constraint.level, ...describeViolation(known) };
}
