import { Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { QueryModule } from './query/query.module.js';
import { RowsModule } from './rows/rows.module.js';

/** Workspace master data in tables. The README.md of this folder explains the sub-modules. */
@Module({
  // Express matches routes in this order: `cw/imports` and `cw/imports/{id}` must precede `cw/{entity}` and `cw/{entity}/{table}`.
  imports: [BulkModule, ImportsModule, QueryModule, RowsModule, AdminModule],
  exports: [BulkModule, QueryModule, RowsModule, AdminModule],
})
export class WorkspaceTablesModule {}
