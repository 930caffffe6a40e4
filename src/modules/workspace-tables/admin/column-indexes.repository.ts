import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { StandaloneStatements } from '../../../platform/database/standalone-statements.js';
import { claimOne, MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import type { IndexState } from '../catalog/column-index.entity.js';
import type { CatalogColumn } from '../../../../packages/tables/src/catalog/column-plan.js';
import {
  analyzeTableSql,
  createIndexSql,
  dropIndexSql,
  indexName,
  schemaName,
} from '../../../../packages/tables/src/catalog/physical-table.js';

/** The duration of a lease. */
const LEASE = "interval '30 seconds'";

/** The pause before the next attempt, in milliseconds. */
export const RETRY_DELAY_MS = 3_000;

/** For the metric of the age of the queue. */
export const OLDEST_INDEX = `SELECT min(due_at) FROM column_indexes WHERE state <> 'failed'`;

/**
 * Not failed, or the table was written since: a build that failed because of the same rows would fail again.
 *
 * @param workspaceId, tableId SQL
 */
const isWorthBuilding = (workspaceId: string, tableId: string) => `
  (i.state <> 'failed' OR i.failed_revision < (
     SELECT t.revision FROM workspace_tables t WHERE t.workspace_id = ${workspaceId} AND t.id = ${tableId}))`;

/** `statement_timestamp()` is constant within a statement, so that PostgreSQL can use the index. */
export const DUE_INDEXES = `
  SELECT workspace_id FROM column_indexes i
   WHERE due_at <= statement_timestamp() AND ${isWorthBuilding('i.workspace_id', 'i.table_id')}`;

/** An index with the lease of this instance. */
export interface LeasedIndex {
  workspaceId: string;
  tableId: string;
  ordinals: number[];
  state: IndexState;
  /** The reason of the last failure, if the index has failed since it was requested. */
  message: string | null;
  token: string;
}

/**
 * Two builds of one table would wait for each other, until PostgreSQL cancels one as a deadlock. An index that is
 * dropped cancels the build.
 */
const isDue = (workspaceId: string, tableId: string) => `
  i.due_at <= statement_timestamp() AND ${isWorthBuilding(workspaceId, tableId)}
  AND (i.state = 'dropping' OR NOT EXISTS (
        SELECT 1 FROM column_indexes b
         WHERE b.workspace_id = ${workspaceId} AND b.table_id = ${tableId}
           AND b.token IS NOT NULL AND b.due_at > statement_timestamp()))`;

/** For CASE, in which a cluster accepts no function that reads the clock. */
const CLOCK = '(SELECT statement_timestamp() AS time) clock';

/** The entry, if this instance still has the lease. */
const LEASED = 'workspace_id = $1 AND table_id = $2 AND ordinals = $3 AND token = $4';

/**
 * The requested indexes of one or several columns. An instance works on one under a lease, by the clock of the
 * database. A request may change the state during the lease; the instance processes the new state after it has released
 * the lease.
 */
@Injectable()
export class ColumnIndexesRepository {
  constructor(
    private readonly database: Database,
    private readonly standalone: StandaloneStatements,
    private readonly jobs: Jobs,
  ) {}

  /** Requests that the index is dropped in the background. */
  async withdraw({ workspaceId, id }: CatalogTable, columns: readonly CatalogColumn[]): Promise<void> {
    await this.database.query(
      // During a lease `due_at` remains: the instance that has the lease sets it afterwards.
      `UPDATE column_indexes
          SET state = 'dropping', message = NULL, due_at = CASE WHEN token IS NULL THEN clock.time ELSE due_at END
         FROM ${CLOCK}
        WHERE workspace_id = $1 AND table_id = $2 AND ordinals = $3 AND state <> 'dropping'`,
      [workspaceId, id, columns.map(({ ordinal }) => ordinal)],
    );
    this.jobs.wakeAfterCommit();
  }

  /** The requested composite indexes: the ordinals of their columns. */
  async listComposite({ workspaceId, id }: CatalogTable): Promise<number[][]> {
    const rows = await this.database.query<{ ordinals: number[] }>(
      `SELECT ordinals FROM column_indexes
        WHERE workspace_id = $1 AND table_id = $2 AND cardinality(ordinals) > 1 AND state <> 'dropping'`,
      [workspaceId, id],
    );
    return rows.map(({ ordinals }) => ordinals);
  }

  /**
   * Deletes the entries of indexes that contain the column: PostgreSQL drops these indexes together with the column.
   */
  async deleteEntriesWith({ workspaceId, id }: CatalogTable, { ordinal }: CatalogColumn): Promise<void> {
    await this.database.query(
      'DELETE FROM column_indexes WHERE workspace_id = $1 AND table_id = $2 AND $3 = ANY (ordinals)',
      [workspaceId, id, ordinal],
    );
  }

  /** Acquires the lease of one of the indexes that have been due longest. */
  async acquire(token: string): Promise<LeasedIndex | undefined> {
    const due = await this.database.queryAllWorkspaces<Pick<LeasedIndex, 'workspaceId' | 'tableId' | 'ordinals'>>(
      (isReachable) => `
       SELECT workspace_id AS "workspaceId", table_id AS "tableId", ordinals FROM column_indexes i
        WHERE ${isReachable('workspace_id')} AND ${isDue('i.workspace_id', 'i.table_id')} ORDER BY due_at LIMIT ${MAX_CANDIDATES}`,
    );
    return claimOne(due, async ({ workspaceId, tableId, ordinals }) => {
      const [acquired] = await this.database.query<LeasedIndex>(
        // Parameters, not columns of `i`: PostgreSQL 18.4 crashes if it checks a changed row again with partitions.
        `UPDATE column_indexes i
            SET token = $4, due_at = statement_timestamp() + ${LEASE},
                state = CASE WHEN i.state IN ('pending', 'failed') THEN 'building' ELSE i.state END
          WHERE i.workspace_id = $1 AND i.table_id = $2 AND i.ordinals = $3 AND ${isDue('$1', '$2')}
         RETURNING i.workspace_id AS "workspaceId", i.table_id AS "tableId", i.ordinals, i.state, i.message, i.token`,
        [workspaceId, tableId, ordinals, token],
      );
      return acquired;
    });
  }

  /** @returns whether the lease was renewed and the requested state is unchanged. */
  async renew(leased: LeasedIndex): Promise<boolean> {
    const sql = `UPDATE column_indexes SET due_at = statement_timestamp() + ${LEASE} WHERE ${LEASED} RETURNING state`;
    const [renewed] = await this.database.query<{ state: IndexState }>(sql, toParameters(leased));
    return renewed?.state === leased.state;
  }

  /** Records that the index is built, and releases the lease. If the index was withdrawn, it is due at once. */
  async finish(leased: LeasedIndex): Promise<void> {
    await this.database.query(
      `UPDATE column_indexes SET token = NULL, message = NULL, failed_revision = NULL,
              due_at = CASE WHEN state = 'building' THEN NULL ELSE clock.time END,
              state = CASE WHEN state = 'building' THEN 'ready' ELSE state END
         FROM ${CLOCK}
        WHERE ${LEASED}`,
      toParameters(leased),
    );
  }

  /**
   * Records that the build failed, and releases the lease. After the pause the index is built again if the table has
   * a later revision; if it was withdrawn, it is due at once.
   *
   * @param revision of the table for which the build failed; 0 to build it again without a write.
   * @returns false if the index was withdrawn, or the lease has expired.
   */
  async fail(leased: LeasedIndex, message: string, revision: number, pauseMs: number): Promise<boolean> {
    const [failed] = await this.database.query<{ state: IndexState }>(
      `UPDATE column_indexes SET token = NULL,
              message = CASE WHEN state = 'building' THEN $5 END,
              failed_revision = CASE WHEN state = 'building' THEN $6::bigint END,
              due_at = CASE WHEN state = 'building' THEN clock.time + $7 * interval '1 ms' ELSE clock.time END,
              state = CASE WHEN state = 'building' THEN 'failed' ELSE state END
         FROM ${CLOCK}
        WHERE ${LEASED}
       RETURNING state`,
      [...toParameters(leased), message, revision, pauseMs],
    );
    return failed?.state === 'failed';
  }

  /** The number of requested indexes whose build failed. */
  async countFailed(): Promise<number> {
    const counts = await this.database.queryAllWorkspaces<{ count: number }>(
      (isReachable) =>
        `SELECT count(*)::int AS count FROM column_indexes WHERE ${isReachable('workspace_id')} AND state = 'failed'`,
    );
    return counts[0]!.count;
  }

  /** Deletes the entry of a dropped index. @returns false if the index is requested again. */
  async deleteEntry(leased: LeasedIndex): Promise<boolean> {
    const deleted = await this.database.affected(
      `DELETE FROM column_indexes WHERE ${LEASED} AND state = 'dropping'`,
      toParameters(leased),
    );
    return deleted > 0;
  }

  /** Releases the lease for another attempt. */
  async release(leased: LeasedIndex): Promise<void> {
    await this.database.query(
      `UPDATE column_indexes SET token = NULL, due_at = statement_timestamp() + interval '${RETRY_DELAY_MS} ms',
              state = CASE WHEN state = 'building' THEN 'pending' ELSE state END
        WHERE ${LEASED}`,
      toParameters(leased),
    );
  }

  /** Undefined if there is no index. A cancelled build leaves an invalid one. */
  async findState(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<'valid' | 'invalid' | undefined> {
    const [found] = await this.database.query<{ valid: boolean }>(
      'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
      [`${schemaName(table.workspaceId)}.${indexName(table, columns)}`],
    );
    return found && (found.valid ? 'valid' : 'invalid');
  }

  /** Is PostgreSQL building or dropping the index? A statement can outlive the instance that started it. */
  async isInProgress(table: CatalogTable, columns: readonly CatalogColumn[]): Promise<boolean> {
    const [found] = await this.database.query<{ busy: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
           AND query ~ ('INDEX CONCURRENTLY .*\\m' || $1 || '\\M')) AS busy`,
      [indexName(table, columns)],
    );
    return found!.busy;
  }

  build(table: CatalogTable, columns: readonly CatalogColumn[], signal: AbortSignal): Promise<void> {
    return this.standalone.execute(createIndexSql(table, columns), signal);
  }

  analyze(table: CatalogTable, signal: AbortSignal): Promise<void> {
    return this.standalone.execute(analyzeTableSql(table), signal);
  }

  drop(table: CatalogTable, columns: readonly CatalogColumn[], signal: AbortSignal): Promise<void> {
    return this.standalone.execute(dropIndexSql(table, columns), signal);
  }
}

function toParameters({ workspaceId, tableId, ordinals, token }: LeasedIndex): unknown[] {
  return [workspaceId, tableId, ordinals, token];
}
