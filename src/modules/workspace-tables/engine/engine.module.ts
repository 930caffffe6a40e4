import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ImportMerge } from './import-merge.js';
import { RowMetrics } from './row-metrics.js';
import { RowsRepository } from './rows.repository.js';
import { StagingRepository } from './staging.repository.js';
import { TableReferences } from './table-references.js';
import { TableWriter } from './table-writer.js';
import { TombstoneCleanup } from './tombstone-cleanup.js';
import { TombstonesRepository } from './tombstones.repository.js';

/** Validates rows, merges them into tables and resolves their references. */
@Module({
  imports: [CatalogModule],
  providers: [
    ImportMerge,
    RowMetrics,
    RowsRepository,
    StagingRepository,
    TableReferences,
    TableWriter,
    TombstoneCleanup,
    TombstonesRepository,
  ],
  exports: [ImportMerge, RowMetrics, RowsRepository, TableWriter, TombstonesRepository],
})
export class EngineModule {}
