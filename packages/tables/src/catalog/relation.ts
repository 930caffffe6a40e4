import type { CatalogTable } from './catalog-table.js';
import type { CatalogColumn } from './column-plan.js';
import { physicalColumnName, physicalKeyName } from './physical-table.js';
import type { KeySelection } from './row-sql.js';

/** A column of a source relation, as SQL. */
export interface RelationColumn {
  column: CatalogColumn;
  /** Null if the row did not send the column. */
  value: string;
  /** Did the row send it? Absent if every row did. */
  sent?: string;
}

/** Rows to write into a table, as SQL. */
export interface Relation {
  /** FROM item with the alias `s`, whose `key` is unique. */
  from: string;
  parameters: readonly unknown[];
  /** Columns that at least one row has, without the primary key. */
  columns: readonly RelationColumn[];
  /** When the rows were created, if it is not now. */
  createdAt?: string;
  /** Are the rows in any other order than that of their keys? */
  isUnsorted?: boolean;
  /** Number of rows, or more: rows of a file may have been rejected. */
  rows: number;
  keys: KeySelection;
  /** The keys, if the rows are in memory. */
  keysInMemory?: readonly string[];
}

/** The rows that a merge writes. The others are equal to those of the table. */
export interface ComparedRows {
  /** The table does not have them. */
  missing: Relation;
  /** The table has them with other values. */
  different?: Relation;
}

/** SQL: the value of the column after the merge. @param alias of the stored row. */
export function mergedValue({ column, value, sent }: RelationColumn, alias: string): string {
  return sent ? `CASE WHEN ${sent} THEN ${value} ELSE ${alias}.${physicalColumnName(column)} END` : value;
}

/** SQL conditions: does the column of the stored row change? */
export function differences({ columns }: Pick<Relation, 'columns'>, alias: string): string[] {
  return columns.map(
    ({ column, value, sent }) =>
      `${sent ? `${sent} AND ` : ''}${alias}.${physicalColumnName(column)} IS DISTINCT FROM ${value}`,
  );
}

/**
 * The rows that the table does not have, or has with other values: `key`, and `stored`, whether the table has the row.
 *
 * @param existing FROM item: rows of the table, at least those whose keys the relation has.
 */
export function selectDifferent(table: CatalogTable, relation: Pick<Relation, 'from' | 'columns'>, existing: string) {
  const key = `t.${physicalKeyName(table)}`;
  return `SELECT s.key, ${key} IS NOT NULL AS stored FROM ${relation.from} LEFT JOIN ${existing} t ON ${key} = s.key
           WHERE ${[`${key} IS NULL`, ...differences(relation, 't')].join(' OR ')}`;
}
