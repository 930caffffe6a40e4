import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { RenameRepository } from './rename.repository.js';
import { RenameService } from './rename.service.js';
import { RowWriterService } from './row-writer.service.js';
import { RowController } from './row.controller.js';
import { RowService } from './row.service.js';

/** Single rows: read, write, delete, rename. */
@Module({
  imports: [CatalogModule, EngineModule],
  controllers: [RowController],
  providers: [RenameRepository, RenameService, RowService, RowWriterService],
  exports: [RenameService, RowService],
})
export class RowsModule {}
