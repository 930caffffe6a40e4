import { type FactoryProvider, Module, type OnModuleInit } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { isConcurrentDrop, TableChangedError } from '../../../../packages/tables/src/catalog/tables.errors.js';
import { ApprovalGate } from '../../../../packages/tables/src/history/batch-recorder.js';
import { TableLog } from '../../../../packages/tables/src/history/table-log.js';
import { Tables } from '../../../../packages/tables/src/tables.js';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { RecordCounters } from '../../../records/record-counters.js';
import { AuditModule } from '../../audit/audit.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { callerView } from '../catalog/caller-view.js';
import {
  ClusterPhysicalTablesRepository,
  ClusterTemporaryTablesFactory,
} from '../catalog/catalog.cluster.repository.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { TableEventPermissions } from '../catalog/table-event-permissions.js';
import { TableLocks } from '../catalog/table-locks.js';
import { TableTurns } from '../catalog/table-turns.js';
import { EventTableLog } from '../history/event-table-log.js';
import { FormerRowsCleanup } from '../history/former-rows-cleanup.repository.js';
import { ProposalEvents } from '../history/proposal-events.js';
import { ProposalGate } from '../history/proposal-gate.js';
import { ProposalsRepository } from '../history/proposals.repository.js';
import { TombstoneCleanup } from '../history/tombstone-cleanup.repository.js';
import { RowMetrics } from '../history/row-metrics.js';

const tables: FactoryProvider<Tables> = {
  provide: Tables,
  inject: [Sql, Config, Jobs, TableLog, ApprovalGate],
  useFactory: (sql: Sql, config: Config, jobs: Jobs, log: TableLog, gate: ApprovalGate) =>
    new Tables(sql, {
      limits: { ...config.tables, statementTimeoutMs: config.database.statementTimeoutMs },
      log,
      gate,
      onIndexRequested: () => jobs.wakeAfterCommit(),
      physicalTables: sql.isDistributed ? ClusterPhysicalTablesRepository : undefined,
      temporaryTables: sql.isDistributed ? ClusterTemporaryTablesFactory : undefined,
    }),
};

/** The parts of the engine that the services of this module use. */
const PARTS = Object.entries(Tables.parts).map(([name, provide]) => ({
  provide,
  inject: [Tables],
  useFactory: (engine: Tables) => engine[name as keyof typeof Tables.parts],
}));

/** The engine of tables (`packages/tables`), and what connects it with this service: events, approval, turns, jobs. */
@Module({
  imports: [AuditModule, EventsModule, WorkspacesModule],
  providers: [
    tables,
    ...PARTS,
    { provide: ApprovalGate, useClass: ProposalGate },
    { provide: TableLog, useClass: EventTableLog },
    FormerRowsCleanup,
    ProposalEvents,
    ProposalsRepository,
    ReplicaReads,
    RowMetrics,
    TableEventPermissions,
    TableLocks,
    {
      provide: TableTurns,
      inject: [Sql, CatalogRepository, Config],
      useFactory: (sql: Sql, catalog: CatalogRepository, { database }: Config) =>
        new TableTurns(sql, catalog, database),
    },
    TombstoneCleanup,
  ],
  exports: [
    ...PARTS.map(({ provide }) => provide),
    ProposalEvents,
    ProposalsRepository,
    ReplicaReads,
    RowMetrics,
    TableLocks,
    TableLog,
    TableTurns,
  ],
})
export class EngineModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly tables: Tables,
    private readonly workspaces: WorkspacesService,
    private readonly counters: RecordCounters,
  ) {}

  /** Registers with lower layers: schemas of new workspaces, numbers of tables, errors to retry. */
  onModuleInit(): void {
    const { catalog, physical } = this.tables;
    this.database.retryOn(isConcurrentDrop, (cause) => new TableChangedError(cause));
    this.workspaces.register((workspaceId) => physical.createSchema(workspaceId));
    this.counters.register('workspace', 'tables', (ids) => catalog.countByWorkspace(ids.map(callerView)));
  }
}
