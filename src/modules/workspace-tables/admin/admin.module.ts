import { Module } from '@nestjs/common';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ColumnIndexBuilder } from './column-index-builder.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';
import { RowRulesRepository } from './row-rules.repository.js';
import { TableAdministrationController } from './table-administration.controller.js';
import { TableChanges } from './table-changes.js';
import { TableDropsService } from './table-drops.service.js';
import { TableEditsRepository } from './table-edits.repository.js';
import { TableEditsService } from './table-edits.service.js';
import { TableLayoutsService } from './table-layouts.service.js';
import { TablesController } from './tables.controller.js';
import { TablesRepository } from './tables.repository.js';
import { TablesService } from './tables.service.js';

/** Administration of tables: list, describe, edit and drop tables and columns, build indexes, upgrade layouts. */
@Module({
  imports: [CatalogModule],
  controllers: [TablesController, TableAdministrationController],
  providers: [
    ColumnIndexBuilder,
    ColumnIndexesRepository,
    RowRulesRepository,
    TableChanges,
    TableDropsService,
    TableEditsRepository,
    TableEditsService,
    TableLayoutsService,
    TablesRepository,
    TablesService,
  ],
  exports: [TableDropsService, TableLayoutsService],
})
export class AdminModule {}
