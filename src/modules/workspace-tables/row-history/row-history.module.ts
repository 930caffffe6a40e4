import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { QueryModule } from '../query/query.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { DifferencesService } from './differences.service.js';
import { RestoreService } from './restore.service.js';
import { RestoredRowsRepository } from './restored-rows.repository.js';
import { RowHistoryController } from './row-history.controller.js';
import { RowHistoryService } from './row-history.service.js';
import { RowVersionsRepository } from './row-versions.repository.js';

/** Former rows: the changes of a row, the differences between two moments, restoration. */
@Module({
  imports: [CatalogModule, EngineModule, QueryModule],
  controllers: [RowHistoryController],
  providers: [DifferencesService, RestoreService, RestoredRowsRepository, RowHistoryService, RowVersionsRepository],
})
export class RowHistoryModule {}
