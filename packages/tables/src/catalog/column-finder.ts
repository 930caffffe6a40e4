import { ColumnFinder } from '../../../tabular/src/column-finder.js';
import { InvalidQueryError } from './query.errors.js';
import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';

/** A query can name thousands of columns: those of a table are indexed once. Arrays of columns never change. */
const FINDERS = new WeakMap<readonly CatalogColumn[], ColumnFinder<CatalogColumn>>();

/** The candidates: the column with exactly this key, else all whose key or name matches in any letter case. */
export function findColumns(columns: readonly CatalogColumn[], name: string): readonly CatalogColumn[] {
  let finder = FINDERS.get(columns);
  if (!finder) FINDERS.set(columns, (finder = new ColumnFinder(columns)));
  return finder.find(name);
}

/**
 * The column that a query names.
 *
 * @param field the parameter of the query.
 * @param owner the beginning of the message.
 * @throws {InvalidQueryError}
 */
export function getColumn(
  columns: readonly CatalogColumn[],
  field: string,
  name: string,
  owner = 'The table',
): CatalogColumn {
  const found = findColumns(columns, name);
  if (found.length === 1) return found[0]!;
  const quoted = `"${name.slice(0, 80)}"`;
  if (found.length === 0) {
    const message = `${owner} has no column ${quoted}. ${describeKnown(columns)}`;
    throw new InvalidQueryError(field, 'unknown_column', message);
  }
  const keys = found.map(({ key }) => `"${key}"`).join(', ');
  throw new InvalidQueryError(
    field,
    'ambiguous_column',
    `${quoted} matches several columns. Send one of the keys ${keys}.`,
  );
}

/** A sentence for errors. */
export function describeKnown(columns: readonly Pick<CatalogColumn, 'key'>[]): string {
  return `Known columns: ${[...new Set(columns.map(({ key }) => key))].join(', ') || 'none'}.`;
}

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
