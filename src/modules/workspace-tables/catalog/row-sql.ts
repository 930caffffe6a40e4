import type { CatalogTable } from './catalog.repository.js';
import { nativeType } from './column-types.js';
import { physicalColumnName, physicalKeyName } from './physical-table.js';
import type { StoredValue } from './stored-value.js';

/** A row: column key to value. */
export type RowValues = Record<string, StoredValue>;

/** Two expressions on the row `t`: `key`, and `name`, the value of the column `name` or, if it is empty, the key. */
export function selectKeyAndName(table: CatalogTable): string {
  const key = `t.${physicalKeyName(table)}`;
  const named = table.columns.find((column) => column.key === 'name' && nativeType(column.type) === 'text');
  return `${key} AS key, ${named ? `coalesce(nullif(t.${physicalColumnName(named)}, ''), ${key})` : key} AS name`;
}

/** The row `t` as a JSON object. PostgreSQL limits the arguments of a function to 100, but not the columns of a row. */
export function rowToJson({ columns }: CatalogTable): string {
  const cells = columns.map((column) => `t.${physicalColumnName(column)} AS "${column.key}"`);
  return `(SELECT row_to_json(item) FROM (SELECT ${cells.join(', ')}) item)`;
}
