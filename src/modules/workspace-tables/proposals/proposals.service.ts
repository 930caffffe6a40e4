import { Readable } from 'node:stream';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainError } from '../../../../packages/errors/src/domain-error.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import type { LoadRef } from '../catalog/own-loads.repository.js';
import { TableTurns } from '../catalog/table-turns.js';
import { compareValues } from '../catalog/compare-values.js';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { type View } from '../../../../packages/tables/src/catalog/view.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import type { ProposalDto } from '../history/dto/proposals.dto.js';
import { ProposalEvents } from '../history/proposal-events.js';
import { PROPOSAL_ERRORS, ProposalDecidedError, ProposalOutdatedError } from '../history/proposals.errors.js';
import {
  type Decision,
  EXPIRED_PROPOSALS,
  isComparedFor,
  ProposalsRepository,
} from '../history/proposals.repository.js';
import type { ProposalKey, TableProposal } from '../history/table-proposal.entity.js';
import { ProposalApplier, type Purpose } from './proposal-applier.js';
import { ProposalChanges } from './proposal-changes.js';

/** The keys of the columns that the caller may read, by table. */
type VisibleColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** A change of a row. */
export interface ProposedDifference {
  type: EntityKind;
  table: string;
  change: 'create' | 'update' | 'delete';
  key: string;
  /** Those of a deleted row become null. */
  columns: ReturnType<typeof compareValues>;
}

/** Loads that wait for approval (ADR 0165). */
@Injectable()
export class ProposalsService implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly proposals: ProposalsRepository,
    private readonly events: ProposalEvents,
    private readonly changes: ProposalChanges,
    private readonly applier: ProposalApplier,
    private readonly engine: MergeEngine,
    private readonly turns: TableTurns,
  ) {}

  onModuleInit(): void {
    this.jobs.processQueue({ name: 'Expiring proposals', due: EXPIRED_PROPOSALS, run: () => this.expireAll() });
    this.jobs.cleanUp('proposals', (batch) => this.proposals.deleteOld(batch));
  }

  /**
   * Lines of JSON: the changes of each table in the order of their keys, and a summary. If the proposal is compared
   * again in the meantime, the stream fails.
   *
   * @throws {NotFoundError | DomainError} `compared_by_other`
   */
  async readDifferences(ref: LoadRef): Promise<Readable> {
    const proposal = await this.getReadable(ref);
    const visible = await this.changes.findVisibleColumns(ref.view, proposal);
    return Readable.from(this.toLines(ref, proposal, visible), { objectMode: false });
  }

  /** The first changes of a proposal, as `readDifferences`. @throws {NotFoundError | DomainError} */
  async listDifferences(ref: LoadRef, limit: number): Promise<ProposedDifference[]> {
    const proposal = await this.getReadable(ref);
    const visible = await this.changes.findVisibleColumns(ref.view, proposal);
    const found: ProposedDifference[] = [];
    for await (const differences of this.readPages(ref, proposal, visible)) {
      found.push(...differences);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /**
   * Stores exactly the changes that were compared, in one transaction.
   *
   * @throws {NotFoundError | ProposalDecidedError | ProposalOutdatedError | DomainError}
   */
  async approve(ref: LoadRef, userId: string, comment: string | null): Promise<ProposalDto> {
    const known = await this.proposals.getEntity(ref);
    if (known.needsOtherUser && known.createdBy === userId) throw new DomainError(PROPOSAL_ERRORS.own_proposal);
    await this.apply(ref.view, known, userId, { isApproved: true }, async (proposal, batchId) => {
      await this.decide(proposal, { status: 'approved', decidedBy: userId, comment, batchId });
    });
    return this.proposals.get(ref);
  }

  /** @throws {NotFoundError | ProposalDecidedError} */
  async reject(ref: LoadRef, userId: string, comment: string | null): Promise<ProposalDto> {
    await this.engine.run({}, async () => {
      const proposal = await this.proposals.lockPending({ workspaceId: ref.view.workspaceId, id: ref.id });
      await this.decide(proposal, { status: 'rejected', decidedBy: userId, comment });
    });
    return this.proposals.get(ref);
  }

  /**
   * Compares the proposed values with the stored rows again. Values that were stored in the meantime are
   * not changes any more.
   *
   * @throws {NotFoundError | ProposalDecidedError | ProposalOutdatedError}
   */
  async compare(ref: LoadRef): Promise<ProposalDto> {
    const known = await this.proposals.getEntity(ref);
    await this.apply(ref.view, known, known.createdBy!, { comparedProposalId: known.id }, () => Promise.resolve());
    return this.proposals.get(ref);
  }

  /** @param end the end of the transaction. */
  private async apply(
    view: View,
    known: TableProposal,
    userId: string,
    purpose: Purpose,
    end: (proposal: TableProposal, batchId: string | undefined) => Promise<void>,
  ): Promise<void> {
    // Before its changes are read. The lock decides.
    if (known.status !== 'pending') throw new ProposalDecidedError(known.status);
    await this.changes.withFiles(view, known, (changes) =>
      this.turns.run(known.workspaceId, known.tables, () =>
        this.engine.run({}, async () => {
          const proposal = await this.proposals.lockPending(known);
          if (proposal.comparedAt.getTime() !== known.comparedAt.getTime())
            throw new ProposalOutdatedError('The proposal was compared again by another request');
          await end(proposal, await this.applier.apply(view, proposal, changes, userId, purpose));
        }),
      ),
    );
  }

  /** Ends proposals that were not decided in time. */
  private async expireAll(): Promise<undefined> {
    for (const key of await this.proposals.listExpired()) await this.engine.run({}, () => this.expire(key));
  }

  private async expire(key: ProposalKey): Promise<void> {
    const proposal = await this.proposals.lock(key);
    // Another instance was faster, or the proposal was decided.
    if (proposal.status !== 'pending') return;
    await this.decide(proposal, { status: 'expired', decidedBy: null, comment: null });
  }

  private async decide(proposal: TableProposal, decision: Decision): Promise<void> {
    await this.proposals.decide(proposal, decision);
    await this.events.recordDecided(proposal, decision);
  }

  /** A proposal whose former values are only those that the caller may read. */
  private async getReadable(ref: LoadRef): Promise<TableProposal> {
    const proposal = await this.proposals.getEntity(ref);
    if (!isComparedFor(ref.view, proposal)) throw new DomainError(PROPOSAL_ERRORS.compared_by_other);
    return proposal;
  }

  private async *toLines(ref: LoadRef, proposal: TableProposal, visible: VisibleColumns): AsyncGenerator<string> {
    const summary = { create: 0, update: 0, delete: 0 };
    for await (const differences of this.readPages(ref, proposal, visible)) {
      for (const { change } of differences) summary[change]++;
      yield differences.map((each) => `${JSON.stringify(each)}\n`).join('');
    }
    yield `${JSON.stringify({ summary })}\n`;
  }

  /** Fails if the proposal is compared again in the meantime: the values may be those of another view. */
  private async *readPages(
    ref: LoadRef,
    proposal: TableProposal,
    visible: VisibleColumns,
  ): AsyncGenerator<ProposedDifference[]> {
    for (const { id, entity: type, name: table } of proposal.tables)
      for await (const rows of this.changes.readPages(proposal, id)) {
        const { comparedAt } = await this.proposals.getEntity(ref);
        if (comparedAt.getTime() !== proposal.comparedAt.getTime())
          throw new ProposalOutdatedError('The proposal was compared again by another request');
        yield rows.map(({ change, key, before, after }) => {
          return { type, table, change, key, columns: compareValues(before ?? {}, after ?? {}, visible.get(id)) };
        });
      }
  }
}
