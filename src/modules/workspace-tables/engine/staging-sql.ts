import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { type RelationColumn } from './merge-sql.js';

/** The staging table. It belongs to the transaction and is dropped when that ends. */
export const STAGING = 'pg_temp.import_rows';

/** The rows that were not rejected, as a FROM item. */
export const VALID_ROWS = `(SELECT * FROM ${STAGING} r WHERE NOT r.rejected) s`;

/** In front of the values: position, line, state, a bit per column that the row sent (null: all), and the key. */
const OWN_COLUMNS = 'row_index integer, line integer, rejected boolean, sent bytea, key text COLLATE "C"';

export function createStaging(columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const type = getNativeType(column.type);
    return `, ${stagedName(column)} ${getSqlType(type)}${type === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return `CREATE TEMPORARY TABLE import_rows (${OWN_COLUMNS}${values.join('')}) ON COMMIT DROP`;
}

/** @param position bit of the column in `sent`; undefined if every row sent it. */
export function toStagedColumn(column: CatalogColumn, position: number | undefined): RelationColumn {
  const value = `s.${stagedName(column)}`;
  if (position === undefined) return { column, value };
  return { column, value, sent: `(s.sent IS NULL OR get_bit(s.sent, ${position}) = 1)` };
}

function stagedName({ ordinal }: CatalogColumn): string {
  return `v${ordinal}`;
}

/** Keys that several rows have. */
const DUPLICATE_KEYS = `SELECT key FROM ${STAGING} GROUP BY key HAVING count(*) > 1`;

export const ANY_DUPLICATE_KEY = `${DUPLICATE_KEYS} LIMIT 1`;

/** Rows whose key another row has too, each with the first of the others: `$1` of them, and the total. */
export const LIST_DUPLICATES = `
  SELECT row_index AS index, line, key, count(*) OVER ()::integer AS total,
         CASE WHEN position = 1 THEN next_index ELSE first_index END AS "otherIndex",
         CASE WHEN position = 1 THEN next_line ELSE first_line END AS "otherLine"
    FROM (SELECT s.row_index, s.line, s.key, row_number() OVER same AS position,
                 lead(s.row_index) OVER same AS next_index, lead(s.line) OVER same AS next_line,
                 first_value(s.row_index) OVER same AS first_index, first_value(s.line) OVER same AS first_line
            FROM ${STAGING} s WHERE s.key IN (${DUPLICATE_KEYS})
          WINDOW same AS (PARTITION BY s.key ORDER BY s.row_index)) r
   ORDER BY row_index LIMIT $1`;

export const REJECT_DUPLICATES = `UPDATE ${STAGING} SET rejected = true WHERE NOT rejected AND key IN (${DUPLICATE_KEYS})`;

/** Condition: the table does not have the row, and the row does not send the column. @param staged undefined if no row sends it. */
export function isNewWithout(table: CatalogTable, staged: RelationColumn | undefined): string {
  return `${staged ? `NOT ${staged.sent}` : 'true'} AND NOT EXISTS (
            SELECT FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = s.key AND t._deleted_at IS NULL)`;
}

/** The valid rows that meet the condition: `limit` of them, and the total. */
export function listValid(condition: string, limit: number): string {
  return `SELECT s.row_index AS index, s.line, s.key, count(*) OVER ()::integer AS total
            FROM ${STAGING} s WHERE NOT s.rejected AND ${condition} ORDER BY s.row_index LIMIT ${limit}`;
}

export function rejectValid(condition: string): string {
  return `UPDATE ${STAGING} s SET rejected = true WHERE NOT s.rejected AND ${condition}`;
}

/** References to rows that none of the targets has: `$1` of them, and the total. */
export function listUnresolved({ column, value }: RelationColumn, targets: readonly CatalogTable[]): string {
  const missing = targets.map(
    (target) =>
      ` AND NOT EXISTS (SELECT FROM ${physicalTableName(target)} t
                         WHERE t.${physicalKeyName(target)} = ${value} AND t._deleted_at IS NULL)`,
  );
  return `SELECT s.row_index AS index, s.line, '${column.key}' AS "column", ${value} AS value, count(*) OVER ()::integer AS total
            FROM ${VALID_ROWS} WHERE ${value} IS NOT NULL${missing.join('')} ORDER BY s.row_index LIMIT $1`;
}

/**
 * Creates temporary tables of parents: `import_sent` of the rows of the file, `import_parents` also of the stored rows above
 * them that the file does not change. `OFFSET 0` makes the planner look up each parent by the index.
 */
export function createParents(table: CatalogTable, { column, value, sent = 'true' }: RelationColumn): string {
  const key = physicalKeyName(table);
  const keyAndParent = `t.${key}, t.${physicalColumnName(column)}`;
  const storedParent = (of: string) =>
    `CROSS JOIN LATERAL (
       SELECT * FROM ${physicalTableName(table)} r WHERE r.${key} = ${of}.parent AND r._deleted_at IS NULL OFFSET 0) t
      WHERE NOT EXISTS (SELECT FROM pg_temp.import_sent s WHERE s.key = t.${key})`;
  return `CREATE TEMPORARY TABLE import_sent ON COMMIT DROP AS
            SELECT s.key, ${value} AS parent FROM ${VALID_ROWS} WHERE ${sent};
          ANALYZE pg_temp.import_sent;
          CREATE TEMPORARY TABLE import_parents ON COMMIT DROP AS
            WITH RECURSIVE outside AS (
              SELECT DISTINCT s.parent FROM pg_temp.import_sent s
               WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT FROM pg_temp.import_sent o WHERE o.key = s.parent)),
            up (key, parent) AS (
              SELECT ${keyAndParent} FROM outside ${storedParent('outside')}
              UNION
              SELECT ${keyAndParent} FROM up ${storedParent('up')})
            SELECT key, parent FROM pg_temp.import_sent UNION ALL SELECT key, parent FROM up;
          ANALYZE pg_temp.import_parents`;
}

/** Rows from which no root can be reached: those on a cycle and those below one. */
export const LIST_ROOTLESS = `
  WITH RECURSIVE rooted (key) AS (
    SELECT p.key FROM pg_temp.import_parents p
     WHERE p.parent IS NULL OR NOT EXISTS (SELECT FROM pg_temp.import_parents o WHERE o.key = p.parent)
    UNION ALL
    SELECT p.key FROM rooted r JOIN pg_temp.import_parents p ON p.parent = r.key)
  SELECT p.key, p.parent FROM pg_temp.import_parents p
   WHERE NOT EXISTS (SELECT FROM rooted r WHERE r.key = p.key)`;

export const DROP_PARENTS = 'DROP TABLE pg_temp.import_sent, pg_temp.import_parents';
