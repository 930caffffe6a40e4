import type { Sql } from '../../../sql/src/sql.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { encodeArray } from '../catalog/pg-array.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { type RestoredRows, selectMissingKeys, selectRowsToRestore } from './moment-sql.js';

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
   * @param limit of the rows.
   */
  list(past: CatalogTable, table: CatalogTable, rows: RestoredRows, limit: number): Promise<RowToRestore[]> {
    const compared = past.columns.filter(({ addedRevision = 0 }) => addedRevision <= past.revision);
    const readOnly = compared.filter(({ key, primaryKey }) => !primaryKey && table.permission?.readOnly.has(key));
    const item = rowToJson({ columns: compared.filter((column) => !readOnly.includes(column)) });
    const sql = selectRowsToRestore(past, table, rows, { item, compared, readOnly });
    return this.sql.query<RowToRestore>(`${sql} LIMIT ${limit}`, []);
  }

  /** Those of the keys that no row of the table had at the moment, or has now. */
  async listMissing(past: CatalogTable, table: CatalogTable, keys: readonly string[]): Promise<string[]> {
    const sql = selectMissingKeys(past, table, '$1');
    const missing = await this.sql.query<{ key: string }>(sql, [encodeArray('text', keys)]);
    return missing.map(({ key }) => key);
  }
}
