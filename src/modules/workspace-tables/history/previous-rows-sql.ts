import { quoteLiteral } from '../../../platform/database/sql-literal.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import { physicalColumnNames, physicalKeyName, previousRowsName } from '../catalog/physical-table.js';

/**
 * An INSERT of previous rows of a batch. It calls only immutable functions, so that a cluster executes it on the node
 * of the table.
 *
 * @param source FROM clause with the rows.
 * @param toValue SQL: a column of the row.
 */
export function copyPrevious(
  table: CatalogTable,
  batchId: string,
  source: string,
  toValue = (name: string) => `t.${name}`,
): string {
  const names = physicalColumnNames(table);
  return `INSERT INTO ${previousRowsName(table)} AS u (_batch_id, ${names.join(', ')})
          SELECT ${quoteLiteral(batchId)}::uuid, ${names.map(toValue).join(', ')} ${source}`;
}

/** An INSERT of tombstones, for rows that are created again. @param source FROM clause with the tombstones `d`. */
export function copyTombstones(table: CatalogTable, batchId: string, source: string): string {
  return `INSERT INTO ${previousRowsName(table)} (_batch_id, _existed, ${tombstoneColumns(table).join(', ')})
          SELECT ${quoteLiteral(batchId)}::uuid, false, ${TOMBSTONE} ${source}`;
}

/** The columns of a previous row that a tombstone `d` has, in the order of `TOMBSTONE`. */
export function tombstoneColumns(table: CatalogTable): string[] {
  return [physicalKeyName(table), '_revision', '_created_at', '_updated_at'];
}

/** SQL: the values of a tombstone `d`. */
export const TOMBSTONE = 'd.key, d.revision, d.created_at, d.deleted_at';
