import { readPage, type RowPage } from '../../../sql/src/page-reader.js';
import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { encodeArray } from '../catalog/binary-format.js';
import { physicalColumnName, physicalKeyName, physicalTableName, withAllRows } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';

/** The conditions on rows that a restoration selects, for the row `t`. Empty: all rows. */
export interface RestoredRows {
  /** On the rows as of the moment. */
  then: readonly string[];
  /** On the rows of now. */
  now: readonly string[];
}

/** A row that differs from that of the moment. */
export interface RowToRestore {
  key: string;
  /** As it was, without columns that the caller may not change; null if it did not exist for the caller. */
  item: RowValues | null;
  /** Did it exist then, outside of the part that the access policies of the caller permit? */
  wasOutside: boolean;
  /** The key of a column that differs although the caller may not change it. */
  readOnly: string | null;
}

export class RestoredRowsRepository {
  constructor(private readonly sql: Sql) {}

  /**
   * The selected rows that differ from those of the moment, in the columns that the table had then.
   *
   * @param past the table as of the moment.
   * @param limits of the rows and of the bytes of their values.
   */
  list(
    past: CatalogTable,
    table: CatalogTable,
    { then, now }: RestoredRows,
    limits: { rows: number; bytes: number },
  ): Promise<RowPage<RowToRestore>> {
    const compared = past.columns.filter(({ addedRevision = 0 }) => addedRevision <= past.revision);
    const readOnly = compared.filter(({ key, primaryKey }) => !primaryKey && table.permission?.readOnly.has(key));
    const item = rowToJson({ columns: compared.filter((column) => !readOnly.includes(column)) });
    const key = physicalKeyName(table);
    const select = (from: CatalogTable, conditions: readonly string[]) =>
      `SELECT t.${key} AS key FROM ${physicalTableName(from)} t WHERE ${['true', ...conditions].join(' AND ')}`;
    const differs = (column: CatalogColumn) => {
      const name = physicalColumnName(column);
      return `t.${name} IS DISTINCT FROM n.${name}`;
    };
    const protectedColumn = readOnly.map((column) => `WHEN ${differs(column)} THEN '${column.key}'`);
    const sql = `
       WITH selected AS MATERIALIZED (${select(past, then)} UNION ${select(table, now)})
       SELECT s.key, CASE WHEN t.${key} IS NOT NULL THEN ${item} END AS item,
              CASE WHEN t.${key} IS NULL THEN NULL ${protectedColumn.join(' ')} END AS "readOnly",
              t.${key} IS NULL AND EXISTS (SELECT 1 FROM ${physicalTableName(withAllRows(past))} o WHERE o.${key} = s.key) AS "wasOutside"
         FROM selected s
         LEFT JOIN ${physicalTableName(past)} t ON t.${key} = s.key
         LEFT JOIN ${physicalTableName(table)} n ON n.${key} = s.key
        WHERE ${[`(t.${key} IS NULL) <> (n.${key} IS NULL)`, ...compared.map(differs)].join(' OR ')}
        ORDER BY s.key`;
    return readPage(this.sql, { sql, parameters: [], sized: ['item'] }, limits.rows, { maxBytes: limits.bytes });
  }

  /** Those of the keys that no row of the table had at the moment, or has now. */
  async listMissing(past: CatalogTable, table: CatalogTable, keys: readonly string[]): Promise<string[]> {
    const key = physicalKeyName(table);
    const isMissing = [past, table].map(
      (each) => `NOT EXISTS (SELECT 1 FROM ${physicalTableName(each)} t WHERE t.${key} = k.key)`,
    );
    const missing = await this.sql.query<{ key: string }>(
      `SELECT DISTINCT k.key FROM unnest($1::text[]) k(key) WHERE ${isMissing.join(' AND ')} ORDER BY 1`,
      [encodeArray('text', keys)],
    );
    return missing.map((row) => row.key);
  }
}
