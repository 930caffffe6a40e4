import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { type CatalogTable, SELECTED_ENTRY, type TableEntry } from './catalog.repository.js';

/** SQL that reads rows of a table. */
export interface RowsQuery {
  /**
   * A SELECT, with a result of at most one row. The parameters `$1` and `$2` are the IDs of the workspace and of the
   * table.
   */
  source: string;
  /** The parameters from `$1`. */
  parameters: readonly unknown[];
}

/**
 * Reads rows together with the entry of their table in the catalog
 * (docs/explanation/performance.md#table-and-rows-in-one-statement).
 */
@Injectable()
export class RowsWithEntryRepository {
  constructor(protected readonly database: Database) {}

  /**
   * The entry of the table, and the row of the source in the same snapshot, NULL in all columns if the source has none.
   * The entry is one column: node-postgres takes longer for each column than for the fields of an object.
   *
   * @returns undefined if the table was dropped.
   */
  async find<Row extends object>(
    table: CatalogTable,
    { source, parameters }: RowsQuery,
  ): Promise<{ entry: TableEntry; row: Row } | undefined> {
    const sql = `
      SELECT (SELECT row_to_json(entry) FROM (SELECT ${SELECTED_ENTRY}) entry) AS entry, r.*
        FROM workspace_tables t LEFT JOIN LATERAL (${source}) r ON TRUE
       WHERE t.workspace_id = $1 AND t.id = $2`;
    const [found] = await this.database.query<{ entry: TableEntry } & Row>(sql, parameters);
    return found && { entry: found.entry, row: found };
  }
}
