import { uuid } from '../../../sql/src/uuid.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { View } from '../catalog/view.js';
import { type BatchOrigin, BatchRecords, type OpenBatch, type RowChange } from './batch-records.repository.js';
import { type RenameChanges, TableLog, type WriteCauses } from './table-log.js';
import type { WrittenTable } from './batch.js';

/**
 * Decides whether a load needs approval, and takes it back if it does. The engine knows no more of proposals than this.
 */
export abstract class ApprovalGate {
  /** May a load of these tables need approval? */
  abstract mayBeNeeded(tables: readonly CatalogTable[]): boolean;

  /** Begins a load that may need approval, before its first row is written. */
  abstract begin(): Promise<void>;

  /**
   * Ends what `begin` has begun.
   *
   * @param report of the load, for the reviewers.
   * @returns the ID of the proposal that replaces the load; undefined if the load needs no approval and remains.
   * @throws {DomainError} `columns_not_approved` or `proposal_too_large`
   */
  abstract end(batch: OpenBatch, written: readonly WrittenTable[], report: object): Promise<string | undefined>;

  /** Do the changes of any table exceed what its option `approval` allows? */
  abstract isExceeded(written: readonly WrittenTable[]): Promise<boolean>;
}

/** A batch was stored, or waits for approval as a proposal. */
export type EndedBatch = { batchId: string; proposalId?: undefined } | { proposalId: string; batchId?: undefined };

/** Records the requests that write rows, and reports their changes. */
export class BatchRecorder {
  constructor(
    private readonly records: BatchRecords,
    private readonly log: TableLog,
    private readonly gate: ApprovalGate,
  ) {}

  /**
   * Begins a batch, after the transaction has locked all tables.
   *
   * @param tables of which one may need approval.
   */
  async begin(view: View, origin: BatchOrigin, tables: readonly CatalogTable[]): Promise<OpenBatch> {
    const at = await this.records.now();
    const isProposed = origin.needsApproval || origin.comparedProposalId !== undefined;
    const mayNeedApproval = !origin.isApproved && (isProposed || this.gate.mayBeNeeded(tables));
    if (mayNeedApproval) await this.gate.begin();
    return { ...origin, id: uuid(), view, at, mayNeedApproval };
  }

  /** Begins a write that is not a batch, after the transaction has locked its table. */
  async beginSingle(): Promise<RowChange> {
    return { at: await this.records.now() };
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
    const tables = written.map(({ table: { id, entity, name, revision: toRevision }, fromRevision, counts }) => {
      return { id, entity, name, fromRevision, toRevision, counts };
    });
    await this.records.insert(batch, tables);
    this.log.countRows(written);
    await this.recordChanges(batch.view.workspaceId, written, batch, { batchId: batch.id, importId: batch.importId });
    // The approval of a proposal is recorded with its decision. A load that changed nothing has no entry.
    const isChanged = tables.some(({ fromRevision, toRevision }) => toRevision > fromRevision);
    if (!batch.isApproved && isChanged) await this.log.recordLoad(batch, tables);
    return { batchId: batch.id };
  }

  /** Records the revision and the event of the rename of a key in one table. @param table with its new revision. */
  async recordRename(
    table: CatalogTable,
    fromRevision: number,
    changes: RenameChanges,
    { at }: RowChange,
  ): Promise<void> {
    await this.records.insertRevisions([table], { at, by: this.log.currentActor().userId });
    await this.log.recordRename(table, fromRevision, changes);
  }

  /** Would the changes of a dry run wait for approval? */
  async needsApproval(written: readonly WrittenTable[]): Promise<boolean> {
    return this.gate.isExceeded(written);
  }

  /** Records the revisions and the events of a write. */
  async recordChanges(
    workspaceId: string,
    written: readonly WrittenTable[],
    { at, source }: RowChange & Partial<BatchOrigin>,
    causes: WriteCauses = {},
  ): Promise<void> {
    const changed = written.filter(({ counts }) => counts.created + counts.updated + counts.deleted > 0);
    const tables = changed.map(({ table }) => table);
    const by = this.log.currentActor().userId;
    await this.records.insertRevisions(tables, { at, by, batchId: causes.batchId, source });
    await this.log.recordWritten(workspaceId, written, causes);
  }
}
