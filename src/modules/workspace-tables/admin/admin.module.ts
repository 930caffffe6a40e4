import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { AccessPoliciesModule } from '../../access-policies/access-policies.module.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { ColumnIndexBuilder } from './column-index-builder.js';
import { ColumnIndexesRepository } from './column-indexes.repository.js';
import { CompositeIndexesService } from './composite-indexes.service.js';
import { DescribeTablesRepository } from './describe-tables.repository.js';
import { DescribeTablesService } from './describe-tables.service.js';
import { DropTablesService } from './drop-tables.service.js';
import { EditTablesService } from './edit-tables.service.js';
import { HistoryMetrics } from './history-metrics.js';
import { IndexMetrics } from './index-metrics.js';
import { PolicyReferences } from './policy-references.js';
import { TableDefinitions } from './table-definitions.js';
import { TableEditPlans } from './table-edit-plans.js';
import { TableRevisionsRepository } from './table-revisions.repository.js';
import { TableRevisionsService } from './table-revisions.service.js';
import { TablesController } from './tables.controller.js';

/** Administration of tables: list, describe, edit and drop tables and columns, build indexes. */
@Module({
  imports: [AccessPoliciesModule, AuditModule, CatalogModule],
  controllers: [TablesController],
  providers: [
    ColumnIndexBuilder,
    ColumnIndexesRepository,
    CompositeIndexesService,
    DescribeTablesRepository,
    DescribeTablesService,
    DropTablesService,
    EditTablesService,
    HistoryMetrics,
    PolicyReferences,
    IndexMetrics,
    TableDefinitions,
    TableEditPlans,
    TableRevisionsRepository,
    TableRevisionsService,
  ],
  exports: [DropTablesService, EditTablesService, TableRevisionsService],
})
export class AdminModule {}
