import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { PlannedColumn } from '../catalog/column-plan.js';
import { columnOf, primaryKeyOf, tableOf } from '../catalog/physical-table.js';

/** The column that says what is below what: the first of its kind. */
export function parentColumnOf(table: CatalogTable): PlannedColumn | undefined {
  return table.columns.find(({ type }) => type === 'hierarchyParent');
}

/**
 * A query of the keys of a row and of all rows below it, as `key`; of none where the table has no such row. It ends on
 * cycles too. Each parent's children are looked up in the index, and the table is not read as a whole: `OFFSET 0`.
 *
 * @param root the row's key, as it stands in the statement. @param depth how many levels below it, likewise.
 */
export function subtreeSql(table: CatalogTable, root: string, depth?: string): string {
  const parent = parentColumnOf(table);
  const name = tableOf(table);
  const key = columnOf(primaryKeyOf(table.columns));
  const top = `SELECT r.${key}${depth ? ', 0' : ''} FROM ${name} r WHERE r.${key} = ${root} AND r._deleted_at IS NULL`;
  if (!parent) return top.replace(`r.${key}`, `r.${key} AS key`);
  const children = `
    SELECT t.${key}${depth ? ', below.level + 1' : ''} FROM below CROSS JOIN LATERAL (
      SELECT r.${key} FROM ${name} r WHERE r.${columnOf(parent)} = below.key AND r._deleted_at IS NULL OFFSET 0) t
     ${depth ? `WHERE below.level < ${depth}` : ''}`;
  return `WITH RECURSIVE below (key${depth ? ', level' : ''}) AS (${top} UNION ${children}) SELECT key FROM below`;
}
