import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { selectKeyAndName } from '../catalog/row-sql.js';
import { subtreeSql } from '../catalog/subtree.js';

/** A row, and where it was found. */
export interface FoundRow {
  table: CatalogTable;
  key: string;
  /** What its column `name` says, else its key. */
  name: string;
}

/** Looks rows up by their keys, in many tables at once. */
@Injectable()
export class RowLookupRepository {
  constructor(private readonly database: Database) {}

  /** The rows with the key in any of the tables. */
  find(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, key, '');
  }

  /** The same, each locked until the transaction ends: the row keeps its key, while its other columns may change. */
  lock(tables: readonly CatalogTable[], key: string): Promise<FoundRow[]> {
    return this.lookUp(tables, key, 'FOR KEY SHARE');
  }

  /** Of these keys, the rows that the table has. */
  async findAll(table: CatalogTable, keys: readonly string[]): Promise<FoundRow[]> {
    const rows = await this.database.query<{ key: string; name: string }>(
      `SELECT ${selectKeyAndName(table)} FROM ${physicalTableName(table)} t
        WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = ANY($1::text[]) AND t._deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return rows.map((row) => ({ table, ...row }));
  }

  /** The keys of a row and of all rows below it; ends on cycles too. Empty where the table has no such row. */
  async subtree(table: CatalogTable, key: string): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(`SELECT key FROM (${subtreeSql(table, '$1')}) below`, [
      key,
    ]);
    return rows.map((row) => row.key);
  }

  private async lookUp(tables: readonly CatalogTable[], key: string, locking: string): Promise<FoundRow[]> {
    if (tables.length === 0) return [];
    // Rows are locked one level below: PostgreSQL locks none in a query that is part of a UNION itself.
    const each = tables.map(
      (table, at) =>
        `SELECT * FROM (SELECT ${at} AS at, ${selectKeyAndName(table)} FROM ${physicalTableName(table)} t
           WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = $1 AND t._deleted_at IS NULL ${locking}) found`,
    );
    const rows = await this.database.query<{ at: number; key: string; name: string }>(each.join(' UNION ALL '), [key]);
    return rows.map(({ at, ...row }) => ({ table: tables[at]!, ...row }));
  }
}
