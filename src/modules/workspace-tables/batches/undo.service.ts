import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MAX_LISTED_ERRORS } from '../../../platform/http/domain-error.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { withAllRows } from '../catalog/physical-table.js';
import { describeViolation, type Violation } from '../catalog/column-constraints.js';
import { TableTurns } from '../catalog/table-turns.js';
import { BatchRecorder, type EndedBatch } from '../history/batch-recorder.js';
import type { BatchOrigin } from '../history/batch-records.repository.js';
import type { WrittenTable } from '../history/written-table.js';
import type { TableError } from '../workspace-tables.errors.js';
import { AlreadyUndoneError, BatchConflictError, NotUndoableError } from './batches.errors.js';
import { BatchesRepository } from './batches.repository.js';
import type { BatchTableDto, TableViolationDto, UndoReportDto } from './dto/batches.dto.js';
import { UndoPermissions } from './undo-permissions.js';
import { type UndoPlan, UndoPlanRepository } from './undo-plan.repository.js';

/** Violated constraints of restored rows that a report lists. */
const MAX_LISTED_VIOLATIONS = 20;

interface Undo extends Pick<BatchOrigin, 'isApproved' | 'comparedProposalId'> {
  workspaceId: string;
  id: string;
  userId: string;
  /** Leave rows that were changed since as they are? */
  skipConflicts: boolean;
}

/** Restores the rows of a batch as they were before it. */
@Injectable()
export class UndoService {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogWrites,
    private readonly turns: TableTurns,
    private readonly batches: BatchesRepository,
    private readonly recorder: BatchRecorder,
    private readonly plans: UndoPlanRepository,
    private readonly permissions: UndoPermissions,
  ) {}

  /**
   * All tables or none. It is a batch itself, which can be undone.
   *
   * @throws {NotFoundError | AlreadyUndoneError | NotUndoableError | BatchConflictError}
   * @throws {BatchOutsidePolicyError | ReadOnlyError} if the access policies of the caller permit only a part of it.
   */
  async undo(request: Undo): Promise<UndoReportDto> {
    await this.batches.get(request);
    const { tables } = await this.batches.getWhole(request);
    const undo = () => this.database.transaction(() => this.execute(request));
    return this.turns.run(request.workspaceId, tables, undo);
  }

  /** The transaction of an undo. */
  async execute({ workspaceId, id, ...origin }: Undo): Promise<UndoReportDto> {
    const { skipConflicts } = origin;
    const key = { workspaceId, id };
    const { tables } = await this.batches.getWhole(key);
    // A request may name a table twice, by ID and by name.
    const ids = [...new Set(tables.map((table) => table.id))];
    const locked = await this.lockTables(workspaceId, ids);
    const batch = await this.batches.lock(key);
    if (batch.undoneBy) throw new AlreadyUndoneError(batch.undoneBy);
    await this.plans.begin();
    if (!(await this.batches.getWhole(key)).undoable) throw new NotUndoableError('its previous values were removed.');
    const undo = await this.recorder.begin(workspaceId, { source: 'undo', undoes: id, ...origin }, locked);
    const written: WrittenTable[] = [];
    const conflicts = { total: 0, listed: [] as TableError[] };
    const violations = { total: 0, first: [] as TableViolationDto[] };
    for (const [position, table] of locked.entries()) {
      const undone = batch.tables.find(({ id: tableId }) => tableId === table.id)!;
      const permitted = await this.permissions.requirePermitted(table, undone);
      // The revision of a table that the batch has not changed is that of an earlier change.
      if (undone.toRevision === undone.fromRevision) {
        written.push({ table, fromRevision: table.revision, counts: { created: 0, updated: 0, deleted: 0 } });
        continue;
      }
      const plan = await this.plans.create(table, undone, position);
      conflicts.total += plan.conflicts;
      if (plan.conflicts > 0) conflicts.listed.push(...(await this.listConflicts(permitted, plan)));
      const revision = table.revision + 1;
      const counts = await this.plans.execute(table, plan, undone.toRevision, undo, revision);
      const isChanged = counts.created + counts.updated + counts.deleted > 0;
      if (isChanged) await this.catalog.setRevision(table, revision);
      await this.permissions.requireInside(permitted, revision);
      const restored = await this.plans.findViolations(withAllRows(permitted), revision, MAX_LISTED_VIOLATIONS);
      violations.total += restored.total;
      violations.first.push(...restored.first.map((violation) => toTableViolation(permitted, violation)));
      written.push({
        table: { ...table, revision: isChanged ? revision : table.revision },
        fromRevision: table.revision,
        counts,
      });
    }
    if (conflicts.total > 0 && !skipConflicts) throw new BatchConflictError(conflicts.listed, conflicts.total);
    violations.first = violations.first.slice(0, MAX_LISTED_VIOLATIONS);
    const report = { undoes: id, skipped: conflicts.total, violations };
    const ended = await this.recorder.end(undo, written, report);
    if (ended.proposalId === undefined) await this.batches.setUndone(key, undo.id);
    return { ...ended, ...report, tables: written.map((table) => toTableReport(table, ended)) };
  }

  /** Locks the tables. @returns them in the order of the IDs. @throws {NotUndoableError} */
  private async lockTables(workspaceId: string, ids: readonly string[]): Promise<CatalogTable[]> {
    const locked = await this.catalog.lockByIds(workspaceId, ids);
    if (locked.size < ids.length) throw new NotUndoableError('a table of it was dropped.');
    return ids.map((id) => locked.get(id)!);
  }

  private async listConflicts(table: CatalogTable, plan: UndoPlan): Promise<TableError[]> {
    const conflicts = await this.plans.listConflicts(plan, MAX_LISTED_ERRORS);
    return conflicts.map((conflict) => this.permissions.toConflict(table, conflict));
  }
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
