import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { CatalogRepository } from './catalog/catalog.repository.js';
import { ImportMerge } from './imports/import-merge.js';
import { ImportRecordsService } from './imports/import-records.service.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { ItemsController } from './items/items.controller.js';
import { ItemsRepository } from './items/items.repository.js';
import { ItemsService } from './items/items.service.js';
import { PhysicalTablesRepository } from './catalog/physical-tables.repository.js';
import { RenameController } from './items/rename.controller.js';
import { RenameRepository } from './items/rename.repository.js';
import { RenameService } from './items/rename.service.js';
import { RowExportsService } from './items/row-exports.service.js';
import { RowPlacesService } from './rows/row-places.service.js';
import { RowTitlesService } from './rows/row-titles.service.js';
import { RowsRepository } from './rows/rows.repository.js';
import { StagingRepository } from './imports/staging.repository.js';
import { TableCounts } from './table-counts.js';
import { TableLinks } from './rows/table-links.js';
import { TableRowsRepository } from './rows/table-rows.repository.js';
import { TableRowsService } from './rows/table-rows.service.js';
import { TableLayoutsService } from './catalog/table-layouts.service.js';
import { TableStatisticsService } from './table-statistics.service.js';
import { TombstoneRemoval } from './rows/tombstone-removal.js';
import { TombstonesRepository } from './rows/tombstones.repository.js';
import { TableWriter } from './bulk/table-writer.js';
import { WorkspaceSchemas } from './catalog/workspace-schemas.js';

/** Workspace master data in tables: pushed in bulk, read back page by page, and looked up by whoever refers to a row. */
@Module({
  imports: [WorkspacesModule],
  controllers: [BulkController, ImportsController, ItemsController, RenameController],
  providers: [
    BulkService,
    CatalogRepository,
    ImportMerge,
    ImportRecordsService,
    ImportsService,
    ItemsRepository,
    ItemsService,
    PhysicalTablesRepository,
    RenameRepository,
    RenameService,
    RowExportsService,
    RowPlacesService,
    RowTitlesService,
    RowsRepository,
    StagingRepository,
    TableCounts,
    TableLayoutsService,
    TableLinks,
    TableRowsRepository,
    TableRowsService,
    TableStatisticsService,
    TableWriter,
    TombstoneRemoval,
    TombstonesRepository,
    WorkspaceSchemas,
  ],
  exports: [
    BulkService,
    RenameService,
    RowPlacesService,
    TableLayoutsService,
    TableRowsService,
    TableStatisticsService,
  ],
})
export class WorkspaceTablesModule {}
