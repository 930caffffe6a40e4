import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Database } from '../../../platform/database/database.js';
import { claimOne, MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { tombstonesName } from '../../../../packages/tables/src/catalog/physical-table.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A table of a workspace. */
interface TableKey {
  workspaceId: string;
  id: string;
}

/** Removes old tombstones, one table per run. */
@Injectable()
export class TombstoneCleanup implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly database: Database,
    private readonly catalog: CatalogRepository,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const due = `SELECT workspace_id FROM workspace_tables
                  WHERE tombstones_since < statement_timestamp() - interval '${this.config.tables.tombstoneDays} days'`;
    this.jobs.processQueue({ name: 'Removing tombstones of rows', due, run: () => this.removeNext() });
  }

  /** @returns undefined if no table had old tombstones. */
  private async removeNext(): Promise<0 | undefined> {
    const before = new Date(Date.now() - this.config.tables.tombstoneDays * DAY_MS);
    const tables = await this.listTables(before);
    return claimOne(tables, (table) => this.database.transaction(() => this.removeOf(table, before)));
  }

  /** @returns undefined if another instance removes them. */
  private async removeOf(key: TableKey, before: Date): Promise<0 | undefined> {
    if (!(await this.lockTable(key, before))) return undefined;
    const [table] = await this.catalog.listByIds(wholeView(key.workspaceId), [key.id]);
    await this.remove(table!, before);
    return 0;
  }

  /** Tables that may have tombstones older than `before`. */
  private listTables(before: Date): Promise<TableKey[]> {
    return this.database.queryAllWorkspaces(
      (isReachable) => `
       SELECT workspace_id AS "workspaceId", id FROM workspace_tables
        WHERE tombstones_since < $1 AND ${isReachable('workspace_id')} ORDER BY tombstones_since LIMIT ${MAX_CANDIDATES}`,
      [before],
    );
  }

  /**
   * Locks a table that may have tombstones older than `before`.
   *
   * @returns false if another transaction has locked it.
   */
  private async lockTable({ workspaceId, id }: TableKey, before: Date): Promise<boolean> {
    const locked = await this.database.query(
      `SELECT 1 FROM workspace_tables
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since < $3 FOR UPDATE SKIP LOCKED`,
      [workspaceId, id, before],
    );
    return locked.length > 0;
  }

  /** Removes old tombstones. From then on the change feed cannot start at a revision before the last of them. */
  private async remove(table: CatalogTable, before: Date): Promise<void> {
    const { workspaceId, id } = table;
    const [removed] = await this.database.query<{ revision: number | null }>(
      `WITH removed AS (DELETE FROM ${tombstonesName(table)} WHERE deleted_at < $1 RETURNING revision)
       SELECT max(revision)::float8 AS revision FROM removed`,
      [before],
    );
    await this.database.query(
      `UPDATE workspace_tables
          SET changes_since = greatest(changes_since, $3),
              tombstones_since = (SELECT min(deleted_at) FROM ${tombstonesName(table)})
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, removed!.revision ?? 0],
    );
  }
}
