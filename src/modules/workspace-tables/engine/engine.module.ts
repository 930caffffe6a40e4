import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { BatchRecorder } from './batch-recorder.js';
import { BatchRecords } from './batch-records.repository.js';
import { DeletionEngine } from './deletion-engine.js';
import { MergeEngine } from './merge-engine.js';
import { MergeRepository } from './merge.repository.js';
import { MergedColumns } from './merged-columns.js';
import { PreviousRows } from './previous-rows.repository.js';
import { Replacer } from './replacer.js';
import { RowMetrics } from './row-metrics.js';
import { RowSources } from './row-sources.js';
import { RowWriter } from './row-writer.js';
import { StagingRepository } from './staging.repository.js';
import { TombstoneCleanup } from './tombstone-cleanup.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** Validates rows, merges them into tables and resolves their references. */
@Module({
  imports: [CatalogModule],
  providers: [
    BatchRecorder,
    BatchRecords,
    DeletionEngine,
    MergeEngine,
    MergeRepository,
    MergedColumns,
    PreviousRows,
    Replacer,
    RowMetrics,
    RowSources,
    RowWriter,
    StagingRepository,
    TombstoneCleanup,
    TombstonesRepository,
  ],
  exports: [BatchRecorder, DeletionEngine, MergeEngine, RowMetrics, RowWriter, TombstonesRepository],
})
export class EngineModule {}
