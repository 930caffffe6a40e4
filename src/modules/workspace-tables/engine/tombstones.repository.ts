import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';

/** The tables that may have tombstones older than this many days. */
export const selectTablesWithOld = (days: number) =>
  `SELECT 1 FROM workspace_tables WHERE tombstones_since < statement_timestamp() - interval '${days} days'`;

/** Tombstones: the keys of deleted rows and when they were deleted, for the change feed. */
@Injectable()
export class TombstonesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes rows: clears their values and leaves tombstones. The caller has the lock of the table.
   *
   * @returns the keys of those that existed.
   */
  async markDeleted(table: CatalogTable, keys: readonly string[], revision: number): Promise<string[]> {
    const key = physicalKeyName(table);
    const cleared = table.columns
      .filter(({ primaryKey }) => !primaryKey)
      .map((column) => `${physicalColumnName(column)} = NULL`);
    const set = [
      ...cleared,
      '_revision = $2',
      '_updated_at = statement_timestamp()',
      '_deleted_at = statement_timestamp()',
    ].join(', ');
    const deleted = await this.database.query<{ key: string }>(
      `UPDATE ${physicalTableName(table)} SET ${set}
        WHERE ${key} = ANY ($1::text[]) AND _deleted_at IS NULL RETURNING ${key} AS key`,
      [encodeArray('text', keys), revision],
      PLAN_EACH_TIME,
    );
    if (deleted.length > 0) await this.recordTombstones(table);
    return deleted.map((row) => row.key);
  }

  /** Leaves a tombstone for a key that no row has: its row was renamed, which the change feed reports as a deletion. */
  async insertTombstone(table: CatalogTable, key: string, revision: number): Promise<void> {
    await this.database.query(
      `INSERT INTO ${physicalTableName(table)} (${physicalKeyName(table)}, _revision, _created_at, _updated_at, _deleted_at)
       VALUES ($1, $2, statement_timestamp(), statement_timestamp(), statement_timestamp())`,
      [key, revision],
      PLAN_EACH_TIME,
    );
    await this.recordTombstones(table);
  }

  /** Removes the tombstone of a key that a row receives again. */
  async removeTombstone(table: CatalogTable, key: string): Promise<void> {
    if (!table.hasTombstones) return;
    await this.database.query(
      `DELETE FROM ${physicalTableName(table)} WHERE ${physicalKeyName(table)} = $1 AND _deleted_at IS NOT NULL`,
      [key],
      PLAN_EACH_TIME,
    );
  }

  /** Locks a table that may have tombstones older than `before`; skips those that another transaction has locked. */
  async lockTableWithOld(before: Date): Promise<{ workspaceId: string; id: string } | undefined> {
    const [found] = await this.database.query<{ workspaceId: string; id: string }>(
      `SELECT workspace_id AS "workspaceId", id FROM workspace_tables
        WHERE tombstones_since < $1 ORDER BY tombstones_since LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [before],
      PLAN_EACH_TIME,
    );
    return found;
  }

  /** Removes old tombstones. From then on the change feed cannot start at a revision before the last of them. */
  async removeOld(table: CatalogTable, before: Date): Promise<void> {
    const { workspaceId, id } = table;
    const [removed] = await this.database.query<{ revision: number | null }>(
      `WITH removed AS (DELETE FROM ${physicalTableName(table)} WHERE _deleted_at < $1 RETURNING _revision)
       SELECT max(_revision)::float8 AS revision FROM removed`,
      [before],
      PLAN_EACH_TIME,
    );
    await this.database.query(
      `UPDATE workspace_tables
          SET changes_since = greatest(changes_since, $3),
              tombstones_since = (SELECT min(_deleted_at) FROM ${physicalTableName(table)} WHERE _deleted_at IS NOT NULL)
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, removed!.revision ?? 0],
      PLAN_EACH_TIME,
    );
  }

  private async recordTombstones({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.database.query(
      `UPDATE workspace_tables SET tombstones_since = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since IS NULL`,
      [workspaceId, id],
      PLAN_EACH_TIME,
    );
  }
}
