import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { ProposalEvents } from '../history/proposal-events.js';
import { EXPIRED_PROPOSALS, ProposalsRepository } from '../history/proposals.repository.js';
import type { ProposalKey } from '../history/table-proposal.entity.js';

/** Ends proposals that were not decided in time, and deletes old ones. */
@Injectable()
export class ProposalExpiry implements OnModuleInit {
  constructor(
    private readonly sql: Sql,
    private readonly proposals: ProposalsRepository,
    private readonly events: ProposalEvents,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.processQueue({ name: 'Expiring proposals', due: EXPIRED_PROPOSALS, run: () => this.expireAll() });
    this.jobs.cleanUp('proposals', (batch) => this.proposals.deleteOld(batch));
  }

  private async expireAll(): Promise<undefined> {
    for (const key of await this.proposals.listExpired()) await this.sql.transaction(() => this.expire(key));
  }

  private async expire(key: ProposalKey): Promise<void> {
    const proposal = await this.proposals.lock(key);
    // Another instance was faster, or the proposal was decided.
    if (proposal.status !== 'pending') return;
    const decision = { status: 'expired', decidedBy: null, comment: null } as const;
    await this.proposals.decide(proposal, decision);
    await this.events.recordDecided(proposal, decision);
  }
}
