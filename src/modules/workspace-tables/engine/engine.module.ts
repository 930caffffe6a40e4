import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { HistoryModule } from '../history/history.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { DeletionEngine } from './deletion-engine.js';
import { ConstraintChecks } from './constraint-checks.js';
import { MergeEngine } from './merge-engine.js';
import { MergeWriter } from './merge-writer.js';
import { MergedColumns } from './merged-columns.js';
import { PermittedRowsRepository } from './permitted-rows.repository.js';
import { PolicyChecks } from './policy-checks.js';
import { Replacer } from './replacer.js';
import { RowMetrics } from './row-metrics.js';
import { RowRequests } from './row-requests.js';

/** Writes rows into tables, and deletes them. */
@Module({
  imports: [CatalogModule, EventsModule, HistoryModule, SourcesModule],
  providers: [
    ConstraintChecks,
    DeletionEngine,
    MergeEngine,
    MergeWriter,
    MergedColumns,
    PermittedRowsRepository,
    PolicyChecks,
    Replacer,
    RowMetrics,
    RowRequests,
  ],
  exports: [DeletionEngine, MergeEngine, PermittedRowsRepository, RowMetrics, RowRequests],
})
export class EngineModule {}
