import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BulkController } from './bulk.controller.js';
import { BulkService } from './bulk.service.js';
import { CatalogRepository } from './catalog.repository.js';
import { ItemsController } from './items.controller.js';
import { ItemsRepository } from './items.repository.js';
import { ItemsService } from './items.service.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';
import { RenameController } from './rename.controller.js';
import { RenameRepository } from './rename.repository.js';
import { RenameService } from './rename.service.js';
import { RowPlacesService } from './row-places.service.js';
import { RowsRepository } from './rows.repository.js';
import { TableCounts } from './table-counts.js';
import { TableLinks } from './table-links.js';
import { TableRowsRepository } from './table-rows.repository.js';
import { TableRowsService } from './table-rows.service.js';
import { TableStatisticsService } from './table-statistics.service.js';
import { TableWriter } from './table-writer.js';
import { WorkspaceSchemas } from './workspace-schemas.js';

/** Workspace master data in tables: pushed in bulk, read back page by page, and looked up by whoever refers to a row. */
@Module({
  imports: [WorkspacesModule],
  controllers: [BulkController, ItemsController, RenameController],
  providers: [
    BulkService,
    CatalogRepository,
    ItemsRepository,
    ItemsService,
    PhysicalTablesRepository,
    RenameRepository,
    RenameService,
    RowPlacesService,
    RowsRepository,
    TableCounts,
    TableLinks,
    TableRowsRepository,
    TableRowsService,
    TableStatisticsService,
    TableWriter,
    WorkspaceSchemas,
  ],
  exports: [BulkService, RenameService, RowPlacesService, TableRowsService, TableStatisticsService],
})
export class WorkspaceTablesModule {}
