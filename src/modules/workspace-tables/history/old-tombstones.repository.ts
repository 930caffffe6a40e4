import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MAX_CANDIDATES } from '../../../platform/jobs/claim-one.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { tombstonesName } from '../../../../packages/tables/src/catalog/physical-table.js';

/** The tables that may have tombstones older than this many days. */
export const selectTablesWithOld = (days: number) =>
  `SELECT workspace_id FROM workspace_tables WHERE tombstones_since < statement_timestamp() - interval '${days} days'`;

/** A table of a workspace. */
export interface TableKey {
  workspaceId: string;
  id: string;
}

/** Finds and removes old tombstones. */
@Injectable()
export class OldTombstonesRepository {
  constructor(private readonly database: Database) {}

  /** Tables that may have tombstones older than `before`. */
  listTables(before: Date): Promise<TableKey[]> {
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
  async lockTable({ workspaceId, id }: TableKey, before: Date): Promise<boolean> {
    const locked = await this.database.query(
      `SELECT 1 FROM workspace_tables
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since < $3 FOR UPDATE SKIP LOCKED`,
      [workspaceId, id, before],
    );
    return locked.length > 0;
  }

  /** Removes old tombstones. From then on the change feed cannot start at a revision before the last of them. */
  async remove(table: CatalogTable, before: Date): Promise<void> {
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
