import { type ColumnOptions, type ColumnType, isReference, getNativeType } from './column-types.js';

interface Indexable {
  type: ColumnType;
  primaryKey: boolean;
  options: ColumnOptions;
}

/** Maximum number of columns of a table with the option `indexed`. */
export const MAX_INDEXES = 10;

/** Rows are sorted by this many characters of a text, so that a cursor, which contains them, fits into a URL and a header. */
export const SORTED_CHARACTERS = 256;

/** Does the column always have an index? Primary keys and references do, independent of the option `indexed`. */
export function hasOwnIndex({ type, primaryKey }: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return primaryKey || isReference(type);
}

/** Does the column need an index because of its option `indexed`? */
export function needsIndex(column: Indexable): boolean {
  return column.options.indexed === true && !hasOwnIndex(column);
}

/** Does the column have an index, or is one being built? */
export function isIndexed(column: Indexable): boolean {
  return hasOwnIndex(column) || needsIndex(column);
}

/** Can values be longer than SORTED_CHARACTERS? Keys and references cannot. */
export function isLongText(column: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return getNativeType(column.type) === 'text' && column.type !== 'date' && !hasOwnIndex(column);
}
