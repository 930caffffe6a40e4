import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import { claimOne, MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import { CleanupJobs } from '../../../platform/jobs/cleanup-jobs.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { CatalogWrites } from '../catalog/catalog-writes.repository.js';
import { formerRowsName } from '../catalog/physical-table.js';
import { RowHistory } from '../catalog/row-history.js';

/** A table with former rows that are older than it stores them. */
interface OldHistory {
  workspaceId: string;
  id: string;
  /** The last revision whose former rows are removed. */
  until: number;
}

/**
 * Removes old former rows and revisions in steps. The first step of a table locks its entry, and records from which
 * revision on the history is complete; the following ones lock only the rows that they remove, so that writers do not
 * wait.
 */
@Injectable()
export class FormerRowsCleanup implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly cleanup: CleanupJobs,
    private readonly catalog: CatalogWrites,
    private readonly history: RowHistory,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('former rows', (rows) => this.removeNext(rows));
  }

  /** @param rows at most. @returns `rows` if there may be more. */
  private async removeNext(rows: number): Promise<number> {
    const old = await this.listOld();
    const remove = (table: OldHistory) => this.database.transaction(() => this.remove(table, rows));
    return (await claimOne(old, (table) => this.catalog.readWithRetry(() => remove(table)))) ?? 0;
  }

  private listOld(): Promise<OldHistory[]> {
    return this.database.queryAllWorkspaces<OldHistory>(
      (isReachable) => `
       SELECT t.workspace_id AS "workspaceId", t.id, r.until::float8 AS until
         FROM workspace_tables t CROSS JOIN LATERAL (
           SELECT max(r.revision) AS until FROM table_revisions r
            WHERE r.workspace_id = t.workspace_id AND r.table_id = t.id
              AND r.at < statement_timestamp() - ${this.history.selectInterval('t')}) r
        WHERE r.until IS NOT NULL AND ${isReachable('t.workspace_id')} LIMIT ${MAX_CANDIDATES}`,
    );
  }

  /** @returns undefined if another transaction has the lock of the table. */
  private async remove({ workspaceId, id, until }: OldHistory, rows: number): Promise<number | undefined> {
    const [table] = await this.catalog.listByIds(workspaceId, [id]);
    if (!table) return 0;
    if (table.historySince < until && !(await this.recordStart(table, until))) return undefined;
    const name = formerRowsName(table);
    const removed = await this.database.affected(
      `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE _ended_revision <= $1 LIMIT $2))`,
      [until, rows],
      PLAN_EACH_TIME,
    );
    if (removed < rows)
      await this.database.affected(
        `DELETE FROM table_revisions WHERE workspace_id = $1 AND table_id = $2 AND revision <= $3`,
        [workspaceId, id, until],
      );
    return rows;
  }

  /** @returns false if another transaction has the lock of the table. */
  private async recordStart({ workspaceId, id }: CatalogTable, until: number): Promise<boolean> {
    const [locked] = await this.database.query(
      'SELECT 1 FROM workspace_tables WHERE workspace_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED',
      [workspaceId, id],
    );
    if (!locked) return false;
    await this.database.affected(
      'UPDATE workspace_tables SET history_since = greatest(history_since, $3) WHERE workspace_id = $1 AND id = $2',
      [workspaceId, id, until],
    );
    return true;
  }
}
