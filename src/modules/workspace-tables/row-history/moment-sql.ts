import type { CatalogTable } from '../catalog/catalog.repository.js';
import {
  formerRowsName,
  physicalColumnName,
  physicalKeyName,
  physicalTableName,
  storedTableName,
} from '../catalog/physical-table.js';

/** A table at two moments, with the columns that the caller can read. */
export interface TwoMoments {
  before: CatalogTable;
  after: CatalogTable;
}

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
    WITH touched AS MATERIALIZED (${selectTouchedKeys(before, after.revision)})
    SELECT CASE WHEN b.${key} IS NULL THEN 'create' WHEN a.${key} IS NULL THEN 'delete' ELSE 'update' END,
           ${[`coalesce(b.${key}, a.${key})`, ...values].join(', ')}
      FROM ${rows(before)} b FULL JOIN ${rows(after)} a ON a.${key} = b.${key}
     WHERE ${[`b.${key} IS NULL`, `a.${key} IS NULL`, ...changed].join(' OR ')}
     ORDER BY 2`;
}

/** The keys of the rows that began or ended after the revision of the table, and until another one. */
function selectTouchedKeys(table: CatalogTable, until: number): string {
  const key = physicalKeyName(table);
  const since = table.revision;
  const former = formerRowsName(table);
  return `SELECT ${key} AS key FROM ${storedTableName(table)} WHERE _revision > ${since} AND _revision <= ${until}
           UNION SELECT ${key} FROM ${former} 
                  WHERE _ended_revision > ${since} AND (_ended_revision <= ${until} OR _revision > ${since} AND _revision <= ${until})`;
}

/** The conditions on rows that a restoration selects, for the row `t`. Empty: all rows. */
export interface RestoredRows {
  /** On the rows as of the moment. */
  then: readonly string[];
  /** On the rows of now. */
  now: readonly string[];
}

/**
 * A query for the rows that differ from those of the moment: the key, and the row `t` as it was, whose columns are NULL
 * if it did not exist.
 *
 * @param past the table as of the moment.
 * @param item SQL: the values of the row `t`.
 * @param names of the columns that are compared.
 */
export function selectRowsToRestore(
  past: CatalogTable,
  table: CatalogTable,
  { then, now }: RestoredRows,
  item: string,
  names: readonly string[],
): string {
  const key = physicalKeyName(table);
  const select = (from: CatalogTable, conditions: readonly string[]) =>
    `SELECT t.${key} AS key FROM ${physicalTableName(from)} t WHERE ${['true', ...conditions].join(' AND ')}`;
  const changed = names.map((name) => `t.${name} IS DISTINCT FROM n.${name}`);
  return `
    WITH selected AS MATERIALIZED (${select(past, then)} UNION ${select(table, now)})
    SELECT s.key, CASE WHEN t.${key} IS NOT NULL THEN ${item} END AS item
      FROM selected s
      LEFT JOIN ${physicalTableName(past)} t ON t.${key} = s.key
      LEFT JOIN ${physicalTableName(table)} n ON n.${key} = s.key
     WHERE ${['(t.' + key + ' IS NULL) <> (n.' + key + ' IS NULL)', ...changed].join(' OR ')}
     ORDER BY s.key`;
}
