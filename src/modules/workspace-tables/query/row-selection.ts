import type { CursorValue } from '../../../platform/http/cursor.js';
import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { coerceKey } from '../catalog/column-types.js';
import { physicalTableName } from '../catalog/physical-table.js';
import { getParentColumn, subtreeSql } from '../catalog/subtree.js';
import { InvalidQueryError } from '../workspace-tables.errors.js';
import type { Bindings } from './bindings.js';
import {
  afterPlace,
  type Condition,
  orderBy,
  parseFields,
  parseSort,
  type SortTerm,
  stretchesAfter,
} from './row-order.js';
import { filterSql, parseFilters, type RowFilter, searchSql } from './row-filters.js';

/** Levels that `depth` may name. */
export const MAX_DEPTH = 100;

/** What callers say of the rows they want. */
export interface RowQuery {
  filter?: object;
  q?: string;
  under?: string;
  depth?: number;
  sort?: string;
  fields?: string;
}

/** Rows of a table, as a query chooses, sorts and shows them. */
export interface RowSelection {
  table: CatalogTable;
  fields: readonly CatalogColumn[];
  order: readonly SortTerm[];
  filters: readonly RowFilter[];
  q: string | undefined;
  /** The key of the row at the top of a subtree, and how many levels below it come along. */
  under: string | undefined;
  depth: number | undefined;
}

/** @throws {InvalidQueryError} */
export function selectRows(table: CatalogTable, query: RowQuery): RowSelection {
  const { columns } = table;
  return {
    table,
    fields: parseFields(columns, query.fields),
    order: parseSort(columns, query.sort),
    filters: parseFilters(columns, query.filter),
    q: query.q === '' ? undefined : query.q,
    under: topOf(table, query),
    depth: query.depth,
  };
}

function topOf(table: CatalogTable, { under, depth }: RowQuery): string | undefined {
  if (under === undefined) {
    if (depth === undefined) return undefined;
    throw new InvalidQueryError('depth', 'invalid_value', 'depth is used with under.');
  }
  getParentColumn(table, 'under');
  const key = coerceKey(under);
  if (typeof key === 'string') return key;
  throw new InvalidQueryError('under', 'invalid_value', 'under takes the primary key of a row.');
}

/** What decides which rows come in which order: a cursor is bound to it. */
export function identityOf({ table, fields, order, filters, q, under, depth }: RowSelection): unknown {
  return [
    table.id,
    order.map(({ column, descending }) => [column.key, descending]),
    // Whoever asks for all goes on with all, also where a column has come or gone.
    fields === table.columns ? null : fields.map(({ key }) => key),
    filters.map(({ column, operator, value }) => [column.key, operator, value]),
    [q, under, depth],
  ];
}

/** What a page after a place is read by, in one statement after the other. A subtree is walked through once. */
export function pagesAfter({ order, under }: RowSelection, after: readonly CursorValue[]): Condition[] {
  if (under === undefined) return stretchesAfter(order, after);
  return [(bindings) => afterPlace(order, after, bindings)];
}

/** `FROM … WHERE …` of the rows, which are `t` in it. @param further what else must hold. */
export function sourceOf(selection: RowSelection, bindings: Bindings, further?: Condition): string {
  const { table, filters, q, under } = selection;
  const where = [
    't._deleted_at IS NULL',
    ...filterSql(filters, bindings),
    ...(q === undefined ? [] : [searchSql(table.columns, q, bindings)]),
    ...(under === undefined ? [] : [isBelow(selection, under, bindings)]),
    ...(further ? [further(bindings)] : []),
  ];
  return `FROM ${physicalTableName(table)} t WHERE ${where.join(' AND ')}`;
}

/** By a list of places: in a join the planner, which knows nothing of a table just loaded, may read all of it for each row. */
function isBelow({ table, depth }: RowSelection, under: string, bindings: Bindings): string {
  const rows = subtreeSql(table, bindings.bind(under), depth === undefined ? undefined : bindings.bind(depth));
  return `t.ctid = ANY(ARRAY(SELECT at FROM (${rows}) below))`;
}

export function orderOf({ order }: RowSelection): string {
  return `ORDER BY ${orderBy(order)}`;
}
