import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EventsModule } from '../../events/events.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ApprovalGate } from './approval-gate.js';
import { BatchRecorder } from './batch-recorder.js';
import { BatchRecords } from './batch-records.repository.js';
import { OldTombstonesRepository } from './old-tombstones.repository.js';
import { FormerRowsCleanup } from './former-rows-cleanup.repository.js';
import { ProposalEvents } from './proposal-events.js';
import { ProposalsRepository } from './proposals.repository.js';
import { RevisionsRepository } from './revisions.repository.js';
import { TombstoneCleanup } from './tombstone-cleanup.js';
import { RowWriter } from './row-writer.repository.js';

/** Records of loads and former rows: batches, proposals, revisions, former rows and tombstones. */
@Module({
  imports: [AuditModule, CatalogModule, EventsModule],
  providers: [
    ApprovalGate,
    BatchRecorder,
    BatchRecords,
    FormerRowsCleanup,
    OldTombstonesRepository,
    ProposalEvents,
    ProposalsRepository,
    RevisionsRepository,
    TombstoneCleanup,
    RowWriter,
  ],
  exports: [BatchRecorder, BatchRecords, ProposalEvents, ProposalsRepository, RevisionsRepository, RowWriter],
})
export class HistoryModule {}
