import type { CursorPosition } from '../../../sql/src/keyset.js';
import type { CatalogTable } from '../catalog/catalog-table.js';
import { getColumn, getParentColumn } from '../catalog/column-finder.js';
import { isIndexed } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { coerceKey } from '../../../tabular/src/coercions.js';
import { InvalidValue } from '../../../tabular/src/stored-value.js';
import { subtreeSql } from '../catalog/row-sql.js';
import { findFormerRows, physicalTableName, rowIdName } from '../catalog/physical-table.js';
import { ReferencedTables } from '../catalog/referenced-tables.js';
import { InvalidQueryError } from '../catalog/query.errors.js';
import type { Bindings, Condition } from './bindings.js';
import { ColumnPaths } from './column-path.js';
import { compileFilters, compileSearch } from './filter-compiler.js';
import { type FilterExpression, getFilterIdentity, isComparison } from './filter-expression.js';
import { listPaths, parseFilters } from './filter-parser.js';
import { parseSort, type SortTerm, splitList, toKeyset } from './order.js';
import { listMemberPaths, type RowMember, type SentMember } from './row-members.js';
import { compileWalkByKeys, type SubtreeWalk } from './subtree-walk.js';
import {
  chooseIndex,
  compileEqualTerms,
  findIndexToSuggest,
  findUsedPrefixLength,
  isCompared,
  type UsedIndex,
} from './used-index.js';

/** A query for rows, as a caller sends it. */
export interface RowQuery {
  filter?: object;
  /** The key of a row, whose children are read. The row itself may be absent. */
  parentKey?: string;
  q?: string;
  under?: string;
  depth?: number;
  sort?: string;
  fields?: string;
}

/** A validated query. */
export interface RowSelection {
  table: CatalogTable;
  fields: readonly CatalogColumn[];
  order: readonly SortTerm[];
  /** All of them must be true. */
  filters: readonly FilterExpression[];
  q: string | undefined;
  /** The key of the root of a subtree. */
  under: string | undefined;
  /** The maximum number of levels below the root. */
  depth: number | undefined;
  /** How the rows of the subtree are found. */
  walk: SubtreeWalk;
  index: UsedIndex | undefined;
  /** The number of rows before the first page. */
  skip?: number;
  /** The members of the objects of rows. Default: the fields by their keys. */
  members?: readonly RowMember[];
}

/**
 * @param referenced the tables that the paths of the filter lead to (`listPaths`)
 * @throws {InvalidQueryError}
 */
export function parseQuery(table: CatalogTable, query: RowQuery, referenced = new ReferencedTables()): RowSelection {
  const { columns } = table;
  const filters = [...parseFilters(new ColumnPaths(table, referenced), query.filter), ...parseParent(table, query)];
  const order = parseSort(columns, query.sort);
  const under = parseUnder(table, query);
  return {
    table,
    fields: parseFields(columns, query.fields),
    order,
    filters,
    q: query.q === '' ? undefined : query.q,
    under,
    depth: query.depth,
    walk: 'subtree',
    index: under === undefined ? chooseIndex(table, filters, order) : undefined,
  };
}

/**
 * As `parseQuery`, for a query that limits what a request or a caller may do.
 *
 * @throws {InvalidQueryError} also if the filter has no condition, so that it limits nothing.
 */
export function parseLimit(table: CatalogTable, query: RowQuery, referenced?: ReferencedTables): RowSelection {
  const selection = parseQuery(table, query, referenced);
  if (!query.filter || selection.filters.length > 0) return selection;
  const message = 'The filter has no condition, so it does not limit the rows. Add a condition, or omit "filter".';
  throw new InvalidQueryError('filter', 'invalid_value', message);
}

/**
 * Parses `fields`. The primary key is always included; without `fields` all columns are.
 *
 * @throws {InvalidQueryError}
 */
export function parseFields(columns: readonly CatalogColumn[], fields: string | undefined): readonly CatalogColumn[] {
  const chosen = new Set(splitList(fields).map((name) => getColumn(columns, 'fields', name)));
  return chosen.size === 0 ? columns : columns.filter((column) => column.primaryKey || chosen.has(column));
}

function parseParent(table: CatalogTable, { parentKey }: RowQuery): FilterExpression[] {
  if (parentKey === undefined) return [];
  const column = getParentColumn(table, 'key');
  const value = coerceKey(parentKey);
  if (value instanceof InvalidValue) throw new InvalidQueryError('key', 'invalid_value', value.message);
  return [{ kind: 'comparison', column, operator: 'eq', value }];
}

function parseUnder(table: CatalogTable, { under, depth }: RowQuery): string | undefined {
  if (under === undefined) {
    if (depth === undefined) return undefined;
    throw new InvalidQueryError('depth', 'invalid_value', '"depth" requires "under".');
  }
  getParentColumn(table, 'under');
  const key = coerceKey(under);
  if (typeof key === 'string') return key;
  throw new InvalidQueryError('under', 'invalid_value', '"under" must be the primary key of a row.');
}

/** Does the page of the query also contain, or depend on, rows of other tables? */
export function dependsOnOtherTables({ filter, expand, members }: OtherTablesQuery): boolean {
  return Boolean(expand) || listMemberPaths(members).length > 0 || listPaths(filter).length > 0;
}

type OtherTablesQuery = Pick<RowQuery, 'filter'> & { expand?: string; members?: readonly SentMember[] };

/** Everything that determines the rows and their order. A cursor is bound to it. */
export function getQueryIdentity({ table, fields, order, filters, q, under, depth }: RowSelection): unknown {
  return [
    findFormerRows(table) ? [table.id, table.revision] : table.id,
    order.map(({ column, descending }) => [column.key, descending]),
    // A query for all columns continues if a column is added or dropped.
    fields === table.columns ? null : fields.map(({ key }) => key),
    filters.map(getFilterIdentity),
    [q, under, depth],
  ];
}

/** The columns of an index that would serve the query. A search and a subtree need other indexes. */
export function suggestIndex({ table, filters, order, q, under }: RowSelection): string[] | undefined {
  return q === undefined && under === undefined ? findIndexToSuggest(table, filters, order) : undefined;
}

/** May a page of the query read many more rows than it returns? */
export function mayReadManyRows({ filters, order, q, under, index }: RowSelection): boolean {
  if (q !== undefined || under !== undefined) return true;
  if (index) return false;
  if (filters.length > 0)
    return !filters.filter(isComparison).some((each) => isCompared(each) && hasIndex(each.column));
  return order.length > 0 && !hasIndex(order[0]!.column);
}

/** The keyset conditions of the statements that read the rows after a position. A subtree is read by one statement. */
export function compilePosition({ order, under, index }: RowSelection, after: CursorPosition): Condition[] {
  const keyset = toKeyset(order);
  const hasRanges = under === undefined && (index?.servesOrder || isIndexed(order[0]!.column));
  return hasRanges
    ? keyset.listRanges(after, index?.servesOrder)
    : [(bindings) => keyset.compileCondition(after, bindings)];
}

/**
 * `FROM … WHERE …` of a selection, with the table alias `t`.
 *
 * @param keyset an additional condition.
 * @param joins joins with other tables, for the expressions that are selected.
 */
export function compileSource(
  selection: RowSelection,
  bindings: Bindings,
  keyset?: Condition,
  joins: readonly string[] = [],
): string {
  const { table, under } = selection;
  const isWalkByKeys = under !== undefined && selection.walk === 'keys';
  const walk = isWalkByKeys ? compileWalkByKeys({ table, under }, bindings) : undefined;
  const conditions = [
    ...compileConditions(walk ? { ...selection, under: undefined } : selection, bindings),
    ...(walk ? [walk.condition] : []),
    ...(keyset ? [keyset(bindings)] : []),
  ];
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `FROM ${physicalTableName(table)} t ${[...joins, walk?.from ?? ''].join(' ')}${where}`;
}

/** The conditions of a selection on the table alias `t`. */
export function compileConditions(selection: RowSelection, bindings: Bindings): string[] {
  const { table, filters, q, under, index } = selection;
  return [
    ...compileFilters(filters, bindings, (column) => findUsedPrefixLength(index, column)),
    ...(q === undefined ? [] : [compileSearch(table.columns, q, bindings)]),
    ...(under === undefined ? [] : [compileSubtree(selection, under, bindings)]),
  ];
}

/**
 * Can the pages be read in the order of the keys (docs/explanation/performance.md#large-subtrees)? Not if fewer rows
 * than those of the subtree match, or if the order is another one.
 */
export function canWalkByKeys({ under, depth, order, filters, q }: RowSelection): boolean {
  const isSubtree = under !== undefined && depth === undefined;
  return isSubtree && order[0]!.column.primaryKey && filters.length === 0 && q === undefined;
}

/** An array of row IDs: for a join, the planner might read the whole table per row if it has no statistics yet. */
function compileSubtree({ table, depth }: RowSelection, under: string, bindings: Bindings): string {
  const rows = subtreeSql(table, bindings.bind(under), depth === undefined ? undefined : bindings.bind(depth));
  return `t.${rowIdName(table)} = ANY(ARRAY(SELECT at FROM (${rows}) below))`;
}

/** `FROM … WHERE … ORDER BY …` */
export function compileOrderedSource(selection: RowSelection, bindings: Bindings, keyset?: Condition): string {
  const { order, index } = selection;
  const equal = index?.servesOrder ? compileEqualTerms(index, order[0]!.descending) : [];
  return `${compileSource(selection, bindings, keyset)} ORDER BY ${[...equal, toKeyset(order).compileOrder()].join(', ')}`;
}

function hasIndex(column: CatalogColumn): boolean {
  return column.primaryKey || isIndexed(column);
}
