import { type CursorValue, type KeyColumn, Keyset } from '../../../sql/src/keyset.js';
import { isStorable } from '../../../tabular/src/normalization.js';
import { getColumn } from '../catalog/column-finder.js';
import { isLongText } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import { getPrimaryKey, sortExpression } from '../catalog/physical-table.js';
import type { RowValues } from '../catalog/row-sql.js';
import { truncateText } from './filter-compiler.js';

export interface SortTerm {
  column: CatalogColumn;
  descending: boolean;
}

/**
 * Parses `sort`, such as `-a,b`. Every order ends with the primary key, so that no two rows are equal, in the direction
 * of the preceding term, so that an index of both columns serves it.
 *
 * @throws {InvalidQueryError}
 */
export function parseSort(columns: readonly CatalogColumn[], sort: string | undefined): SortTerm[] {
  const terms = new Map<CatalogColumn, SortTerm>();
  for (const name of splitList(sort)) {
    const column = getColumn(columns, 'sort', name.replace(/^[-+]/, ''));
    if (!terms.has(column)) terms.set(column, { column, descending: name.startsWith('-') });
  }
  const unique = [...terms.values()];
  const primaryKey = getPrimaryKey(columns);
  const end = unique.findIndex(({ column }) => column === primaryKey);
  return end < 0
    ? [...unique, { column: primaryKey, descending: unique.at(-1)?.descending ?? false }]
    : unique.slice(0, end + 1);
}

/** The non-empty elements of a list separated by commas. */
export function splitList(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** @param others of values that follow those of the order in cursors. */
export function toKeyset(order: readonly SortTerm[], others: readonly KeyColumn[] = []): Keyset {
  const columns = order.map(({ column, descending }) => {
    const isValid = (value: CursorValue) => isPossibleValue(column, value);
    return { sql: sortExpression(column, 't.'), descending, isValid };
  });
  return new Keyset([...columns, ...others]);
}

export function getCursorPosition(row: RowValues, order: readonly SortTerm[]): CursorValue[] {
  return order.map(({ column }) => {
    const value = row[column.key] ?? null;
    return typeof value === 'string' && isLongText(column) ? truncateText(value) : value;
  });
}

function isPossibleValue(column: CatalogColumn, value: CursorValue): boolean {
  if (value === null) return !column.primaryKey;
  const native = getNativeType(column.type);
  return typeof value === 'string' ? native === 'text' && isStorable(value) : typeof value === native;
}
