import { Module } from '@nestjs/common';
import { AdminModule } from './admin/admin.module.js';
import { BulkModule } from './bulk/bulk.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { QueryModule } from './query/query.module.js';
import { RowsModule } from './rows/rows.module.js';

/** Workspace master data in tables. The README.md of this folder explains the sub-modules. */
@Module({
  // Routes are matched in this order: the paths of bulk and imports precede those that take any entity.
  imports: [BulkModule, ImportsModule, QueryModule, RowsModule, AdminModule],
  exports: [BulkModule, QueryModule, RowsModule, AdminModule],
})
export class WorkspaceTablesModule {}
