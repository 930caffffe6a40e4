import { InvalidQueryError } from '../workspace-tables.errors.js';
import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from './physical-table.js';

/** The column that defines the hierarchy of the table: its first `hierarchyParent` column. */
export function findParentColumn(table: CatalogTable): CatalogColumn | undefined {
  return table.columns.find(({ type }) => type === 'hierarchyParent');
}

/** @param field the parameter of the request that needs a hierarchy. @throws {InvalidQueryError} */
export function getParentColumn(table: CatalogTable, field: string): CatalogColumn {
  const parent = findParentColumn(table);
  if (parent) return parent;
  const message = 'The table has no hierarchyParent column, so its rows have no hierarchy.';
  throw new InvalidQueryError(field, 'no_hierarchy', message);
}

/**
 * A query for a row and its subtree, with the columns `key` and `at` (the `ctid`, which finds the other columns of the
 * row faster than its key); empty if the row does not exist. UNION ends it on cycles. `OFFSET 0` makes PostgreSQL look up
 * the children of each row in the index instead of reading the whole table.
 *
 * @param root SQL expression for the key of the row.
 * @param depth SQL expression for the maximum number of levels below the row.
 */
export function subtreeSql(table: CatalogTable, root: string, depth?: string): string {
  const parent = findParentColumn(table);
  const name = physicalTableName(table);
  const key = physicalKeyName(table);
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
