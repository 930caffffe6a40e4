import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AuditKind, AuditLog } from '../../audit/audit-log.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { EventsService } from '../../events/events.service.js';
import { selectOwnEvents } from '../catalog/own-loads.repository.js';
import { LoadApprovedDto, LoadExpiredDto, LoadProposedDto, LoadRejectedDto } from './dto/proposal-events.dto.js';
import type { Decision } from './proposals.repository.js';
import type { TableProposal } from './table-proposal.entity.js';

type Recorded = Pick<TableProposal, 'workspaceId' | 'id'> & Partial<TableProposal>;

const DECISION_KINDS = {
  approved: 'load_approved',
  rejected: 'load_rejected',
  expired: 'load_expired',
} as const satisfies Record<Decision['status'], AuditKind>;

/**
 * Records the events of loads that wait for approval, and their entries in the audit log, in the transaction that
 * causes them.
 */
@Injectable()
export class ProposalEvents implements OnModuleInit {
  constructor(
    private readonly events: EventsService,
    private readonly audit: AuditLog,
    private readonly sql: Sql,
  ) {}

  /** Callers with an access policy read only the events of their own loads. */
  onModuleInit(): void {
    for (const dto of [LoadProposedDto, LoadApprovedDto, LoadRejectedDto, LoadExpiredDto])
      this.events.restrict(dto, (workspaceId, data) => {
        const ids = (data as LoadProposedDto[]).map(({ proposalId }) => proposalId);
        return selectOwnEvents(this.sql, 'table_proposals', workspaceId, data, ids);
      });
  }

  async recordProposed(proposal: Recorded): Promise<void> {
    await this.recordEntry('load_proposed', proposal);
    await this.events.record(proposal.workspaceId, LoadProposedDto, toEvent(proposal));
  }

  async recordDecided(proposal: TableProposal, { status, comment, batchId }: Decision): Promise<void> {
    const { workspaceId } = proposal;
    const event = toEvent(proposal);
    await this.recordEntry(DECISION_KINDS[status], proposal, { comment, batchId });
    if (status === 'approved')
      return this.events.record(workspaceId, LoadApprovedDto, { ...event, comment, batchId: batchId! });
    if (status === 'rejected') return this.events.record(workspaceId, LoadRejectedDto, { ...event, comment });
    return this.events.record(workspaceId, LoadExpiredDto, event);
  }

  private recordEntry(kind: AuditKind, proposal: Recorded, decision: object = {}): Promise<void> {
    const { proposalId, source, tables: changed } = toEvent(proposal);
    const tables = changed.map(({ counts, ...table }) => ({ ...table, ...counts }));
    const details = { source, proposalId, importId: proposal.importId ?? undefined, ...decision, tables };
    return this.audit.record({ kind, workspaceId: proposal.workspaceId, details });
  }
}

function toEvent({ id: proposalId, source, tables = [], createdBy = null }: Recorded): LoadProposedDto {
  const named = tables.map(({ id, entity, name, counts }) => ({ id, entity, name, counts }));
  return { proposalId, source: source!, tables: named, createdBy };
}
