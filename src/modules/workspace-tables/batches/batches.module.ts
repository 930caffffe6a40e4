import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { HistoryModule } from '../history/history.module.js';
import { SourcesModule } from '../sources/sources.module.js';
import { BatchesController } from './batches.controller.js';
import { BatchesRepository } from './batches.repository.js';
import { BatchRowsRepository } from './batch-rows.repository.js';
import { UndoPermissions } from './undo-permissions.js';
import { UndoPlanRepository } from './undo-plan.repository.js';
import { UndoService } from './undo.service.js';

/** Batches: the requests that wrote rows, and their undo. */
@Module({
  imports: [CatalogModule, HistoryModule, SourcesModule],
  controllers: [BatchesController],
  providers: [BatchesRepository, BatchRowsRepository, UndoPermissions, UndoPlanRepository, UndoService],
  exports: [UndoService],
})
export class BatchesModule {}
