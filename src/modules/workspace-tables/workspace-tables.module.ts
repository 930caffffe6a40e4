import { Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Application } from 'express';
import { restrictPathParameter } from '../../platform/http/path-parameters.js';
import { AdminModule } from './admin/admin.module.js';
import { BatchesModule } from './batches/batches.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { ENTITY_BY_PATH } from './catalog/entity-kind.js';
import { ImportsModule } from './imports/imports.module.js';
import { ProposalsModule } from './proposals/proposals.module.js';
import { QueryModule } from './query/query.module.js';
import { RowHistoryModule } from './row-history/row-history.module.js';
import { RowsModule } from './rows/rows.module.js';

/** Workspace master data in tables. The README.md of this folder explains the sub-modules. */
@Module({
  imports: [
    BatchesModule,
    BulkModule,
    ImportsModule,
    ProposalsModule,
    QueryModule,
    RowHistoryModule,
    RowsModule,
    AdminModule,
  ],
  exports: [BulkModule, QueryModule, RowsModule, AdminModule],
})
export class WorkspaceTablesModule implements OnModuleInit {
  constructor(private readonly http: HttpAdapterHost) {}

  /** Otherwise `cw/{entity}` and `cw/{entity}/{table}` would match `cw/bulk` and `cw/imports/{id}`, too. */
  onModuleInit(): void {
    restrictPathParameter(this.http.httpAdapter.getInstance<Application>(), 'entity', Object.keys(ENTITY_BY_PATH));
  }
}
