import type { CatalogTable } from './catalog-table.js';
import { findParentColumn } from './column-finder.js';
import type { CatalogColumn } from './column-plan.js';
import { getNativeType } from './column-types.js';
import { encodeArray } from './binary-format.js';
import type { TableOptions } from './table-options.js';
import { physicalColumnName, physicalKeyName, physicalTableName, rowIdName } from './physical-table.js';
import type { StoredValue } from '../../../tabular/src/stored-value.js';

/** Keys of rows: a condition such as `= ANY ($1)`, as SQL, and its parameters. */
export interface KeySelection {
  isSelected: string;
  parameters: readonly unknown[];
}

export function selectKeys(keys: readonly string[]): KeySelection {
  return { isSelected: '= ANY ($1::text[])', parameters: [encodeArray('text', keys)] };
}

/** A row: column key to value. */
export type RowValues = Record<string, StoredValue>;

/**
 * Three expressions on the row `t`: `key`; `title`, the value of the column that the option `title` names, by default
 * the primary key (specification 2.4); and `name`, as `title`, but by default the value of the column `name`. An empty
 * `title` or `name` is the key.
 */
export function selectKeyTitleAndName(table: CatalogTable): string {
  const title = selectTextOrKey(table, table.options.title);
  return `t.${physicalKeyName(table)} AS key, ${title} AS title, ${selectName(table)} AS name`;
}

/** The expression `name` of `selectKeyTitleAndName`. */
export function selectName(table: CatalogTable): string {
  return selectTextOrKey(table, getNameColumnKey(table.options));
}

function selectTextOrKey(table: CatalogTable, columnKey: string | undefined): string {
  const key = `t.${physicalKeyName(table)}`;
  const column = table.columns.find((each) => each.key === columnKey && getNativeType(each.type) === 'text');
  return column ? `coalesce(nullif(t.${physicalColumnName(column)}, ''), ${key})` : key;
}

/** The key of the column with the names of the rows, which the table may not have. */
export function getNameColumnKey({ title = 'name' }: TableOptions): string {
  return title;
}

/**
 * These columns of the row `t` as a JSON object. PostgreSQL limits the arguments of a function to 100, but not the
 * columns of a row. Column keys (`[a-z0-9_]{1,63}`) are safe as quoted identifiers.
 */
export function rowToJson({ columns }: Pick<CatalogTable, 'columns'>, alias = 't'): string {
  return cellsToJson(columns.map((column) => `${alias}.${physicalColumnName(column)} AS "${column.key}"`));
}

/** @param cells SQL expressions with their names, at most 63 characters long */
export function cellsToJson(cells: readonly string[]): string {
  return `(SELECT row_to_json(item) FROM (SELECT ${cells.join(', ')}) item)`;
}

/**
 * SQL: the row with the key, found by the index. `OFFSET 0` prevents a join that scans the whole table, which the
 * planner chooses as long as it has no statistics, that is, right after a first load.
 */
export function rowByKey(table: CatalogTable, key: string, columns = '*'): string {
  return `(SELECT ${columns} FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} = ${key} OFFSET 0)`;
}

/**
 * SQL: the rows with any of the keys: one walk along the index, which is fast if the keys are close to each other, as
 * those of a batch are. `OFFSET 0` as above. @param keys a parameter of the type text[].
 */
export function rowsByKeys(table: CatalogTable, keys: string): string {
  return `(SELECT * FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} = ANY(${keys}::text[]) OFFSET 0)`;
}

/**
 * SQL: is the row `t` in the subtree? Its parents are looked up one by one. 1: yes; 0: no; 2: unknown, since there are
 * too many levels, or a cycle.
 *
 * @param root SQL expression for the key of the row at the top of the subtree, which must exist.
 */
export function isInSubtreeSql(table: CatalogTable, parent: CatalogColumn, root: string, maxLevels: number): string {
  const above = physicalColumnName(parent);
  const key = physicalKeyName(table);
  return `(WITH RECURSIVE up (parent, level) AS (
             SELECT t.${above}, 1 UNION ALL
             SELECT r.${above}, up.level + 1 FROM up
               JOIN ${physicalTableName(table)} r ON r.${key} = up.parent
              WHERE up.parent <> ${root} AND up.level < ${maxLevels})
           SELECT CASE WHEN t.${key} = ${root} OR coalesce(bool_or(up.parent = ${root}), false) THEN 1
                       WHEN max(up.level) = ${maxLevels} THEN 2 ELSE 0 END FROM up)`;
}

/**
 * A query for a row and its subtree, with the columns `key` and `at` (`rowIdName`: a `ctid` finds the other columns of
 * the row faster than its key); empty if the row does not exist. UNION ends it on cycles. `OFFSET 0` makes PostgreSQL
 * look up the children of each row in the index instead of reading the whole table.
 *
 * @param root SQL expression for the key of the row.
 * @param depth SQL expression for the maximum number of levels below the row.
 */
export function subtreeSql(table: CatalogTable, root: string, depth?: string): string {
  const parent = findParentColumn(table);
  const name = physicalTableName(table);
  const key = physicalKeyName(table);
  const id = rowIdName(table);
  const top = `SELECT r.${key} AS key, r.${id} AS at${depth ? ', 0' : ''}
                 FROM ${name} r WHERE r.${key} = ${root}`;
  if (!parent) return top;
  const children = `
    SELECT t.key, t.at${depth ? ', below.level + 1' : ''} FROM below CROSS JOIN LATERAL (
      SELECT r.${key} AS key, r.${id} AS at
        FROM ${name} r WHERE r.${physicalColumnName(parent)} = below.key OFFSET 0) t
     ${depth ? `WHERE below.level < ${depth}` : ''}`;
  return `WITH RECURSIVE below (key, at${depth ? ', level' : ''}) AS (${top} UNION ${children}) SELECT key, at FROM below`;
}

/**
 * A query for those of the keys whose rows are in the subtree of a row that exists. It follows their parents, because a
 * subtree can be large. UNION ends it on cycles.
 *
 * @param root SQL expression for the key of the row.
 * @param keys a parameter of the type text[].
 */
export function keysInSubtreeSql(table: CatalogTable, root: string, keys: string): string {
  const parent = findParentColumn(table);
  const name = physicalTableName(table);
  const key = physicalKeyName(table);
  const above = parent
    ? `UNION SELECT up.start, r.${physicalColumnName(parent)} FROM up JOIN ${name} r ON r.${key} = up.key
        WHERE up.key <> ${root}`
    : '';
  return `WITH RECURSIVE up (start, key) AS (SELECT start, start COLLATE "C" FROM unnest(${keys}::text[]) start ${above})
          SELECT DISTINCT start AS key FROM up
           WHERE key = ${root} AND EXISTS (SELECT 1 FROM ${name} r WHERE r.${key} = ${root})`;
}

/** The tables in which rows are looked up by key. */
export type KeySpace = readonly CatalogTable[];

/** SQL condition: no row has the key. @param key SQL expression. */
export function compileMissing(tables: KeySpace, key: string): string {
  if (tables.length === 0) return 'true';
  // One relation of all tables, so that it is one anti join.
  const keys = tables.map((table) => `SELECT t.${physicalKeyName(table)} AS key FROM ${physicalTableName(table)} t`);
  return `NOT EXISTS (SELECT 1 FROM (${keys.join(' UNION ALL ')}) k WHERE k.key = ${key})`;
}

export function isInSpace({ id }: CatalogTable, tables: KeySpace): boolean {
  return tables.some((table) => table.id === id);
}
