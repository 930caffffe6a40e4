import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { EngineModule } from '../engine/engine.module.js';
import { BulkBodyReader } from './bulk-body-reader.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';

/** Bulk requests (specification, section 4.4). */
@Module({
  imports: [CatalogModule, EngineModule],
  controllers: [BulkController],
  providers: [BulkBodyReader, BulkService],
  exports: [BulkService],
})
export class BulkModule {}
