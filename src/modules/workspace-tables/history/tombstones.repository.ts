import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalKeyName, physicalTableName, tombstonesName } from '../catalog/physical-table.js';
import type { RowChange } from './batch-records.repository.js';
import { storeFormerRows } from './former-rows-sql.js';
import { RowHistory } from '../catalog/row-history.js';

/** The rows to delete: a condition on the key, as SQL, and its parameters. */
interface Deletion {
  isDeleted: string;
  parameters: readonly unknown[];
}

/** Keys of rows, which are written: FROM item with the alias `s`, and its parameters. */
interface WrittenKeys {
  from: string;
  parameters: readonly unknown[];
}

/**
 * Tombstones: the keys of deleted rows with the revision and time of their deletion, for the change feed. Under the
 * lock of the table, a key is that of a row or of a tombstone, never of both.
 */
@Injectable()
export class TombstonesRepository {
  constructor(
    private readonly database: Database,
    private readonly history: RowHistory,
  ) {}

  /**
   * Deletes rows and leaves tombstones and former rows. The caller has the lock of the table.
   *
   * @returns the keys of those that existed.
   */
  async deleteRows(
    table: CatalogTable,
    keys: readonly string[],
    revision: number,
    change: RowChange,
  ): Promise<string[]> {
    const deletion = selectKeys(keys);
    await this.mark(table, deletion, revision, change);
    const sql = `${deleteFrom(table, deletion)} RETURNING ${physicalKeyName(table)} AS key`;
    const deleted = await this.database.query<{ key: string }>(sql, deletion.parameters);
    if (deleted.length > 0) await this.record(table);
    return deleted.map((row) => row.key);
  }

  /** Deletes many rows, as `deleteRows` does. @returns their number. */
  deleteManyRows(table: CatalogTable, keys: readonly string[], revision: number, change: RowChange): Promise<number> {
    return this.delete(table, selectKeys(keys), revision, change);
  }

  /** Deletes the rows whose keys a query selects, as `deleteRows` does. @returns their number. */
  deleteSelectedRows(table: CatalogTable, keys: string, revision: number, change: RowChange): Promise<number> {
    return this.delete(table, { isDeleted: `IN (${keys})`, parameters: [] }, revision, change);
  }

  /** Leaves a tombstone for the former key of a row that was renamed: the change feed reports a deletion. */
  async insert(table: CatalogTable, key: string, revision: number, { at }: RowChange): Promise<void> {
    await this.database.query(
      `INSERT INTO ${tombstonesName(table)} (key, revision, created_at, deleted_at) VALUES ($1, $2, $3, $3)`,
      [key, revision, at],
    );
    await this.record(table);
  }

  /** Removes the tombstones of keys that rows receive again. */
  async remove(table: CatalogTable, { from, parameters }: WrittenKeys): Promise<void> {
    if (!table.hasTombstones) return;
    await this.database.affected(
      `DELETE FROM ${tombstonesName(table)} d USING ${from} WHERE d.key = s.key`,
      parameters,
    );
  }

  /** Records that the table has tombstones. */
  async record({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.database.query(
      `UPDATE workspace_tables SET tombstones_since = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since IS NULL`,
      [workspaceId, id],
    );
  }

  private async delete(table: CatalogTable, deletion: Deletion, revision: number, change: RowChange): Promise<number> {
    await this.mark(table, deletion, revision, change);
    const sql = deleteFrom(table, deletion);
    const deleted = await this.database.affected(sql, deletion.parameters);
    if (deleted > 0) await this.record(table);
    return deleted;
  }

  /** Stores the rows as former rows and as tombstones. */
  private async mark(
    table: CatalogTable,
    { isDeleted, parameters }: Deletion,
    revision: number,
    change: RowChange,
  ): Promise<void> {
    const key = `t.${physicalKeyName(table)}`;
    const source = `FROM ${physicalTableName(table)} t WHERE ${key} ${isDeleted}`;
    if (this.history.isStored(table, change))
      await this.database.affected(storeFormerRows(table, revision, source), parameters);
    // A cluster accepts no function that reads the clock in this statement.
    const time = `${quoteLiteral(change.at)}::timestamptz`;
    await this.database.affected(
      `INSERT INTO ${tombstonesName(table)} (key, revision, created_at, deleted_at)
       SELECT ${key}, ${revision}::bigint, t._created_at, ${time} ${source}`,
      parameters,
    );
  }
}

function selectKeys(keys: readonly string[]): Deletion {
  return { isDeleted: '= ANY ($1::text[])', parameters: [encodeArray('text', keys)] };
}

function deleteFrom(table: CatalogTable, { isDeleted }: Deletion): string {
  return `DELETE FROM ${physicalTableName(table)} WHERE ${physicalKeyName(table)} ${isDeleted}`;
}
