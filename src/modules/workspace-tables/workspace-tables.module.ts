import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';
import { CatalogRepository } from './catalog.repository.js';
import { ItemsController } from './items.controller.js';
import { ItemsRepository } from './items.repository.js';
import { ItemsService } from './items.service.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';
import { RowsRepository } from './rows.repository.js';
import { TableLinks } from './table-links.js';
import { TableWriter } from './table-writer.js';
import { WorkspaceSchemas } from './workspace-schemas.js';

/** Workspace master data in tables: pushed in bulk, read back page by page. */
@Module({
  imports: [WorkspacesModule],
  controllers: [BulkController, ItemsController],
  providers: [
    BulkService,
    CatalogRepository,
    ItemsRepository,
    ItemsService,
    PhysicalTablesRepository,
    RowsRepository,
    TableLinks,
    TableWriter,
    WorkspaceSchemas,
  ],
  exports: [BulkService],
})
export class WorkspaceTablesModule {}
