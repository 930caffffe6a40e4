import { Module, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { CatalogRepository } from './catalog.repository.js';
import { isConcurrentDrop, TableChangedError } from './concurrent-drop.js';
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
export class CatalogModule implements OnModuleInit {
  constructor(private readonly database: Database) {}

  onModuleInit(): void {
    this.database.retryOn(isConcurrentDrop, (cause) => new TableChangedError(cause));
  }
}
