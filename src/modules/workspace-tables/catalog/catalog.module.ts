import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { CatalogRepository } from './catalog.repository.js';
import { FormerTableNamesRepository } from './former-table-names.repository.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';
import { TableCounter } from './table-counter.js';
import { TableLocks } from './table-locks.js';
import { WorkspaceSchemas } from './workspace-schemas.js';

/** Tables and columns of the workspaces: definitions, names, types and locks. */
@Module({
  imports: [WorkspacesModule],
  providers: [
    CatalogRepository,
    FormerTableNamesRepository,
    PhysicalTablesRepository,
    TableCounter,
    TableLocks,
    WorkspaceSchemas,
  ],
  exports: [CatalogRepository, FormerTableNamesRepository, PhysicalTablesRepository, TableLocks],
})
export class CatalogModule {}
