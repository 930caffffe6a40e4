import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, physicalKeyName, physicalTableName, withAllRows } from '../catalog/physical-table.js';
import { selectTouchedKeys, type TwoMoments } from '../catalog/row-versions-sql.js';

/**
 * A query for the differences between two moments in the order of the keys, as `DifferenceLines` reads it: the change,
 * the key, and for each other column the value before and after.
 */
export function selectDifferences({ before, after }: TwoMoments): string {
  const key = physicalKeyName(before);
  const names = before.columns.filter(({ primaryKey }) => !primaryKey).map(physicalColumnName);
  const values = names.flatMap((name) => [`b.${name}`, `a.${name}`]);
  const changed = names.map((name) => `b.${name} IS DISTINCT FROM a.${name}`);
  const rows = (table: CatalogTable) =>
    `(SELECT r.* FROM touched JOIN ${physicalTableName(table)} r ON r.${key} = touched.key)`;
  return `
    WITH touched AS MATERIALIZED (${selectTouchedKeys({ before, after })})
    SELECT CASE WHEN b.${key} IS NULL THEN 'create' WHEN a.${key} IS NULL THEN 'delete' ELSE 'update' END,
           ${[`coalesce(b.${key}, a.${key})`, ...values].join(', ')}
      FROM ${rows(before)} b FULL JOIN ${rows(after)} a ON a.${key} = b.${key}
     WHERE ${[`b.${key} IS NULL`, `a.${key} IS NULL`, ...changed].join(' OR ')}
     ORDER BY 2`;
}

/** The conditions on rows that a restoration selects, for the row `t`. Empty: all rows. */
export interface RestoredRows {
  /** On the rows as of the moment. */
  then: readonly string[];
  /** On the rows of now. */
  now: readonly string[];
}

/** The columns of a restoration, with the primary key. */
export interface RestoredColumns {
  /** SQL: the values of the row `t` that are restored. */
  item: string;
  /** The columns that are compared. */
  compared: readonly CatalogColumn[];
  /** Those of them that the caller may not change. */
  readOnly: readonly CatalogColumn[];
}

/**
 * A query for the rows that differ from those of the moment: the key, and the row `t` as it was, whose columns are NULL
 * if it did not exist; whether it was outside of the permitted part then; and the column that differs although the
 * caller may not change it.
 *
 * @param past the table as of the moment.
 */
export function selectRowsToRestore(
  past: CatalogTable,
  table: CatalogTable,
  { then, now }: RestoredRows,
  { item, compared, readOnly }: RestoredColumns,
): string {
  const key = physicalKeyName(table);
  const select = (from: CatalogTable, conditions: readonly string[]) =>
    `SELECT t.${key} AS key FROM ${physicalTableName(from)} t WHERE ${['true', ...conditions].join(' AND ')}`;
  const differs = (column: CatalogColumn) => {
    const name = physicalColumnName(column);
    return `t.${name} IS DISTINCT FROM n.${name}`;
  };
  const protectedColumn = readOnly.map((column) => `WHEN ${differs(column)} THEN '${column.key}'`);
  return `
    WITH selected AS MATERIALIZED (${select(past, then)} UNION ${select(table, now)})
    SELECT s.key, CASE WHEN t.${key} IS NOT NULL THEN ${item} END AS item,
           CASE WHEN t.${key} IS NULL THEN NULL ${protectedColumn.join(' ')} END AS "readOnly",
           t.${key} IS NULL AND EXISTS (SELECT 1 FROM ${physicalTableName(withAllRows(past))} o WHERE o.${key} = s.key) AS "wasOutside"
      FROM selected s
      LEFT JOIN ${physicalTableName(past)} t ON t.${key} = s.key
      LEFT JOIN ${physicalTableName(table)} n ON n.${key} = s.key
     WHERE ${['(t.' + key + ' IS NULL) <> (n.' + key + ' IS NULL)', ...compared.map(differs)].join(' OR ')}
     ORDER BY s.key`;
}

/** A query for the keys of an array that the table has neither at the moment nor now. */
export function selectMissingKeys(past: CatalogTable, table: CatalogTable, keys: string): string {
  const key = physicalKeyName(table);
  const isMissing = [past, table].map(
    (each) => `NOT EXISTS (SELECT 1 FROM ${physicalTableName(each)} t WHERE t.${key} = k.key)`,
  );
  return `SELECT DISTINCT k.key FROM unnest(${keys}::text[]) k(key) WHERE ${isMissing.join(' AND ')} ORDER BY 1`;
}
