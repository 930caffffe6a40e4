import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { StoredRow } from '../catalog/rows.repository.js';
import { RowHistory } from '../catalog/row-history.js';
import type { RowsToWrite } from '../sources/relation.js';
import { buildRowWrite, type RowWrite } from './row-write-sql.js';

/** A row as one statement has written it. */
export interface DirectlyWrittenRow extends StoredRow {
  key: string;
  /** The name of the table when the row was written. */
  tableName: string;
  created: boolean;
}

/** Writes single rows by one statement, which also locks their table. */
@Injectable()
export class RowWritesRepository {
  constructor(
    private readonly database: Database,
    private readonly history: RowHistory,
  ) {}

  /**
   * @param events ID and caller of the event of each key.
   * @param revision that the table must have, if known.
   * @returns the written rows; the others are equal or do not meet a condition. Undefined if another transaction has
   *   the lock, or the table has changed.
   */
  async write(
    table: CatalogTable,
    rows: RowsToWrite,
    write: RowWrite,
    events: Record<string, object>,
    revision: number | undefined,
  ): Promise<DirectlyWrittenRow[] | undefined> {
    const { workspaceId, id, definitionId, nameKey } = table;
    const conditions = [workspaceId, id, definitionId, nameKey, revision ?? null];
    const parameters = [...rows.parameters, ...conditions, JSON.stringify(events)];
    const sql = buildRowWrite(table, rows, write, this.history.isStored(table));
    const written = await this.database.query<DirectlyWrittenRow | { key: null }>(sql, parameters);
    return written.length === 0 ? undefined : written.filter((row) => row.key !== null);
  }
}
