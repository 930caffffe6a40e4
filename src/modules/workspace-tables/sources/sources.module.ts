import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ParentCyclesRepository } from './parent-cycles.repository.js';
import { RowSources } from './row-sources.js';
import { StagingRepository } from './staging.repository.js';

/** Reads rows of requests and files, and checks them among each other and against the stored rows. */
@Module({
  imports: [CatalogModule],
  providers: [ParentCyclesRepository, RowSources, StagingRepository],
  exports: [ParentCyclesRepository, RowSources],
})
export class SourcesModule {}
