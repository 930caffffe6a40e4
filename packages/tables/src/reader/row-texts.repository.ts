import type { Sql } from '../../../sql/src/sql.js';
import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { encodeArray } from '../catalog/pg-array.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { rowsByKeys, rowToJson, type RowValues } from '../catalog/row-sql.js';

/** Tables whose keys one statement lists. */
const LISTED_TOGETHER = 20;

export class RowTextsRepository {
  constructor(private readonly sql: Sql) {}

  /** The rows with these keys in the order of their keys, as many as a page contains. */
  readByKeys(table: CatalogTable, keys: readonly string[]): Promise<RowPage<{ key: string; item: RowValues }>> {
    const sql = `SELECT t.${physicalKeyName(table)} AS key, ${rowToJson(table)} AS item FROM ${rowsByKeys(table, '$1')} t
                  ORDER BY key`;
    const statement = { sql, parameters: [encodeArray('text', keys)], sized: ['item'] };
    return readPage(this.sql, statement, keys.length);
  }

  /** Keys of each table, in any order: with one, PostgreSQL could walk along a whole index. */
  async listKeys(tables: readonly CatalogTable[], limit: number): Promise<{ id: string; keys: string[] }[]> {
    const found: { id: string; keys: string[] }[] = [];
    for (let from = 0; from < tables.length; from += LISTED_TOGETHER) {
      const parts = tables.slice(from, from + LISTED_TOGETHER).map(
        (table) =>
          `SELECT '${table.id}' AS id,
                  ARRAY(SELECT t.${physicalKeyName(table)} FROM ${physicalTableName(table)} t LIMIT ${limit}) AS keys`,
      );
      found.push(...(await this.sql.query<{ id: string; keys: string[] }>(parts.join(' UNION ALL '))));
    }
    return found;
  }
}
