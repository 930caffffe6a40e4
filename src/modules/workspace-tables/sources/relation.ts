import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName } from '../catalog/physical-table.js';

/** A column of a source relation, as SQL. */
export interface RelationColumn {
  column: CatalogColumn;
  /** Null if the row did not send the column. */
  value: string;
  /** Did the row send it? Absent if every row did. */
  sent?: string;
}

/** Rows of a source as SQL sees them. */
export interface Relation {
  /** FROM item with the alias `s`, whose `key` is unique. */
  from: string;
  /** The parameters of `from` and `existing`. */
  parameters: readonly Buffer[];
  /** Columns that at least one row sent, without the primary key. */
  columns: readonly RelationColumn[];
}

/** Rows that are merged into a table. */
export interface MergeRelation extends Relation {
  /** Number of rows. */
  rows: number;
  /** FROM item: rows of the table, at least those whose keys `s` has. */
  existing: string;
  /** Does the table certainly have none of the rows? */
  isAllNew: boolean;
  /** Does the table probably have at most half of the rows? */
  isMostlyNew: boolean;
  /** Are the rows in any other order than that of their keys? */
  isUnsorted: boolean;
}

/** A relation of a table that is merged under the lock of the table. */
export interface TableMerge {
  table: CatalogTable;
  relation: MergeRelation;
  /** The revision that written rows get. */
  revision: number;
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
