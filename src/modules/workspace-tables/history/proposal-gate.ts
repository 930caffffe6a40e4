import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { uuid } from '../../../../packages/sql/src/uuid.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { hashRowRules, isPercentage, toChangeLimit } from '../../../../packages/tables/src/catalog/table-options.js';
import { ApprovalGate } from '../../../../packages/tables/src/history/batch-recorder.js';
import { ProposalEvents } from './proposal-events.js';
import { PROPOSAL_ERRORS } from './proposals.errors.js';
import { ProposalsRepository } from './proposals.repository.js';
import type { OpenBatch } from '../../../../packages/tables/src/history/batch-records.repository.js';
import type { WrittenTable } from '../../../../packages/tables/src/history/batch.js';

/** Days until a proposal expires, by default. */
export const DEFAULT_EXPIRY_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/**
 * Replaces loads that need approval by proposals: a load is written as any other, and if a table has more changed rows
 * than its option `approval` allows, everything is undone and stored as a proposal, in the same transaction (ADR 0165).
 */
@Injectable()
export class ProposalGate extends ApprovalGate {
  constructor(
    private readonly proposals: ProposalsRepository,
    private readonly events: ProposalEvents,
  ) {
    super();
  }

  mayBeNeeded(tables: readonly CatalogTable[]): boolean {
    return tables.some(({ options }) => options.approval?.required);
  }

  begin(): Promise<void> {
    return this.proposals.savepoint.begin();
  }

  async end(batch: OpenBatch, written: readonly WrittenTable[], report: object): Promise<string | undefined> {
    const isProposed = batch.comparedProposalId !== undefined || (batch.needsApproval && written.some(hasChanged));
    if (!isProposed && !(await this.isExceeded(written))) {
      await this.proposals.savepoint.release();
      return undefined;
    }
    const defined = written.find(({ definition }) => definition !== undefined);
    if (defined) {
      const message = `The load waits for approval, but creates the table "${defined.table.name}" or adds columns to it; nothing was stored. Create them first.`;
      throw new DomainError(PROPOSAL_ERRORS.columns_not_approved, message);
    }
    const proposal = this.toProposal(batch, written, report);
    const tables = written.filter(hasChanged).map(({ table }) => table);
    await this.proposals.replaceByProposal(batch.view, proposal, tables);
    if (batch.comparedProposalId === undefined) await this.events.recordProposed(proposal);
    return proposal.id;
  }

  async isExceeded(written: readonly WrittenTable[]): Promise<boolean> {
    for (const { table, counts } of written) {
      const { approval } = table.options;
      if (!approval?.required || countChanges(counts) === 0) continue;
      const rows = isPercentage(approval)
        ? (await this.proposals.countRows(table)) - counts.created + counts.deleted
        : 0;
      if (countChanges(counts) > toChangeLimit(approval, rows)) return true;
    }
    return false;
  }

  private toProposal(batch: OpenBatch, written: readonly WrittenTable[], report: object) {
    const { view, source, userId, importId = null, undoes = null, skipConflicts = false, at } = batch;
    const comparedAt = new Date(at);
    const approvals = written.flatMap(({ table: { options } }) =>
      options.approval?.required ? [options.approval] : [],
    );
    const compared = {
      workspaceId: view.workspaceId,
      report,
      comparedAt,
      tables: written.filter(hasChanged).map(({ table: { id, entity, name, columns, options }, counts }) => {
        return { id, entity, name, counts, rules: hashRowRules(columns, options) };
      }),
    };
    if (batch.comparedProposalId !== undefined) return { ...compared, id: batch.comparedProposalId };
    const expiries = approvals.map(({ expiresAfterDays = DEFAULT_EXPIRY_DAYS }) => expiresAfterDays);
    const days = expiries.length > 0 ? Math.min(...expiries) : DEFAULT_EXPIRY_DAYS;
    return {
      ...compared,
      id: uuid(),
      source,
      importId,
      undoes,
      skipConflicts,
      needsOtherUser: approvals.some(({ by }) => by === 'other'),
      createdBy: userId,
      expiresAt: new Date(comparedAt.getTime() + days * DAY_MS),
    };
  }
}

function hasChanged({ counts }: WrittenTable): boolean {
  return countChanges(counts) > 0;
}

function countChanges({ created, updated, deleted }: WrittenTable['counts']): number {
  return created + updated + deleted;
}
