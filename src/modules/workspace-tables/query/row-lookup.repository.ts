import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { selectKeyAndName } from '../catalog/row-sql.js';
import { subtreeSql } from '../catalog/subtree.js';

/** A row with its table. */
export interface FoundRow {
  table: CatalogTable;
  key: string;
  /** The value of the column `name` or, if it is empty, the key. */
  name: string;
}

/** Finds rows by key in several tables. */
@Injectable()
export class RowLookupRepository {
  constructor(private readonly database: Database) {}

  /** The rows with this key in any of the tables. */
  find(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, key, '');
  }

  /** As find(), and locks the keys of the rows until the transaction ends. Other columns can still be changed. */
  lock(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, key, 'FOR KEY SHARE');
  }

  /** The rows of the table with these keys. */
  async findAll(table: CatalogTable, keys: readonly string[]): Promise<FoundRow[]> {
    const rows = await this.database.query<{ key: string; name: string }>(
      `SELECT ${selectKeyAndName(table)} FROM ${physicalTableName(table)} t
        WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = ANY($1::text[]) AND t._deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return rows.map((row) => ({ table, ...row }));
  }

  /** The keys of a row and its subtree, also if it contains a cycle. Empty if the row does not exist. */
  async listSubtree(table: CatalogTable, key: string): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(`SELECT key FROM (${subtreeSql(table, '$1')}) below`, [
      key,
    ]);
    return rows.map((row) => row.key);
  }

  private async lookUp(tables: readonly CatalogTable[], key: string, locking: string): Promise<FoundRow[]> {
    if (tables.length === 0) return [];
    // PostgreSQL locks rows only in subqueries of a UNION, not in its direct parts.
    const each = tables.map(
      (table, at) =>
        `SELECT * FROM (SELECT ${at} AS at, ${selectKeyAndName(table)} FROM ${physicalTableName(table)} t
           WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = $1 AND t._deleted_at IS NULL ${locking}) found`,
    );
    const rows = await this.database.query<{ at: number; key: string; name: string }>(each.join(' UNION ALL '), [key]);
    return rows.map(({ at, ...row }) => ({ table: tables[at]!, ...row }));
  }
}
