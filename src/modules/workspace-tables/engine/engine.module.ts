import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EventsModule } from '../../events/events.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ApprovalGate } from '../history/approval-gate.js';
import { BatchRecorder } from '../history/batch-recorder.js';
import { BatchRecords } from '../history/batch-records.repository.js';
import { FormerRowsCleanup } from '../history/former-rows-cleanup.repository.js';
import { EventTableLog } from '../history/event-table-log.js';
import { OldTombstonesRepository } from '../history/old-tombstones.repository.js';
import { ProposalEvents } from '../history/proposal-events.js';
import { ProposalGate } from '../history/proposal-gate.js';
import { ProposalsRepository } from '../history/proposals.repository.js';
import { RevisionsRepository } from '../history/revisions.repository.js';
import { RowWriter } from '../history/row-writer.repository.js';
import { TableLog } from '../history/table-log.js';
import { TombstoneCleanup } from '../history/tombstone-cleanup.js';
import { ParentCyclesRepository } from '../sources/parent-cycles.repository.js';
import { RowSources } from '../sources/row-sources.js';
import { StagingRepository } from '../sources/staging.repository.js';
import { DeletionEngine } from './deletion-engine.js';
import { ConstraintChecks } from './constraint-checks.js';
import { MergeEngine } from './merge-engine.js';
import { MergeWriter } from './merge-writer.js';
import { MergedColumns } from './merged-columns.js';
import { PolicyChecks } from './policy-checks.js';
import { Replacer } from './replacer.js';
import { RowMetrics } from './row-metrics.js';
import { RowRequests } from './row-requests.js';
import { TablePlanner } from './table-planner.js';

/** Reads the rows of requests and files, writes rows into tables, deletes them, and records what it has changed. */
@Module({
  imports: [AuditModule, CatalogModule, EventsModule],
  providers: [
    // engine
    ConstraintChecks,
    DeletionEngine,
    MergeEngine,
    MergeWriter,
    MergedColumns,
    PolicyChecks,
    Replacer,
    RowMetrics,
    RowRequests,
    TablePlanner,
    // history
    { provide: ApprovalGate, useClass: ProposalGate },
    { provide: TableLog, useClass: EventTableLog },
    BatchRecorder,
    BatchRecords,
    FormerRowsCleanup,
    OldTombstonesRepository,
    ProposalEvents,
    ProposalsRepository,
    RevisionsRepository,
    TombstoneCleanup,
    RowWriter,
    // sources
    ParentCyclesRepository,
    RowSources,
    StagingRepository,
  ],
  exports: [
    // engine
    DeletionEngine,
    MergeEngine,
    RowMetrics,
    RowRequests,
    // history
    BatchRecorder,
    BatchRecords,
    ProposalEvents,
    ProposalsRepository,
    RevisionsRepository,
    RowWriter,
    // sources
    ParentCyclesRepository,
    RowSources,
  ],
})
export class EngineModule {}
