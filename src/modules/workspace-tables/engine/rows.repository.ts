import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';

/** Reads sets of rows by their keys. */
@Injectable()
export class RowsRepository {
  constructor(private readonly database: Database) {}

  /** The keys that the table has. */
  async findExisting(table: CatalogTable, keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const rows = await this.database.query<{ key: string }>(
      `SELECT ${physicalKeyName(table)} AS key FROM ${rowsByKeys(table, '$1')} t WHERE _deleted_at IS NULL`,
      [encodeArray('text', keys)],
    );
    return new Set(rows.map((row) => row.key));
  }

  /** The rows with these keys and all rows above them: each key with its parent. Missing rows are not included. */
  async findAncestors(
    table: CatalogTable,
    parent: CatalogColumn,
    keys: readonly string[],
  ): Promise<Map<string, string | null>> {
    if (keys.length === 0) return new Map();
    const keyAndParent = `t.${physicalKeyName(table)}, t.${physicalColumnName(parent)}`;
    const rows = await this.database.query<{ key: string; parent: string | null }>(
      `WITH RECURSIVE up (key, parent) AS (
         SELECT ${keyAndParent} FROM unnest($1::text[]) AS s(key) CROSS JOIN LATERAL ${rowByKey(table, 's.key')} t
          WHERE t._deleted_at IS NULL
         UNION
         SELECT ${keyAndParent} FROM up CROSS JOIN LATERAL ${rowByKey(table, 'up.parent')} t WHERE t._deleted_at IS NULL)
       SELECT key, parent FROM up`,
      [encodeArray('text', keys)],
    );
    return new Map(rows.map((row) => [row.key, row.parent]));
  }
}

/**
 * SQL: the row with the key, found by the index. `OFFSET 0` prevents a join that scans the whole table, which the planner
 * chooses as long as it has no statistics, that is, right after a first load.
 */
function rowByKey(table: CatalogTable, key: string): string {
  return `(SELECT * FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} = ${key} OFFSET 0)`;
}

/**
 * SQL: the rows with any of the keys: one walk along the index, which is fast if the keys are close to each other, as
 * those of a batch are. `OFFSET 0` as above. @param keys a parameter of the type text[].
 */
export function rowsByKeys(table: CatalogTable, keys: string): string {
  return `(SELECT * FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} = ANY(${keys}::text[]) OFFSET 0)`;
}
