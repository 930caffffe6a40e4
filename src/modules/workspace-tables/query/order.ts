import { type CursorValue, decodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { isStorable } from '../../../platform/http/validation/text.decorators.js';
import { getColumn } from '../catalog/column-finder.js';
import { isIndexed, isLongText } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType } from '../catalog/column-types.js';
import { getPrimaryKey, sortExpression } from '../catalog/physical-table.js';
import type { RowValues } from '../catalog/row-sql.js';
import type { Bindings, Condition } from './bindings.js';
import { truncateText } from './filter-compiler.js';

export interface SortTerm {
  column: CatalogColumn;
  descending: boolean;
}

/** The values of the last row of a page in the terms of its order: the content of a cursor. */
export type CursorPosition = readonly CursorValue[];

/**
 * Parses `sort`, such as `-a,b`. Every order ends with the primary key, so that no two rows are equal, in the direction
 * of the preceding term, so that an index of both columns serves it.
 *
 * @throws {InvalidQueryError}
 */
export function parseSort(columns: readonly CatalogColumn[], sort: string | undefined): SortTerm[] {
  const terms = splitList(sort).map((name) => ({
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

/** The non-empty elements of a list separated by commas. */
export function splitList(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The terms of ORDER BY. By PostgreSQL's default, null is larger than every value. */
export function compileOrder(order: readonly SortTerm[]): string {
  return order
    .map(({ column, descending }) => `${sortExpression(column, 't.')}${descending ? ' DESC' : ''}`)
    .join(', ');
}

export function getCursorPosition(row: RowValues, order: readonly SortTerm[]): CursorValue[] {
  return order.map(({ column }) => {
    const value = row[column.key] ?? null;
    return typeof value === 'string' && isLongText(column) ? truncateText(value) : value;
  });
}

/**
 * @param others the number of values that follow those of the order.
 * @throws {InvalidCursorError} if the cursor belongs to another query, or contains a value that its column cannot have.
 */
export function parseCursor(identity: unknown, order: readonly SortTerm[], cursor: string, others = 0): CursorPosition {
  const values = decodeCursor(identity, cursor, order.length + others);
  if (!order.every((term, position) => isPossibleValue(term.column, values[position]!))) throw new InvalidCursorError();
  return values;
}

/** Cursors are untrusted input. */
function isPossibleValue(column: CatalogColumn, value: CursorValue): boolean {
  if (value === null) return !column.primaryKey;
  const native = getNativeType(column.type);
  return typeof value === 'string' ? native === 'text' && isStorable(value) : typeof value === native;
}

/**
 * The keyset conditions for the rows after a position, for statements that are run one after the other until the page
 * is full. If the first column has an index, each condition selects a contiguous range of it. PostgreSQL would read the
 * index from its start for a single condition that combines the ranges with OR.
 *
 * @param isServed does a composite index serve the order? Each condition then selects a range of it.
 */
export function compileKeysets(order: readonly SortTerm[], after: CursorPosition, isServed = false): Condition[] {
  const [{ column, descending }, ...rest] = order as [SortTerm, ...SortTerm[]];
  if (rest.length === 0 || !(isServed || isIndexed(column)))
    return [(bindings) => compileKeyset(order, after, bindings)];
  const value = after[0] ?? null;
  const name = sortExpression(column, 't.');
  const following: Condition[] = isServed
    ? compileKeysets(rest, after.slice(1), isServed)
    : [(bindings) => compileKeyset(rest, after.slice(1), bindings)];
  const conditions = following.map(
    (condition): Condition =>
      (bindings) =>
        `${compileEquality(name, value, bindings)} AND ${condition(bindings)}`,
  );
  if (value !== null) conditions.push((bindings) => `${name} ${descending ? '<' : '>'} ${bindings.bind(value)}`);
  // Null is larger than every value.
  if (descending ? value === null : value !== null) conditions.push(() => `${name} IS ${descending ? 'NOT ' : ''}NULL`);
  return conditions;
}

/** The keyset condition for the rows after a position as one expression: `(a > x OR (a = x AND (b > y OR …)))`. */
export function compileKeyset(order: readonly SortTerm[], after: CursorPosition, bindings: Bindings): string {
  // Built from the last term, the primary key, which is never null.
  return order.reduceRight((rest, { column, descending }, position) => {
    const value = after[position] ?? null;
    const name = sortExpression(column, 't.');
    const greater = compileGreater(name, descending, value, bindings, !column.primaryKey);
    if (rest === '') return greater;
    return `(${[greater, `(${compileEquality(name, value, bindings)} AND ${rest})`].filter(Boolean).join(' OR ')})`;
  }, '');
}

function compileEquality(name: string, value: CursorValue, bindings: Bindings): string {
  return value === null ? `${name} IS NULL` : `${name} = ${bindings.bind(value)}`;
}

/** The condition for values after the given one in the direction of the term; empty if there are none. */
function compileGreater(
  name: string,
  descending: boolean,
  value: CursorValue,
  bindings: Bindings,
  nullable: boolean,
): string {
  if (value === null) return descending ? `${name} IS NOT NULL` : '';
  const comparison = `${name} ${descending ? '<' : '>'} ${bindings.bind(value)}`;
  return nullable && !descending ? `(${comparison} OR ${name} IS NULL)` : comparison;
}
