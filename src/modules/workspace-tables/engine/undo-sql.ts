import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalColumnNames, physicalKeyName, previousRowsName } from '../catalog/physical-table.js';
import type { OpenBatch } from './open-batch.js';

/** SQL: the bytes of the previous row `u`. */
export const ROW_BYTES = 'pg_column_size(u)';

/** SQL: the bytes that the common table expression `saved` has stored. */
export const SAVED_BYTES = sumSavedBytes('saved');

/** The same for an expression with another name. */
export function sumSavedBytes(name: string): string {
  return `(SELECT coalesce(sum(bytes), 0) FROM ${name})::float8`;
}

/** An INSERT of previous rows. @param source SELECT of `physicalColumnNames`, in their order. */
export function insertPrevious(table: CatalogTable, { id }: Pick<OpenBatch, 'id'>, source: string): string {
  return `INSERT INTO ${previousRowsName(table)} AS u (_batch_id, ${physicalColumnNames(table).join(', ')})
          SELECT ${quoteLiteral(id)}::uuid, p.* FROM (${source}) p RETURNING ${ROW_BYTES} AS bytes`;
}

/**
 * The same as a statement of its own. A cluster executes it on the node of the table, as it does with each `INSERT … SELECT` that reads a table of
 * that node and calls only immutable functions. @param source FROM clause with the rows `t`.
 */
export function copyPrevious(table: CatalogTable, { id }: Pick<OpenBatch, 'id'>, source: string): string {
  return `INSERT INTO ${previousRowsName(table)} AS u (_batch_id, ${physicalColumnNames(table).join(', ')})
          SELECT ${quoteLiteral(id)}::uuid, ${selectPrevious(table, 't')} ${source}`;
}

/** SQL: the columns of a row, to be selected. @param alias of the row. @param prefix of the names that they get. */
export function selectPrevious(table: CatalogTable, alias: string, prefix = ''): string {
  return physicalColumnNames(table)
    .map((name) => (prefix ? `${alias}.${name} AS ${prefix}${name}` : `${alias}.${name}`))
    .join(', ');
}

/** An INSERT of tombstones, for rows that are created again. @param source FROM clause with the tombstones `d`. */
export function copyTombstones(table: CatalogTable, { id }: Pick<OpenBatch, 'id'>, source: string): string {
  return `INSERT INTO ${previousRowsName(table)} AS u (_batch_id, _existed, ${tombstoneColumns(table).join(', ')})
          SELECT ${quoteLiteral(id)}::uuid, false, ${TOMBSTONE} ${source}`;
}

/** The columns of a previous row that a tombstone `d` has, in the order of `TOMBSTONE`. */
export function tombstoneColumns(table: CatalogTable): string[] {
  return [physicalKeyName(table), '_revision', '_created_at', '_updated_at'];
}

/** SQL: the values of a tombstone `d`. */
export const TOMBSTONE = 'd.key, d.revision, d.created_at, d.deleted_at';
