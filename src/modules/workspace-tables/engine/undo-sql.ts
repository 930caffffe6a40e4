import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalKeyName, undoRowsName } from '../catalog/physical-table.js';
import type { OpenBatch } from './batch-recorder.js';

/** The first part of an INSERT of previous rows: a SELECT of `key` and `previous` completes it. */
export function insertPrevious(table: CatalogTable, { id }: Pick<OpenBatch, 'id'>, source: string): string {
  return `INSERT INTO ${undoRowsName(table.workspaceId)} (batch_id, table_id, key, previous)
          SELECT ${quoteLiteral(id)}::uuid, ${quoteLiteral(table.id)}::uuid, p.key, p.previous FROM (${source}) p
          RETURNING octet_length(previous::text) AS bytes`;
}

/** SQL: the bytes that the common table expression `saved` has stored. */
export const SAVED_BYTES = '(SELECT coalesce(sum(bytes), 0) FROM saved)::float8';

/** Removes tombstones as `removal` does, and stores them. @param removal a DELETE of rows `w`. */
export function saveTombstones(table: CatalogTable, batch: OpenBatch, removal: string): string {
  return `WITH removed AS (${removal} RETURNING w.*),
               saved AS (${insertPrevious(table, batch, `SELECT r.${physicalKeyName(table)} AS key, row_to_json(r) AS previous FROM removed r`)})
          SELECT ${SAVED_BYTES} AS bytes`;
}
