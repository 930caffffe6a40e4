import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import { restrictPathParameter } from '../../platform/http/path-parameters.js';
import { AccessPoliciesModule } from '../access-policies/access-policies.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ColumnIndexBuilder } from './admin/column-index-builder.js';
import { ColumnIndexesRepository } from './admin/column-indexes.repository.js';
import { CompositeIndexesService } from './admin/composite-indexes.service.js';
import { DescribeTablesRepository } from './admin/describe-tables.repository.js';
import { DescribeTablesService } from './admin/describe-tables.service.js';
import { DropTablesService } from './admin/drop-tables.service.js';
import { EditTablesService } from './admin/edit-tables.service.js';
import { PolicyReferences } from './admin/policy-references.js';
import { StoredTablesService } from './admin/stored-tables.service.js';
import { TableDefinitions } from './admin/table-definitions.js';
import { TableEditPlans } from './admin/table-edit-plans.js';
import { TableMetrics } from './admin/table-metrics.js';
import { TablesController } from './admin/tables.controller.js';
import { BatchesController } from './batches/batches.controller.js';
import { BatchesRepository } from './batches/batches.repository.js';
import { UndoPermissions } from './batches/undo-permissions.repository.js';
import { UndoService } from './batches/undo.service.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { DeleteRowsController } from './bulk/delete-rows.controller.js';
import { DeleteRowsService } from './bulk/delete-rows.service.js';
import { ENTITY_BY_PATH } from '../../../packages/tables/src/catalog/entity-kind.js';
import { EngineModule } from './engine/engine.module.js';
import { CompareService } from './imports/compare.service.js';
import { ErrorLog } from './imports/error-log.js';
import { ImportReceiver } from './imports/import-receiver.js';
import { ImportRecordsRepository } from './imports/import-records.repository.js';
import { ImportSlots } from './imports/import-slots.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { ProposalApplier } from './proposals/proposal-applier.js';
import { ProposalChanges } from './proposals/proposal-changes.js';
import { ProposalsController } from './proposals/proposals.controller.js';
import { ProposalsService } from './proposals/proposals.service.js';
import { ProposeRowsService } from './proposals/propose-rows.service.js';
import { QueryModule } from './query/query.module.js';
import { DifferencesService } from './row-history/differences.service.js';
import { RestoreService } from './row-history/restore.service.js';
import { RowHistoryController } from './row-history/row-history.controller.js';
import { RowHistoryService } from './row-history/row-history.service.js';
import { ReadRowService } from './rows/read-row.service.js';
import { RenameChecks } from './rows/rename-checks.js';
import { RenameRepository } from './rows/rename.repository.js';
import { RenameService } from './rows/rename.service.js';
import { RowController } from './rows/row.controller.js';
import { RowRequests } from './rows/row-requests.js';
import { WriteRowService } from './rows/write-row.service.js';

/**
 * Workspace master data in tables. This module has the use cases; it imports the modules of the catalog, of the engine,
 * and of queries. The README.md of this folder explains the folders.
 */
@Module({
  imports: [AccessPoliciesModule, AuditModule, EngineModule, EventsModule, QueryModule],
  controllers: [
    BatchesController,
    BulkController,
    DeleteRowsController,
    ImportsController,
    ProposalsController,
    RowHistoryController,
    RowController,
    TablesController,
  ],
  providers: [
    // batches
    BatchesRepository,
    UndoPermissions,
    UndoService,
    // bulk
    BulkService,
    DeleteRowsService,
    // imports
    CompareService,
    ErrorLog,
    ImportRecordsRepository,
    ImportReceiver,
    ImportSlots,
    ImportsService,
    // proposals
    ProposalApplier,
    ProposalChanges,
    ProposalsService,
    ProposeRowsService,
    // row-history
    DifferencesService,
    RestoreService,
    RowHistoryService,
    // rows
    RenameChecks,
    RenameRepository,
    RenameService,
    ReadRowService,
    RowRequests,
    WriteRowService,
    // admin
    ColumnIndexBuilder,
    ColumnIndexesRepository,
    CompositeIndexesService,
    DescribeTablesRepository,
    DescribeTablesService,
    DropTablesService,
    EditTablesService,
    PolicyReferences,
    StoredTablesService,
    TableDefinitions,
    TableEditPlans,
    TableMetrics,
  ],
  exports: [
    BulkService,
    DescribeTablesService,
    DropTablesService,
    EditTablesService,
    ProposalsService,
    ProposeRowsService,
    QueryModule,
    ReadRowService,
    RenameService,
    RowHistoryService,
    StoredTablesService,
  ],
})
export class WorkspaceTablesModule implements OnModuleInit {
  constructor(private readonly http: HttpAdapterHost) {}

  /** Otherwise `cw/{entity}` and `cw/{entity}/{table}` would match `cw/bulk` and `cw/imports/{id}`, too. */
  onModuleInit(): void {
    restrictPathParameter(this.http.httpAdapter.getInstance<Application>(), 'entity', Object.keys(ENTITY_BY_PATH));
  }
}
