import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { BulkBodyReader } from './bulk-body-reader.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';
import { DeleteRowsController } from './delete-rows.controller.js';
import { DeleteRowsService } from './delete-rows.service.js';

/** Bulk requests (specification, section 4.4), and deletions of many rows. */
@Module({
  imports: [CatalogModule, EngineModule],
  controllers: [BulkController, DeleteRowsController],
  providers: [BulkBodyReader, BulkService, DeleteRowsService],
  exports: [BulkService],
})
export class BulkModule {}
