import type { Sql } from '../../sql/src/sql.js';
import { CatalogRepository } from './catalog/catalog.repository.js';
import { CatalogWrites } from './catalog/catalog-writes.repository.js';
import { ConstraintsRepository } from './catalog/constraints.repository.js';
import { ReadMoments } from './catalog/read-moments.repository.js';
import { PhysicalTablesRepository } from './catalog/physical-tables.repository.js';
import { ReferenceLookup } from './catalog/reference-targets.js';
import { RowHistory } from './catalog/row-history.js';
import { RowsRepository } from './catalog/rows.repository.js';
import { TablePermissions } from './catalog/table-permissions.js';
import { TemporaryTablesFactory } from './catalog/temporary-tables.js';
import { type ApprovalGate, BatchRecorder } from './history/batch-recorder.js';
import { BatchRecords } from './history/batch-records.repository.js';
import { RowWriter } from './writer/row-writer.repository.js';
import type { TableLog } from './history/table-log.js';
import { AggregatesRepository } from './reader/aggregates.repository.js';
import { ChangeFeedRepository } from './reader/change-feed.repository.js';
import { QueryRowsRepository } from './reader/query-rows.repository.js';
import { RestoredRowsRepository } from './reader/restored-rows.repository.js';
import { RowVersionsRepository } from './reader/row-versions.repository.js';
import { CompiledRules } from './reader/table-rules.js';
import { UnresolvedReferencesRepository } from './reader/unresolved-references.repository.js';
import { ParentCyclesRepository } from './sources/parent-cycles.repository.js';
import { StagingRepository } from './sources/staging.repository.js';
import { UndoneRowsRepository } from './sources/undone-rows.repository.js';
import { ConstraintChecks } from './writer/constraint-checks.js';
import { MergeEngine } from './writer/merge-engine.js';
import { MergeWriter } from './writer/merge-writer.js';
import { MergedColumns } from './writer/merged-columns.js';
import { PolicyChecks } from './writer/policy-checks.js';
import { RowDeletions } from './writer/row-deletions.js';
import { SubtreeGuard } from './writer/subtree-guard.js';
import { type TableLimits, TablePlanner } from './writer/table-planner.js';

/** What the engine needs of its service. */
export interface TablesOptions {
  limits: TableLimits;
  log: TableLog;
  gate: ApprovalGate;
  /** Called in the transaction that requests an index, which is built in the background. */
  onIndexRequested: () => void;
  /** The classes that create tables, if a cluster needs others. */
  physicalTables?: typeof PhysicalTablesRepository;
  temporaryTables?: typeof TemporaryTablesFactory;
}

/** The parts of the engine, each with those that it uses. */
export class Tables {
  /** The classes of the parts that a service provides to its modules. */
  static readonly parts = {
    aggregates: AggregatesRepository,
    recorder: BatchRecorder,
    catalog: CatalogRepository,
    writes: CatalogWrites,
    changes: ChangeFeedRepository,
    constraints: ConstraintsRepository,
    engine: MergeEngine,
    physical: PhysicalTablesRepository,
    pages: QueryRowsRepository,
    moments: ReadMoments,
    lookup: ReferenceLookup,
    restored: RestoredRowsRepository,
    history: RowHistory,
    versions: RowVersionsRepository,
    writer: RowWriter,
    rows: RowsRepository,
    permissions: TablePermissions,
    unresolved: UnresolvedReferencesRepository,
  } satisfies { [Name in keyof Tables]?: abstract new (...dependencies: never[]) => Tables[Name] };

  readonly permissions = new TablePermissions(new CompiledRules());
  readonly history: RowHistory;
  readonly moments: ReadMoments;
  readonly catalog: CatalogRepository;
  readonly writes: CatalogWrites;
  readonly temporary: TemporaryTablesFactory;
  readonly physical: PhysicalTablesRepository;
  readonly rows: RowsRepository;
  readonly lookup: ReferenceLookup;
  readonly constraints: ConstraintsRepository;
  readonly cycles: ParentCyclesRepository;
  readonly writer: RowWriter;
  readonly records: BatchRecords;
  readonly recorder: BatchRecorder;
  readonly engine: MergeEngine;
  readonly pages: QueryRowsRepository;
  readonly aggregates: AggregatesRepository;
  readonly changes: ChangeFeedRepository;
  readonly versions: RowVersionsRepository;
  readonly restored: RestoredRowsRepository;
  readonly unresolved: UnresolvedReferencesRepository;

  constructor(
    sql: Sql,
    {
      limits,
      log,
      gate,
      onIndexRequested,
      physicalTables = PhysicalTablesRepository,
      temporaryTables = TemporaryTablesFactory,
    }: TablesOptions,
  ) {
    const { permissions } = this;
    this.history = new RowHistory(limits.historyDays);
    this.moments = new ReadMoments(sql, this.history);
    this.catalog = new CatalogRepository(sql, permissions, this.moments);
    this.writes = new CatalogWrites(sql, this.catalog, onIndexRequested);
    this.temporary = new temporaryTables(sql);
    this.physical = new physicalTables(sql, this.temporary);
    this.rows = new RowsRepository(sql);
    this.lookup = new ReferenceLookup(this.catalog);
    this.constraints = new ConstraintsRepository(sql, this.lookup);
    this.cycles = new ParentCyclesRepository(sql);
    const staging = new StagingRepository(sql, this.cycles, this.temporary);
    const undone = new UndoneRowsRepository(sql, this.cycles, this.temporary);
    this.writer = new RowWriter(sql, this.history);
    this.records = new BatchRecords(sql);
    this.recorder = new BatchRecorder(this.records, log, gate);
    const columns = new MergedColumns(this.writes, this.physical, this.constraints, log);
    const policies = new PolicyChecks(this.rows, permissions);
    const checks = new ConstraintChecks(sql, this.constraints, policies);
    this.engine = new MergeEngine(
      sql,
      this.writes,
      new TablePlanner(this.catalog, permissions, this.rows, staging, undone, this.lookup, limits),
      new MergeWriter(columns, this.writer, new RowDeletions(this.rows), checks, policies),
      this.recorder,
      new SubtreeGuard(this.rows),
    );
    this.pages = new QueryRowsRepository(sql);
    this.aggregates = new AggregatesRepository(sql, limits.statementTimeoutMs);
    this.changes = new ChangeFeedRepository(sql);
    this.versions = new RowVersionsRepository(sql);
    this.restored = new RestoredRowsRepository(sql);
    this.unresolved = new UnresolvedReferencesRepository(sql);
  }
}
