import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { chooseByLayout } from '../../../platform/database/database-layout.js';
import { ClusterPhysicalTablesRepository, ClusterTemporaryTablesFactory } from './catalog.cluster.repository.js';
import { CatalogRegistration } from './catalog-registration.js';
import { CatalogRepository } from './catalog.repository.js';
import { CatalogWrites } from './catalog-writes.repository.js';
import { ColumnRulesRepository } from './column-rules.repository.js';
import { ConstraintsRepository } from './constraints.repository.js';
import { FormerTableNamesRepository } from './former-table-names.repository.js';
import { MomentsRepository } from './moments.repository.js';
import { PhysicalTablesRepository } from './physical-tables.repository.js';
import { ReadMoments } from './read-moments.js';
import { ReferenceLookup } from './reference-lookup.js';
import { ReplicaReads } from './replica-reads.js';
import { RowHistory } from './row-history.js';
import { RowsRepository } from './rows.repository.js';
import { TableAudit } from './table-audit.js';
import { TableEventPermissions } from './table-event-permissions.js';
import { TableEvents } from './table-events.js';
import { TableLocks } from './table-locks.js';
import { TablePermissions } from './table-permissions.js';
import { TableTurns } from './table-turns.js';
import { TemporaryTablesFactory } from './temporary-tables.js';

/** The tables and columns of the workspaces: definitions, types, names and locks. */
@Module({
  imports: [AuditModule, EventsModule, WorkspacesModule],
  providers: [
    CatalogRegistration,
    CatalogWrites,
    CatalogRepository,
    ColumnRulesRepository,
    ConstraintsRepository,
    FormerTableNamesRepository,
    MomentsRepository,
    ReadMoments,
    ReferenceLookup,
    ReplicaReads,
    RowHistory,
    RowsRepository,
    TableAudit,
    TableEventPermissions,
    TableEvents,
    TableLocks,
    TablePermissions,
    TableTurns,
    chooseByLayout(PhysicalTablesRepository, { onCluster: ClusterPhysicalTablesRepository }),
    chooseByLayout(TemporaryTablesFactory, { onCluster: ClusterTemporaryTablesFactory }),
  ],
  exports: [
    CatalogRepository,
    CatalogWrites,
    ColumnRulesRepository,
    ConstraintsRepository,
    FormerTableNamesRepository,
    PhysicalTablesRepository,
    ReadMoments,
    ReferenceLookup,
    ReplicaReads,
    RowHistory,
    RowsRepository,
    TableAudit,
    TableEvents,
    TableLocks,
    TablePermissions,
    TableTurns,
    TemporaryTablesFactory,
  ],
})
export class CatalogModule {}
