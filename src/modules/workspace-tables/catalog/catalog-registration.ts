import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { RecordCounters } from '../../../records/record-counters.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { TableChangedError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { isConcurrentDrop } from '../../../../packages/tables/src/catalog/concurrent-drop.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { callerView } from './caller-view.js';

/** Registers the catalog with lower layers: schemas of new workspaces, numbers of tables, errors to retry. */
@Injectable()
export class CatalogRegistration implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly physical: PhysicalTablesRepository,
    private readonly workspaces: WorkspacesService,
    private readonly counters: RecordCounters,
  ) {}

  onModuleInit(): void {
    this.database.retryOn(isConcurrentDrop, (cause) => new TableChangedError(cause));
    this.workspaces.register((workspaceId) => this.physical.createSchema(workspaceId));
    this.counters.register('workspace', 'tables', (ids) => this.catalog.countByWorkspace(ids.map(callerView)));
  }
}
