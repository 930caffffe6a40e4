import { type CursorValue, decodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { isIndexed, isLongText, SORTED_CHARACTERS } from '../catalog/column-indexes.js';
import { getColumn } from '../catalog/column-finder.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { nativeType } from '../catalog/column-types.js';
import { getPrimaryKey, sortExpression } from '../catalog/physical-table.js';
import type { Bindings } from './bindings.js';
import type { StoredValue } from '../catalog/stored-value.js';

export const COUNTS = ['exact', 'estimated'] as const;

export interface SortTerm {
  column: CatalogColumn;
  descending: boolean;
}

/**
 * Reads `sort`: `-a,b`. The primary key ends every order, so that no two rows are equal in it: in the direction of the
 * column before it, so that an index of both serves either direction.
 *
 * @throws {InvalidQueryError}
 */
export function parseSort(columns: readonly CatalogColumn[], sort: string | undefined): SortTerm[] {
  const terms = names(sort).map((name) => ({
    column: getColumn(columns, 'sort', name.replace(/^[-+]/, '')),
    descending: name.startsWith('-'),
  }));
  const unique = terms.filter((term, position) => terms.findIndex(({ column }) => column === term.column) === position);
  const primaryKey = getPrimaryKey(columns);
  const end = unique.findIndex(({ column }) => column === primaryKey);
  return end < 0
    ? [...unique, { column: primaryKey, descending: unique.at(-1)?.descending ?? false }]
    : unique.slice(0, end + 1);
}

/** Reads `fields`; the primary key always comes along. @throws {InvalidQueryError} */
export function parseFields(columns: readonly CatalogColumn[], fields: string | undefined): readonly CatalogColumn[] {
  const chosen = new Set(names(fields).map((name) => getColumn(columns, 'fields', name)));
  return chosen.size === 0 ? columns : columns.filter((column) => column.primaryKey || chosen.has(column));
}

/** What stands between the commas of a list. */
export function names(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The order as SQL. PostgreSQL's default: empty values count as larger than all others. */
export function orderBy(terms: readonly SortTerm[]): string {
  return terms.map(({ column, descending }) => `${sortedBy(column)}${descending ? ' DESC' : ''}`).join(', ');
}

/** What a column is sorted by, and what its index has. */
export function sortedBy(column: CatalogColumn): string {
  return sortExpression(column, 't.');
}

/** What of a row decides where it stands, for the cursor after it. */
export function placeOf(row: Record<string, StoredValue>, terms: readonly SortTerm[]): CursorValue[] {
  return terms.map(({ column }) => {
    const value = row[column.key] ?? null;
    if (typeof value !== 'string' || !isLongText(column)) return value;
    // Of twice as many units, since a character may take two.
    return [...value.slice(0, 2 * SORTED_CHARACTERS)].slice(0, SORTED_CHARACTERS).join('');
  });
}

/** The place that a cursor remembers. @throws InvalidCursorError */
export function readCursor(identity: unknown, terms: readonly SortTerm[], cursor: string): CursorValue[] {
  const values = decodeCursor(identity, cursor, terms.length);
  if (!terms.every((term, position) => fits(term.column, values[position]!))) throw new InvalidCursorError();
  return values;
}

/** A part of a statement, with its values bound. */
export type Condition = (bindings: Bindings) => string;

/**
 * The rows after a place, one stretch of them after the other. Where the first column has an index each is a stretch of
 * that, which PostgreSQL finds at once; a condition that has them all it would look for from the beginning.
 */
export function stretchesAfter(terms: readonly SortTerm[], values: readonly CursorValue[]): Condition[] {
  const [{ column, descending }, ...rest] = terms as [SortTerm, ...SortTerm[]];
  if (rest.length === 0 || !isIndexed(column)) return [(bindings) => afterPlace(terms, values, bindings)];
  const value = values[0] ?? null;
  const name = sortedBy(column);
  const stretches: Condition[] = [
    (bindings) => `${isValue(name, value, bindings)} AND ${afterPlace(rest, values.slice(1), bindings)}`,
  ];
  if (value !== null) stretches.push((bindings) => `${name} ${descending ? '<' : '>'} ${bindings.bind(value)}`);
  // Null counts as the largest.
  if (descending ? value === null : value !== null) stretches.push(() => `${name} IS ${descending ? 'NOT ' : ''}NULL`);
  return stretches;
}

/** The rows after a place. */
export function afterPlace(terms: readonly SortTerm[], values: readonly CursorValue[], bindings: Bindings): string {
  // (a > x) or (a = x and (b > y)) or …, built from the last term, which is never empty, to the first.
  return terms.reduceRight((rest, { column, descending }, position) => {
    const value = values[position] ?? null;
    const name = sortedBy(column);
    const beyond = beyondValue(name, descending, value, bindings, !column.primaryKey);
    if (rest === '') return beyond;
    return `(${[beyond, `(${isValue(name, value, bindings)} AND ${rest})`].filter(Boolean).join(' OR ')})`;
  }, '');
}

function isValue(name: string, value: CursorValue, bindings: Bindings): string {
  return value === null ? `${name} IS NULL` : `${name} = ${bindings.bind(value)}`;
}

/** A cursor comes from outside: a value that the column could not hold is not one of ours. */
function fits(column: CatalogColumn, value: CursorValue): boolean {
  if (value === null) return !column.primaryKey;
  const native = nativeType(column.type);
  if (typeof value === 'string') return native === 'text' && !value.includes('\0') && value.isWellFormed();
  return typeof value === native;
}

/** Rows beyond a value in the column's direction; empty where nothing is beyond. Null counts as the largest. */
function beyondValue(
  name: string,
  descending: boolean,
  value: CursorValue,
  bindings: Bindings,
  nullable: boolean,
): string {
  if (value === null) return descending ? `${name} IS NOT NULL` : '';
  const compared = `${name} ${descending ? '<' : '>'} ${bindings.bind(value)}`;
  return nullable && !descending ? `(${compared} OR ${name} IS NULL)` : compared;
}
