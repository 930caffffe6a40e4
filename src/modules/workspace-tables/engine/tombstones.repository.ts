import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { encodeArray } from '../catalog/pg-array.js';

/** What is left of deleted rows: their keys and when they went, for those who follow the changes. */
@Injectable()
export class TombstonesRepository {
  constructor(private readonly database: Database) {}

  /** Deletes rows that are there, and empties them. The caller holds the table's lock. @returns how many there were. */
  async markDeleted(table: CatalogTable, keys: readonly string[], revision: number): Promise<number> {
    const emptied = table.columns
      .filter(({ primaryKey }) => !primaryKey)
      .map((column) => `${physicalColumnName(column)} = NULL`);
    const set = [
      ...emptied,
      '_revision = $2',
      '_updated_at = statement_timestamp()',
      '_deleted_at = statement_timestamp()',
    ].join(', ');
    const buried = await this.database.affected(
      `UPDATE ${physicalTableName(table)} SET ${set} WHERE ${keyOf(table)} = ANY ($1::text[]) AND _deleted_at IS NULL`,
      [encodeArray('text', keys), revision],
    );
    if (buried > 0) await this.note(table);
    return buried;
  }

  /** The row with this key has another from now on: for those who follow the changes it is gone. */
  async insertTombstone(table: CatalogTable, key: string, revision: number): Promise<void> {
    await this.database.query(
      `INSERT INTO ${physicalTableName(table)} (${keyOf(table)}, _revision, _created_at, _updated_at, _deleted_at)
       VALUES ($1, $2, statement_timestamp(), statement_timestamp(), statement_timestamp())`,
      [key, revision],
    );
    await this.note(table);
  }

  /** Rows with these keys come back: they start empty, and nothing stands in their place. */
  async clear(table: CatalogTable, keys: readonly string[]): Promise<void> {
    if (!table.hasTombstones) return;
    await this.database.query(
      `DELETE FROM ${physicalTableName(table)} WHERE ${keyOf(table)} = ANY ($1::text[]) AND _deleted_at IS NOT NULL`,
      [encodeArray('text', keys)],
    );
  }

  /** A table that may have tombstones of before the time; undefined where there is none that nobody else works on. */
  async findOld(before: Date): Promise<{ workspaceId: string; id: string } | undefined> {
    const [found] = await this.database.query<{ workspaceId: string; id: string }>(
      `SELECT workspace_id AS "workspaceId", id FROM workspace_tables
        WHERE tombstones_since < $1 ORDER BY tombstones_since LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [before],
    );
    return found;
  }

  /** Takes old ones away. Who has seen no later revision than theirs must read the table anew. */
  async remove(table: CatalogTable, before: Date): Promise<number> {
    const { workspaceId, id } = table;
    const [removed] = await this.database.query<{ count: number; revision: number | null }>(
      `WITH removed AS (DELETE FROM ${physicalTableName(table)} WHERE _deleted_at < $1 RETURNING _revision)
       SELECT count(*)::integer AS count, max(_revision)::float8 AS revision FROM removed`,
      [before],
    );
    await this.database.query(
      `UPDATE workspace_tables
          SET changes_since = greatest(changes_since, $3),
              tombstones_since = (SELECT min(_deleted_at) FROM ${physicalTableName(table)} WHERE _deleted_at IS NOT NULL)
        WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, removed!.revision ?? 0],
    );
    return removed!.count;
  }

  private async note({ workspaceId, id }: CatalogTable): Promise<void> {
    await this.database.query(
      `UPDATE workspace_tables SET tombstones_since = statement_timestamp()
        WHERE workspace_id = $1 AND id = $2 AND tombstones_since IS NULL`,
      [workspaceId, id],
    );
  }
}

function keyOf(table: CatalogTable): string {
  return physicalColumnName(getPrimaryKey(table.columns));
}
