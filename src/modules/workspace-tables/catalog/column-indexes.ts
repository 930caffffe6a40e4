import { nativeType } from './pg-array.js';
import { type ColumnOptions, type ColumnType, isReference } from './column-types.js';

/** What of a column tells which index it has. */
interface Indexable {
  type: ColumnType;
  primaryKey: boolean;
  ordinal: number;
  options: ColumnOptions;
}

/** Columns of a table that have an index because somebody wants one. */
export const MAX_INDEXES = 10;

/** Characters that a text is sorted by: a cursor remembers them, and has to fit into an address and into a header. */
export const SORTED_CHARACTERS = 256;

/** Does the table bring an index of its own for the column? It always does for keys, and for links to them. */
export function hasOwnIndex({ type, primaryKey }: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return primaryKey || isReference(type);
}

/** Is an index to be made for the column? */
export function needsIndex(column: Omit<Indexable, 'ordinal'>): boolean {
  return column.options.indexed === true && !hasOwnIndex(column);
}

/** Has the column an index, or is one being made? */
export function isIndexed(column: Omit<Indexable, 'ordinal'>): boolean {
  return hasOwnIndex(column) || needsIndex(column);
}

/** May its values be longer than what rows are sorted by? Keys are short, and so are the links to them. */
export function mayBeLong(column: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return nativeType(column.type) === 'text' && column.type !== 'date' && !hasOwnIndex(column);
}

/** What rows are sorted by, and what an index holds. */
export function sortedExpression(column: Omit<Indexable, 'options'>, of = ''): string {
  const name = `${of}c${column.ordinal}`;
  return mayBeLong(column) ? `left(${name}, ${SORTED_CHARACTERS})` : name;
}
