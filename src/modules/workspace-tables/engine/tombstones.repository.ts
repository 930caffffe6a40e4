import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { PLAN_EACH_TIME } from '../../../platform/database/statement-options.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { OpenBatch } from './open-batch.js';
import { copyPrevious, insertPrevious, SAVED_BYTES, selectPrevious } from './undo-sql.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';

/** The tables that may have tombstones older than this many days. */
export const selectTablesWithOld = (days: number) =>
  `SELECT workspace_id FROM workspace_tables WHERE tombstones_since < statement_timestamp() - interval '${days} days'`;

/** Condition on the key: one of those in the first parameter. */
const SENT_KEYS = '= ANY ($1::text[])';

/** Tombstones: the keys of deleted rows and when they were deleted, for the change feed. */
@Injectable()
export class TombstonesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Deletes rows: clears their values and leaves tombstones. The caller has the lock of the table.
   *
   * @param batch stores the previous values.
   * @returns the keys of those that existed.
   */
  async markDeleted(
    table: CatalogTable,
    keys: readonly string[],
    revision: number,
    batch?: OpenBatch,
  ): Promise<string[]> {
    const parameters = [encodeArray('text', keys), revision];
    const saving = await this.saveFirst(table, SENT_KEYS, parameters, batch);
    const deleted = await this.database.query<{ key: string; bytes: number }>(
      `${this.buildDeletion(table, SENT_KEYS, '$2', saving)} SELECT w.key, ${saving ? SAVED_BYTES : '0'} AS bytes FROM written w`,
      parameters,
      PLAN_EACH_TIME,
    );
    if (batch) batch.undoBytes += deleted[0]?.bytes ?? 0;
    if (deleted.length > 0) await this.recordTombstones(table);
    return deleted.map((row) => row.key);
  }

  /** The same for many rows. @returns their number. */
  markManyDeleted(table: CatalogTable, keys: readonly string[], revision: number, batch?: OpenBatch): Promise<number> {
    return this.countDeleted(table, SENT_KEYS, [encodeArray('text', keys), revision], batch);
  }

  /** The same for the rows whose keys a query selects. @returns their number. */
  markSelectedDeleted(table: CatalogTable, selectKeys: string, revision: number, batch?: OpenBatch): Promise<number> {
    return this.countDeleted(table, `IN (${selectKeys})`, [revision], batch);
  }

  /** @param isDeleted condition on the key. @param parameters the last one is the revision. */
  private async countDeleted(
    table: CatalogTable,
    isDeleted: string,
    parameters: readonly unknown[],
    batch?: OpenBatch,
  ): Promise<number> {
    const saving = await this.saveFirst(table, isDeleted, parameters, batch);
    const [deleted] = await this.database.query<{ rows: number; bytes: number }>(
      `${this.buildDeletion(table, isDeleted, `$${parameters.length}`, saving)}
       SELECT count(*)::int AS rows, ${saving ? SAVED_BYTES : '0'} AS bytes FROM written`,
      parameters,
      PLAN_EACH_TIME,
    );
    if (batch) batch.undoBytes += deleted!.bytes;
    if (deleted!.rows > 0) await this.recordTombstones(table);
    return deleted!.rows;
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
        WHERE tombstones_since < $1${this.database.onlyReachable('workspace_id')} ORDER BY tombstones_since LIMIT 1 ${this.database.skipLocked}`,
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

  async recordTombstones({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.database.query(
      `UPDATE workspace_tables SET tombstones_since = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since IS NULL`,
      [workspaceId, id],
      PLAN_EACH_TIME,
    );
  }

  /**
   * On a cluster, stores the previous values by a statement of its own.
   *
   * @param isDeleted condition on the key. @param parameters the last one is the revision.
   * @returns the batch that the deletion itself must store values for.
   */
  private async saveFirst(
    table: CatalogTable,
    isDeleted: string,
    parameters: readonly unknown[],
    batch: OpenBatch | undefined,
  ): Promise<OpenBatch | undefined> {
    if (!batch || !this.database.isDistributed) return batch;
    const deleted = `FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} ${isDeleted} AND t._deleted_at IS NULL`;
    batch.unmeasured.add(table.id);
    await this.database.affected(copyPrevious(table, batch, deleted), parameters.slice(0, -1), PLAN_EACH_TIME);
    return undefined;
  }

  /** Common table expressions, of which `written` contains the keys. @param isDeleted condition on the key. @param revision as SQL. */
  private buildDeletion(table: CatalogTable, isDeleted: string, revision: string, batch?: OpenBatch): string {
    const key = physicalKeyName(table);
    const cleared = table.columns
      .filter(({ primaryKey }) => !primaryKey)
      .map((column) => `${physicalColumnName(column)} = NULL`);
    const stamps = ['_updated_at', '_deleted_at'].map((name) => `${name} = statement_timestamp()`);
    const name = physicalTableName(table);
    const previous = `SELECT ${selectPrevious(table, 't')} FROM ${name} t WHERE t.${key} ${isDeleted} AND t._deleted_at IS NULL`;
    const saved = batch
      ? `previous AS NOT MATERIALIZED (${previous}), saved AS (${insertPrevious(table, batch, 'SELECT * FROM previous')}), `
      : '';
    return `WITH ${saved}written AS (
              UPDATE ${name} w SET ${[...cleared, `_revision = ${revision}`, ...stamps].join(', ')}
               WHERE w.${key} ${isDeleted} AND w._deleted_at IS NULL RETURNING w.${key} AS key)`;
  }
}
