import { Injectable } from '@nestjs/common';
import { Database, PLAN_EACH_TIME } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalColumnName } from '../catalog/physical-table.js';
import { rowToJson, type RowValues } from '../catalog/row-sql.js';
import { type RestoredRows, selectRowsToRestore } from './moment-sql.js';

/** A row that differs from that of the moment. */
export interface RowToRestore {
  key: string;
  /** As it was; null if it did not exist. */
  item: RowValues | null;
}

@Injectable()
export class RestoredRowsRepository {
  constructor(private readonly database: Database) {}

  /**
   * The selected rows that differ from those of the moment, in the columns that the table had then.
   *
   * @param past the table as of the moment.
   * @param limit of the rows.
   */
  list(past: CatalogTable, table: CatalogTable, rows: RestoredRows, limit: number): Promise<RowToRestore[]> {
    const columns = past.columns.filter(({ addedRevision = 0 }) => addedRevision <= past.revision);
    const names = columns.map(physicalColumnName);
    const sql = selectRowsToRestore(past, table, rows, rowToJson({ columns }), names);
    return this.database.query<RowToRestore>(`${sql} LIMIT ${limit}`, [], PLAN_EACH_TIME);
  }
}
