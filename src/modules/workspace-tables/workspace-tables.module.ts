import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { CatalogRepository } from './catalog/catalog.repository.js';
import { ItemController } from './items/item.controller.js';
import { ItemRepository } from './items/item.repository.js';
import { ItemService } from './items/item.service.js';
import { ItemWriterService } from './items/item-writer.service.js';
import { TableReadsController } from './items/table-reads.controller.js';
import { ColumnIndexBuilder } from './catalog/column-index-builder.js';
import { ColumnIndexesRepository } from './catalog/column-indexes.repository.js';
import { ImportMerge } from './imports/import-merge.js';
import { ImportRecordsService } from './imports/import-records.service.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportSlots } from './imports/import-slots.js';
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
import { RowRulesRepository } from './catalog/row-rules.repository.js';
import { TableAdministrationController } from './catalog/table-administration.controller.js';
import { TableChanges } from './catalog/table-changes.js';
import { StagingRepository } from './imports/staging.repository.js';
import { TableCounts } from './table-counts.js';
import { TableDropsService } from './catalog/table-drops.service.js';
import { FormerTableNamesRepository } from './catalog/former-table-names.repository.js';
import { TableEditsRepository } from './catalog/table-edits.repository.js';
import { TableEditsService } from './catalog/table-edits.service.js';
import { TableLinks } from './rows/table-links.js';
import { TableLocks } from './catalog/table-locks.js';
import { TableRowsRepository } from './rows/table-rows.repository.js';
import { TableRowsService } from './rows/table-rows.service.js';
import { TableLayoutsService } from './catalog/table-layouts.service.js';
import { TableStatisticsService } from './table-statistics.service.js';
import { TablesController } from './catalog/tables.controller.js';
import { TablesRepository } from './catalog/tables.repository.js';
import { TablesService } from './catalog/tables.service.js';
import { TombstoneRemoval } from './rows/tombstone-removal.js';
import { TombstonesRepository } from './rows/tombstones.repository.js';
import { TableWriter } from './bulk/table-writer.js';
import { WorkspaceSchemas } from './catalog/workspace-schemas.js';

/** Workspace master data in tables: pushed in bulk, read back page by page, and looked up by whoever refers to a row. */
@Module({
  imports: [WorkspacesModule],
  controllers: [
    BulkController,
    // Before those that take any entity in their paths.
    ImportsController,
    ItemsController,
    ItemController,
    TableReadsController,
    RenameController,
    TablesController,
    TableAdministrationController,
  ],
  providers: [
    BulkService,
    CatalogRepository,
    ImportMerge,
    ImportRecordsService,
    ImportSlots,
    ImportsService,
    ItemRepository,
    ItemService,
    ItemWriterService,
    ColumnIndexBuilder,
    ColumnIndexesRepository,
    ItemsRepository,
    ItemsService,
    PhysicalTablesRepository,
    RenameRepository,
    RenameService,
    RowExportsService,
    RowPlacesService,
    RowRulesRepository,
    RowTitlesService,
    RowsRepository,
    TableChanges,
    StagingRepository,
    TableCounts,
    TableDropsService,
    FormerTableNamesRepository,
    TableEditsRepository,
    TableEditsService,
    TableLayoutsService,
    TableLinks,
    TableLocks,
    TableRowsRepository,
    TableRowsService,
    TableStatisticsService,
    TablesRepository,
    TablesService,
    TableWriter,
    TombstoneRemoval,
    TombstonesRepository,
    WorkspaceSchemas,
  ],
  exports: [
    BulkService,
    RenameService,
    RowPlacesService,
    TableDropsService,
    TableLayoutsService,
    TableRowsService,
    TableStatisticsService,
  ],
})
export class WorkspaceTablesModule {}
