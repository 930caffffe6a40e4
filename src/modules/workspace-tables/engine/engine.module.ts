import { type FactoryProvider, Module, type Type } from '@nestjs/common';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { CatalogWrites } from '../../../../packages/tables/src/catalog/catalog-writes.repository.js';
import { ColumnRulesRepository } from '../../../../packages/tables/src/catalog/column-rules.repository.js';
import { ConstraintsRepository } from '../../../../packages/tables/src/catalog/constraints.repository.js';
import { FormerTableNamesRepository } from '../../../../packages/tables/src/catalog/former-table-names.repository.js';
import { PhysicalTablesRepository } from '../../../../packages/tables/src/catalog/physical-tables.repository.js';
import { ReadMoments } from '../../../../packages/tables/src/catalog/read-moments.repository.js';
import { ReferenceLookup } from '../../../../packages/tables/src/catalog/reference-targets.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { ApprovalGate } from '../../../../packages/tables/src/history/approval-gate.js';
import { BatchRecorder } from '../../../../packages/tables/src/history/batch-recorder.js';
import { RowWriter } from '../../../../packages/tables/src/writer/row-writer.repository.js';
import { TableLog } from '../../../../packages/tables/src/history/table-log.js';
import { AggregatesRepository } from '../../../../packages/tables/src/reader/aggregates.repository.js';
import { ChangeFeedRepository } from '../../../../packages/tables/src/reader/change-feed.repository.js';
import { QueryRowsRepository } from '../../../../packages/tables/src/reader/query-rows.repository.js';
import { RestoredRowsRepository } from '../../../../packages/tables/src/reader/restored-rows.repository.js';
import { RowTextsRepository } from '../../../../packages/tables/src/reader/row-texts.repository.js';
import { RowVersionsRepository } from '../../../../packages/tables/src/reader/row-versions.repository.js';
import { TableFiguresRepository } from '../../../../packages/tables/src/reader/table-figures.repository.js';
import { UnresolvedReferencesRepository } from '../../../../packages/tables/src/reader/unresolved-references.repository.js';
import { Tables } from '../../../../packages/tables/src/tables.js';
import { MergeEngine } from '../../../../packages/tables/src/writer/merge-engine.js';
import { Config } from '../../../platform/config/config.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { AuditModule } from '../../audit/audit.module.js';
import { EventsModule } from '../../events/events.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { CatalogRegistration } from '../catalog/catalog-registration.js';
import {
  ClusterPhysicalTablesRepository,
  ClusterTemporaryTablesFactory,
} from '../catalog/catalog.cluster.repository.js';
import { ReplicaReads } from '../catalog/replica-reads.js';
import { TableAudit } from '../catalog/table-audit.js';
import { TableEventPermissions } from '../catalog/table-event-permissions.js';
import { TableLocks } from '../catalog/table-locks.js';
import { TableTurns } from '../catalog/table-turns.js';
import { EventTableLog } from '../history/event-table-log.js';
import { FormerRowsCleanup } from '../history/former-rows-cleanup.repository.js';
import { OldTombstonesRepository } from '../history/old-tombstones.repository.js';
import { ProposalEvents } from '../history/proposal-events.js';
import { ProposalGate } from '../history/proposal-gate.js';
import { ProposalsRepository } from '../history/proposals.repository.js';
import { TombstoneCleanup } from '../history/tombstone-cleanup.js';
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

/** Provides a part of the engine. */
const part = <T>(provide: Type<T>, get: (tables: Tables) => T): FactoryProvider<T> => ({
  provide,
  inject: [Tables],
  useFactory: get,
});

/** The parts of the engine that the services of this module use. */
const PARTS = [
  part(AggregatesRepository, ({ aggregates }) => aggregates),
  part(BatchRecorder, ({ recorder }) => recorder),
  part(CatalogRepository, ({ catalog }) => catalog),
  part(CatalogWrites, ({ writes }) => writes),
  part(ChangeFeedRepository, ({ changes }) => changes),
  part(ColumnRulesRepository, ({ rules }) => rules),
  part(ConstraintsRepository, ({ constraints }) => constraints),
  part(FormerTableNamesRepository, ({ formerNames }) => formerNames),
  part(MergeEngine, ({ engine }) => engine),
  part(PhysicalTablesRepository, ({ physical }) => physical),
  part(QueryRowsRepository, ({ pages }) => pages),
  part(ReadMoments, ({ moments }) => moments),
  part(ReferenceLookup, ({ lookup }) => lookup),
  part(RestoredRowsRepository, ({ restored }) => restored),
  part(RowHistory, ({ history }) => history),
  part(RowTextsRepository, ({ texts }) => texts),
  part(RowVersionsRepository, ({ versions }) => versions),
  part(RowWriter, ({ writer }) => writer),
  part(RowsRepository, ({ rows }) => rows),
  part(TableFiguresRepository, ({ figures }) => figures),
  part(TablePermissions, ({ permissions }) => permissions),
  part(UnresolvedReferencesRepository, ({ unresolved }) => unresolved),
];

/** The engine of tables (`packages/tables`), and what connects it with this service: events, approval, turns, jobs. */
@Module({
  imports: [AuditModule, EventsModule, WorkspacesModule],
  providers: [
    tables,
    ...PARTS,
    { provide: ApprovalGate, useClass: ProposalGate },
    { provide: TableLog, useClass: EventTableLog },
    CatalogRegistration,
    FormerRowsCleanup,
    OldTombstonesRepository,
    ProposalEvents,
    ProposalsRepository,
    ReplicaReads,
    RowMetrics,
    TableAudit,
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
    TableAudit,
    TableLocks,
    TableLog,
    TableTurns,
  ],
})
export class EngineModule {}
