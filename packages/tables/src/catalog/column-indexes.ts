import { type ColumnType } from '../../../tabular/src/coercions.js';
import { type ColumnOptions, isReference, getNativeType } from './column-types.js';

interface Indexable {
  type: ColumnType;
  primaryKey: boolean;
  options: ColumnOptions;
}

/** Maximum number of columns of a table with the option `indexed` or `unique`. */
export const MAX_INDEXES = 10;

/** Maximum number of composite indexes of a table, and the numbers of their columns. */
export const MAX_COMPOSITE_INDEXES = 5;
export const MIN_COMPOSITE_COLUMNS = 2;
export const MAX_COMPOSITE_COLUMNS = 4;

/**
 * Rows are sorted by this many characters of a text, so that a cursor, which contains them, fits into a URL and a
 * header.
 */
export const SORTED_CHARACTERS = 256;

/**
 * A composite index contains this many characters of a text or reference, except in its last column, by which it sorts.
 * With three such columns, a sorted text, the key, and four bytes per character, an entry fits into the 2,704 bytes
 * that PostgreSQL allows.
 */
const FILTERED_CHARACTERS = 40;

/** Does the column always have an index? Primary keys and references do, independent of the option `indexed`. */
export function hasOwnIndex({ type, primaryKey }: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return primaryKey || isReference(type);
}

/** Does the column need an index because of its option `indexed` or `unique`? */
export function needsIndex(column: Indexable): boolean {
  return (column.options.indexed === true || column.options.unique === true) && !hasOwnIndex(column);
}

/** Does the column have an index, or is one being built? */
export function isIndexed(column: Indexable): boolean {
  return hasOwnIndex(column) || needsIndex(column);
}

/** Can values be longer than SORTED_CHARACTERS? Keys and references cannot. */
export function isLongText(column: Pick<Indexable, 'type' | 'primaryKey'>): boolean {
  return getNativeType(column.type) === 'text' && column.type !== 'date' && !hasOwnIndex(column);
}

/**
 * How many characters of a column an index contains; undefined if it contains whole values.
 *
 * @param isLast its last column?
 */
export function findPrefixLength(column: Pick<Indexable, 'type' | 'primaryKey'>, isLast: boolean): number | undefined {
  if (isLast) return isLongText(column) ? SORTED_CHARACTERS : undefined;
  return getNativeType(column.type) === 'text' && column.type !== 'date' ? FILTERED_CHARACTERS : undefined;
}
