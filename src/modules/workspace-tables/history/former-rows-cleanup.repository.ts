import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { claimOne, MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { formerRowsName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { RowHistory } from '../../../../packages/tables/src/catalog/row-history.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';

/** A table with former rows that are older than it stores them. */
interface OldHistory {
  workspaceId: string;
  id: string;
  /** The last revision whose former rows are removed. */
  until: number;
}

/** A removal in several steps. */
interface Progress {
  until: number;
  /** The physical position of the last removed row: those before it are not read again. */
  position: string;
}

/** Before all rows of a relation. */
const FIRST_POSITION = '(0,0)';

/**
 * Removes old former rows and revisions in steps. The first step of a table locks its entry, and records from which
 * revision on the history is complete; the following ones lock only the rows that they remove, so that writers do not
 * wait.
 */
@Injectable()
export class FormerRowsCleanup implements OnModuleInit {
  /** The progress in each table, by its ID. */
  private readonly progress = new Map<string, Progress>();

  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly catalog: CatalogRepository,
    private readonly history: RowHistory,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('former rows', (rows) => this.removeNext(rows));
  }

  /** @param rows at most. @returns `rows` if there may be more. */
  private async removeNext(rows: number): Promise<number> {
    const old = await this.listOld();
    const remove = (table: OldHistory & Progress) =>
      this.catalog.readWithRetry(() => this.database.transaction(() => this.remove(table, rows)));
    const removed = await claimOne(old, async (table) => {
      const step = { ...table, ...(this.progress.get(table.id) ?? { position: FIRST_POSITION }) };
      const next = await remove(step);
      if (next === undefined) return undefined;
      if (next.position === undefined) this.progress.delete(table.id);
      else this.progress.set(table.id, { until: step.until, position: next.position });
      return rows;
    });
    return removed ?? 0;
  }

  private listOld(): Promise<OldHistory[]> {
    return this.database.queryAllWorkspaces<OldHistory>(
      (isReachable) => `
       SELECT t.workspace_id AS "workspaceId", t.id, r.until::float8 AS until
         FROM workspace_tables t CROSS JOIN LATERAL (
           SELECT r.revision AS until FROM table_revisions r
            WHERE r.workspace_id = t.workspace_id AND r.table_id = t.id
              AND r.at < statement_timestamp() - ${this.history.selectInterval('t')}
            ORDER BY r.at DESC, r.revision DESC LIMIT 1) r
        WHERE (r.until > t.history_since OR r.until > (
                 SELECT e.revision FROM table_revisions e
                  WHERE e.workspace_id = t.workspace_id AND e.table_id = t.id ORDER BY e.revision LIMIT 1))
          AND ${isReachable('t.workspace_id')} LIMIT ${MAX_CANDIDATES}`,
    );
  }

  /**
   * @returns where the next step continues, without a position after the last one; undefined if another transaction has
   *   the lock of the table.
   */
  private async remove(
    { workspaceId, id, until, position }: OldHistory & Progress,
    rows: number,
  ): Promise<Partial<Progress> | undefined> {
    const [table] = await this.catalog.listByIds(wholeView(workspaceId), [id]);
    if (!table) return {};
    if (table.historySince < until && !(await this.recordStart(table, until))) return undefined;
    const name = formerRowsName(table);
    // The number of the selected rows: another instance may have removed some of them in the meantime.
    const [step] = await this.database.query<{ found: number; last: string }>(
      `WITH old AS MATERIALIZED (
         SELECT ctid FROM ${name} WHERE ctid >= $3::tid AND _ended_revision <= $1 LIMIT $2),
       removed AS (DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM old)))
       SELECT count(*)::integer AS found, max(ctid)::text AS last FROM old`,
      [until, rows, position],
    );
    if (step!.found === rows) return { position: step!.last };
    // Rows may have moved to positions before those of the steps, for example by VACUUM FULL.
    if (position !== FIRST_POSITION) return { position: FIRST_POSITION };
    // The revision `until` remains: reads as of a time between it and the next revision find it.
    await this.database.affected(
      `DELETE FROM table_revisions WHERE workspace_id = $1 AND table_id = $2 AND revision < $3`,
      [workspaceId, id, until],
    );
    return {};
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
    // Until the removal is complete, the table has a revision before it, by which the next step finds the table.
    await this.database.affected(
      `INSERT INTO table_revisions (workspace_id, table_id, revision, at)
       SELECT workspace_id, table_id, 0, at FROM table_revisions
        WHERE workspace_id = $1 AND table_id = $2 AND revision = $3 ON CONFLICT DO NOTHING`,
      [workspaceId, id, until],
    );
    return true;
  }
}
