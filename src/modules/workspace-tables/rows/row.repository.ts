import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { keyAndName } from '../query/row-lookup.repository.js';
import { unresolvedCondition } from '../query/unresolved-references.js';
import type { Item } from '../query/query-rows.repository.js';

/** A row with what the table keeps of it. */
export interface KeptItem {
  item: Item;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

/** A row that was written or deleted. */
export interface ChangedItem {
  revision: number;
  key: string;
  deleted: boolean;
  item: Item;
}

interface PathStep {
  key: string;
  title: string;
  parent: string | null;
}

/** Rows above one another that a path shows at most: no plant has as many levels. */
export const MAX_LEVELS = 1_000;

/** Reads single rows, where they stand, and what changed of them. */
@Injectable()
export class RowRepository {
  constructor(private readonly database: Database) {}

  async find(table: CatalogTable, key: string): Promise<KeptItem | undefined> {
    const [row] = await this.database.query<KeptItem>(
      `SELECT ${itemOf(table)} AS item, t._revision::float8 AS revision,
              t._created_at AS "createdAt", t._updated_at AS "updatedAt"
         FROM ${physicalTableName(table)} t WHERE t.${keyOf(table)} = $1 AND t._deleted_at IS NULL`,
      [key],
    );
    return row;
  }

  /** The row and those above it, from the row up, one more than a path shows. Each is looked up by its key. */
  path(table: CatalogTable, parent: CatalogColumn, key: string): Promise<PathStep[]> {
    const columns = `${keyAndName(table)}, t.${physicalColumnName(parent)}`;
    return this.database.query<PathStep>(
      `WITH RECURSIVE up (key, title, parent, level) AS (
         SELECT ${columns}, 0 FROM ${physicalTableName(table)} t WHERE t.${keyOf(table)} = $1 AND t._deleted_at IS NULL
         UNION ALL
         SELECT ${columns}, up.level + 1 FROM up JOIN ${physicalTableName(table)} t ON t.${keyOf(table)} = up.parent
          WHERE t._deleted_at IS NULL AND up.level < ${MAX_LEVELS})
       SELECT key, title, parent FROM up ORDER BY level`,
      [key],
    );
  }

  /** Changed and deleted rows after a place, in the order of revision and key. */
  changes(
    table: CatalogTable,
    since: number,
    after: { revision: number; key: string } | undefined,
    limit: number,
  ): Promise<ChangedItem[]> {
    const key = `t.${keyOf(table)}`;
    const parameters: unknown[] = [after?.revision ?? since, table.revision];
    const beyond = after ? `(t._revision, ${key}) > ($1, $${parameters.push(after.key)})` : 't._revision > $1';
    return this.database.query<ChangedItem>(
      `SELECT t._revision::float8 AS revision, ${key} AS key, t._deleted_at IS NOT NULL AS deleted, ${itemOf(table)} AS item
         FROM ${physicalTableName(table)} t
        WHERE ${beyond} AND t._revision >= $1 AND t._revision <= $2
        ORDER BY t._revision, ${key} LIMIT ${limit}`,
      parameters,
    );
  }

  /** Links without a target, by column and key. @param tables all of the workspace. */
  unresolved(
    table: CatalogTable,
    columns: readonly CatalogColumn[],
    tables: readonly CatalogTable[],
    after: { ordinal: number; key: string } | undefined,
    limit: number,
  ): Promise<{ ordinal: number; key: string; column: string; value: string }[]> {
    const key = `r.${keyOf(table)}`;
    const beyond = (column: CatalogColumn) => (after?.ordinal === column.ordinal ? `AND ${key} > $1` : '');
    const each = columns
      .filter(({ ordinal }) => ordinal >= (after?.ordinal ?? 0))
      .map(
        (column) => `(
        SELECT ${column.ordinal} AS ordinal, ${key} AS key, '${column.key}' AS column, r.${physicalColumnName(column)} AS value
          FROM ${physicalTableName(table)} r
         WHERE r._deleted_at IS NULL AND ${unresolvedCondition(table, column, tables)} ${beyond(column)}
         ORDER BY key LIMIT ${limit})`,
      );
    if (each.length === 0) return Promise.resolve([]);
    const used = after && columns.some(({ ordinal }) => ordinal === after.ordinal);
    return this.database.query(
      `SELECT * FROM (${each.join(' UNION ALL ')}) links ORDER BY ordinal, key LIMIT ${limit}`,
      used ? [after.key] : [],
    );
  }
}

function keyOf(table: CatalogTable): string {
  return physicalColumnName(getPrimaryKey(table.columns));
}

/** The row as an object. Arguments of a function are limited to a hundred; those of a row are not. */
function itemOf(table: CatalogTable): string {
  const cells = table.columns.map((column) => `t.${physicalColumnName(column)} AS "${column.key}"`);
  return `(SELECT row_to_json(item) FROM (SELECT ${cells.join(', ')}) item)`;
}
