import type { CatalogTable } from '../catalog/catalog-table.js';
import { findPrefixLength, isIndexed, MAX_COMPOSITE_COLUMNS } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getPrimaryKey, indexExpression } from '../catalog/physical-table.js';
import { findOwnPrefixLength } from './filter-compiler.js';
import { type Comparison, type FilterExpression, isComparison, isDay } from './filter-expression.js';
import type { SortTerm } from './order.js';

/** Operators that a range of an index serves. A day is a range for `eq`, too. */
const COMPARED: readonly string[] = ['eq', 'lt', 'lte', 'gt', 'gte', 'in', 'between', 'startsWith'];

/** A composite index that the conditions of a query match. */
export interface UsedIndex {
  /** The columns of the index, without the primary key at its end. */
  columns: readonly CatalogColumn[];
  /** The number of its first columns that filters compare with one value. */
  equal: number;
  /** Are its entries with these values in the order of the query? */
  servesOrder: boolean;
}

type Indexed = Pick<CatalogTable, 'columns' | 'indexes'>;
type Query = readonly [filters: readonly FilterExpression[], order: readonly SortTerm[]];

/**
 * Chooses the composite index for a query: one that serves its order, else one that finds fewer rows than the index of
 * a single column. PostgreSQL may choose another plan, but it can use a composite index only if the conditions compare
 * the same expressions as the index.
 */
export function chooseIndex({ columns, indexes }: Indexed, ...[filters, order]: Query): UsedIndex | undefined {
  const equalColumns = listEqualColumns(filters);
  const candidates = indexes
    .map((ordinals) => {
      const indexed = ordinals.map((each) => columns.find(({ ordinal }) => ordinal === each)!);
      const other = indexed.findIndex((column) => !equalColumns.has(column));
      const equal = other < 0 ? indexed.length : other;
      return { columns: indexed, equal, servesOrder: servesOrder(columns, indexed, equal, order) };
    })
    .filter((index) => index.servesOrder || index.equal > 1 || (index.equal === 1 && !isIndexed(index.columns[0]!)));
  const rank = ({ servesOrder, equal }: UsedIndex) => (servesOrder ? MAX_COMPOSITE_COLUMNS : 0) + equal;
  return candidates.toSorted((a, b) => rank(b) - rank(a))[0];
}

/** How many characters the conditions on a column compare: those that the used index, or the column's own, contains. */
export function findUsedPrefixLength(index: UsedIndex | undefined, column: CatalogColumn): number | undefined {
  const at = index ? index.columns.indexOf(column) : -1;
  return index && at >= 0 && at <= index.equal
    ? findPrefixLength(column, column === index.columns.at(-1))
    : findOwnPrefixLength(column);
}

/**
 * The terms of ORDER BY for the columns with one value each. PostgreSQL ignores those that `=` compares; with those
 * that are empty it finds that the index has the order of the query.
 */
export function compileEqualTerms({ columns, equal }: UsedIndex, descending: boolean): string[] {
  return columns.slice(0, equal).map((column) => {
    const characters = findPrefixLength(column, column === columns.at(-1));
    return `${indexExpression(column, characters, 't.')}${descending ? ' DESC' : ''}`;
  });
}

/**
 * The columns of an index that would serve the query: those of `eq` filters, then those of its order, else one with
 * another comparison. Undefined if an index already serves it, or none would.
 */
export function findIndexToSuggest(table: Indexed, ...[filters, order]: Query): string[] | undefined {
  const equal = [...listEqualColumns(filters)];
  const sorted = order.filter(({ column }) => !column.primaryKey).map(({ column }) => column);
  const comparisons = filters.filter(isComparison);
  const compared = comparisons.filter(({ operator }) => COMPARED.includes(operator)).map(({ column }) => column);
  const last = sorted.length > 0 ? sorted : equal.length > 0 ? [] : compared.slice(0, 1);
  // Without an `eq` filter the index would only sort: other conditions might select few of its rows.
  if (equal.length === 0 && filters.some((each) => !isComparison(each) || each.column !== last[0])) return undefined;
  const suggested = [...new Set([...equal, ...last])];
  if (suggested.length === 0 || suggested.length > MAX_COMPOSITE_COLUMNS) return undefined;
  if (suggested.some(({ primaryKey }) => primaryKey)) return undefined;
  if (chooseIndex(table, filters, order)?.servesOrder) return undefined;
  if (suggested.length === 1) return isIndexed(suggested[0]!) ? undefined : [suggested[0]!.key];
  const extended = { columns: table.columns, indexes: [suggested.map(({ ordinal }) => ordinal)] };
  return chooseIndex(extended, filters, order)?.servesOrder ? suggested.map(({ key }) => key) : undefined;
}

/** Can an index of the column find the rows that meet the filter? */
export function isCompared(comparison: Comparison): boolean {
  return isEqual(comparison) || COMPARED.includes(comparison.operator);
}

/** Have all rows that meet the filter one value? */
function isEqual({ column, operator, value }: Comparison): boolean {
  return (operator === 'eq' && !isDay(column, value)) || (operator === 'null' && value === true);
}

function listEqualColumns(filters: readonly FilterExpression[]): Set<CatalogColumn> {
  const equal = filters.filter(isComparison).filter(isEqual);
  return new Set(equal.map(({ column }) => column));
}

/** An index is in the order of a query if its remaining columns are those of the order, all in one direction. */
function servesOrder(
  all: readonly CatalogColumn[],
  columns: readonly CatalogColumn[],
  equal: number,
  order: readonly SortTerm[],
): boolean {
  const remaining = [...columns.slice(equal), getPrimaryKey(all)];
  const isSorted = (column: CatalogColumn) =>
    column.primaryKey || column === columns.at(-1) || findPrefixLength(column, false) === undefined;
  return (
    order.length === remaining.length &&
    order.every(
      ({ column, descending }, at) =>
        column === remaining[at] && isSorted(column) && descending === order[0]!.descending,
    )
  );
}
