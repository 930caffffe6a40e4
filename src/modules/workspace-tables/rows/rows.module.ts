import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { HistoryModule } from '../history/history.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { RenameChecks } from './rename-checks.js';
import { RenameRepository } from './rename.repository.js';
import { RenameService } from './rename.service.js';
import { WriteRowService } from './write-row.service.js';
import { RowController } from './row.controller.js';
import { ReadRowService } from './read-row.service.js';

/** Single rows: read, write, delete, rename. */
@Module({
  imports: [CatalogModule, EngineModule, HistoryModule],
  controllers: [RowController],
  providers: [RenameChecks, RenameRepository, RenameService, ReadRowService, WriteRowService],
  exports: [RenameService, ReadRowService],
})
export class RowsModule {}
