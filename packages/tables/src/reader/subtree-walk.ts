import type { CatalogTable } from '../catalog/catalog-table.js';
import { getParentColumn } from '../catalog/column-finder.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { isInSubtreeSql, subtreeSql } from '../catalog/row-sql.js';
import type { Bindings } from './bindings.js';

/**
 * How the pages of a subtree are read (docs/explanation/performance.md#large-subtrees). `subtree`: all its rows are
 * found, and a page of them is sorted. `keys`: the table is read in the order of the keys, and each row is looked up in
 * the hierarchy until the page is full.
 */
export type SubtreeWalk = 'subtree' | 'keys';

/** Levels above a row after which `keys` is given up. */
const MAX_LEVELS = 500;

/** Lookups for each row by `keys`: a hierarchy has about so many levels. */
const USUAL_LEVELS = 5;

/** A subtree of a table. */
interface Subtree {
  table: CatalogTable;
  /** The key of the row at its top. */
  under: string;
}

/**
 * A FROM item with the column `state` of the row `t`, computed once per row, which is 2 for the rows of which it is
 * unknown; and the condition on the rows.
 */
export function compileWalkByKeys({ table, under }: Subtree, bindings: Bindings): { from: string; condition: string } {
  const root = bindings.bind(under);
  const exists = `EXISTS (SELECT 1 FROM ${physicalTableName(table)} r WHERE r.${physicalKeyName(table)} = ${root})`;
  const state = isInSubtreeSql(table, getParentColumn(table, 'under'), root, MAX_LEVELS);
  return {
    from: `CROSS JOIN LATERAL (SELECT ${state} AS state OFFSET 0) walk`,
    condition: `${exists} AND walk.state > 0`,
  };
}

/**
 * A query whether `keys` is expected to read fewer rows than `subtree`. A page of the subtree reads all its rows; one
 * by keys reads `limit × rows of the table / rows of the subtree`, and as many rows above each as there are levels. It
 * reads no more rows than that.
 *
 * @param product of the limit and the rows of the table.
 */
export function compileWalkChoice({ table, under }: Subtree, product: number, bindings: Bindings): string {
  const most = Math.ceil(Math.sqrt(USUAL_LEVELS * product));
  return `SELECT count(*) > ${most} AS "isLarge"
            FROM (SELECT 1 FROM (${subtreeSql(table, bindings.bind(under))}) below LIMIT ${most + 1}) s`;
}
