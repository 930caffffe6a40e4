import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { BatchRecorder } from './batch-recorder.js';
import { BatchRecords } from './batch-records.repository.js';
import { PreviousRows } from './previous-rows.repository.js';
import { TombstoneCleanup } from './tombstone-cleanup.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** What remains of rows that were changed or deleted: records of batches, previous rows and tombstones. */
@Module({
  imports: [CatalogModule],
  providers: [BatchRecorder, BatchRecords, PreviousRows, TombstoneCleanup, TombstonesRepository],
  exports: [BatchRecorder, BatchRecords, TombstonesRepository],
})
export class HistoryModule {}
