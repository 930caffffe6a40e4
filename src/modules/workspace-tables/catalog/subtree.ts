import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from './physical-table.js';

/** The column that says what is below what: the first of its kind. */
export function findParentColumn(table: CatalogTable): CatalogColumn | undefined {
  return table.columns.find(({ type }) => type === 'hierarchyParent');
}

/** The same, where there must be one. @throws {InvalidQueryError} naming the field that asks for it. */
export function getParentColumn(table: CatalogTable, field: string): CatalogColumn {
  const parent = findParentColumn(table);
  if (parent) return parent;
  const message = 'The table has no column of the type hierarchyParent, so no row is below another.';
  throw new InvalidQueryError(field, 'no_hierarchy', message);
}

/**
 * A query of a row and of all rows below it, each by its `key` and by where it lies, `at`; of none where the table has no
 * such row. It ends on cycles too. Each parent's children are looked up in the index, and the table is not read as a
 * whole: `OFFSET 0`. Where a row lies, its other columns are found faster than by its key.
 *
 * @param root the row's key, as it stands in the statement. @param depth how many levels below it, likewise.
 */
export function subtreeSql(table: CatalogTable, root: string, depth?: string): string {
  const parent = findParentColumn(table);
  const name = physicalTableName(table);
  const key = physicalColumnName(getPrimaryKey(table.columns));
  const top = `SELECT r.${key} AS key, r.ctid AS at${depth ? ', 0' : ''}
                 FROM ${name} r WHERE r.${key} = ${root} AND r._deleted_at IS NULL`;
  if (!parent) return top;
  const children = `
    SELECT t.key, t.at${depth ? ', below.level + 1' : ''} FROM below CROSS JOIN LATERAL (
      SELECT r.${key} AS key, r.ctid AS at
        FROM ${name} r WHERE r.${physicalColumnName(parent)} = below.key AND r._deleted_at IS NULL OFFSET 0) t
     ${depth ? `WHERE below.level < ${depth}` : ''}`;
  return `WITH RECURSIVE below (key, at${depth ? ', level' : ''}) AS (${top} UNION ${children}) SELECT key, at FROM below`;
}
