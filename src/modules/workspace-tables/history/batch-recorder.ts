import { Injectable } from '@nestjs/common';
import { uuid } from '../../../platform/database/uuid.js';
import { Config } from '../../../platform/config/config.js';
import { AuditService } from '../../audit/audit.service.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { type EventCauses, TableEvents } from '../catalog/table-events.js';
import { ApprovalGate } from './approval-gate.js';
import { type BatchOrigin, BatchRecords, type OpenBatch } from './batch-records.repository.js';
import type { BatchTable } from './table-batch.entity.js';
import type { WrittenTable } from './written-table.js';

/** A batch was stored, or waits for approval as a proposal. */
export type EndedBatch = { batchId: string; proposalId?: undefined } | { proposalId: string; batchId?: undefined };

/** Records the requests that write rows, their events, and their entries in the audit log. */
@Injectable()
export class BatchRecorder {
  constructor(
    private readonly records: BatchRecords,
    private readonly config: Config,
    private readonly events: TableEvents,
    private readonly gate: ApprovalGate,
    private readonly audit: AuditService,
  ) {}

  /**
   * Begins a batch. The transaction has all locks: rows that are created from now on are those of the batch.
   *
   * @param tables that it may write.
   */
  async begin(workspaceId: string, origin: BatchOrigin, tables: readonly CatalogTable[]): Promise<OpenBatch> {
    const startedAt = await this.records.now();
    const isLimited = origin.compares !== undefined || this.gate.isNeeded(tables);
    const mayNeedApproval = !origin.isApproved && isLimited;
    if (mayNeedApproval) await this.gate.begin();
    // The differences of a proposal are those from the previous values.
    const storesPrevious = this.config.tables.undoDays > 0 || mayNeedApproval;
    return {
      ...origin,
      id: uuid(),
      workspaceId,
      startedAt,
      storesPrevious,
      undoBytes: 0,
      unmeasured: new Set(),
      mayNeedApproval,
    };
  }

  /**
   * Ends a batch that has written all its rows.
   *
   * @param report for those who approve it.
   * @returns the ID of the batch, or that of the proposal by which it was replaced.
   */
  async end(batch: OpenBatch, written: readonly WrittenTable[], report: object): Promise<EndedBatch> {
    const proposalId = batch.mayNeedApproval ? await this.gate.end(batch, written, report) : undefined;
    if (proposalId !== undefined) return { proposalId };
    await this.records.measurePrevious(
      batch,
      written.map(({ table }) => table),
    );
    const tables = written.map(({ table: { id, entity, name, revision: toRevision }, fromRevision, counts }) => {
      return { id, entity, name, fromRevision, toRevision, counts };
    });
    await this.records.insert(batch, tables);
    await this.recordEvents(batch.workspaceId, written, { batchId: batch.id, importId: batch.importId });
    // The approval of a proposal is recorded with its decision.
    if (!batch.isApproved) await this.recordLoad(batch, tables);
    return { batchId: batch.id };
  }

  /** Would the changes of a dry run wait for approval? */
  async needsApproval(written: readonly WrittenTable[]): Promise<boolean> {
    return this.gate.isExceeded(written);
  }

  /** The events of a write that is not a batch. */
  recordEvents(workspaceId: string, written: readonly WrittenTable[], causes: EventCauses = {}): Promise<void> {
    return this.events.recordWritten(workspaceId, written, causes);
  }

  private recordLoad(
    batch: OpenBatch,
    written: readonly Pick<BatchTable, 'id' | 'entity' | 'name' | 'counts'>[],
  ): Promise<void> {
    const { workspaceId, id: batchId, source, importId, undoes } = batch;
    const tables = written.map(({ id, entity, name, counts }) => ({ id, entity, name, ...counts }));
    return this.audit.record({
      kind: 'load_stored',
      workspaceId,
      details: { source, batchId, importId, undoes, tables },
    });
  }
}
