import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { physicalColumnName, getPrimaryKey, physicalTableName } from '../catalog/physical-table.js';
import { nativeType, sqlType } from '../catalog/column-types.js';
import type { StagedRows } from './staged-rows.js';

/** The staging table: of the transaction's own, and gone with it, whatever its end. */
export const STAGING = 'pg_temp.import_rows';

/** A column of the file, as statements on staging (`s`) name it. */
export interface StagedColumn {
  column: CatalogColumn;
  value: string;
  /** Did the row send it? Absent where every row did. */
  sent?: string;
}

/** What statements on staging are built from. */
export interface Staging {
  table: CatalogTable;
  /** The columns that any row sent, without the primary key. */
  columns: StagedColumn[];
  /** Are the rows in the order of their keys, each of which stands there once? */
  isSorted: boolean;
}

/** What stands beside the values: position, line, whether the row is at fault, which columns it sent (null: all), and key. */
const OWN_COLUMNS = 'at integer, line integer, faulty boolean, sent bytea, key text COLLATE "C"';

export function createStaging(columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const native = nativeType(column.type);
    return `, ${stagedName(column)} ${sqlType(native)}${native === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return `CREATE TEMPORARY TABLE import_rows (${OWN_COLUMNS}${values.join('')}) ON COMMIT DROP`;
}

export function stagingOf(table: CatalogTable, rows: StagedRows): Staging {
  const columns = rows.columns.flatMap((column, position): StagedColumn[] => {
    const sent = rows.sentCount(column);
    const value = `s.${stagedName(column)}`;
    if (sent === 0) return [];
    return sent === rows.staged
      ? [{ column, value }]
      : [{ column, value, sent: `(s.sent IS NULL OR get_bit(s.sent, ${position}) = 1)` }];
  });
  return { table, columns, isSorted: rows.isSorted };
}

function stagedName(column: CatalogColumn): string {
  return `v${column.ordinal}`;
}

/** Inserts the rows that are not there. In the order of their keys, neighbours in the index are written together. */
export function insertMissing({ table, columns, isSorted }: Staging, isEmpty: boolean): string {
  const key = physicalColumnName(getPrimaryKey(table.columns));
  const names = [key, ...columns.map(({ column }) => physicalColumnName(column))];
  const values = ['s.key', ...columns.map(({ value }) => value)];
  const missing = isEmpty ? '' : `AND NOT EXISTS (SELECT FROM ${physicalTableName(table)} t WHERE t.${key} = s.key)`;
  return `INSERT INTO ${physicalTableName(table)} (${names.join(', ')}, _revision, _created_at, _updated_at)
          SELECT ${values.join(', ')}, $1::bigint, statement_timestamp(), statement_timestamp()
            FROM ${STAGING} s WHERE NOT s.faulty ${missing} ${isSorted ? '' : 'ORDER BY s.key'}`;
}

/** Merges into the rows that are there and differ. Equal ones are not touched. Undefined where only keys were sent. */
export function updateDiffering({ table, columns }: Staging): string | undefined {
  if (columns.length === 0) return undefined;
  const set = columns.map(({ column, value, sent }) => {
    const name = physicalColumnName(column);
    return `${name} = ${sent ? `CASE WHEN ${sent} THEN ${value} ELSE t.${name} END` : value}`;
  });
  const differs = columns.map(
    ({ column, value, sent }) =>
      `${sent ? `${sent} AND ` : ''}t.${physicalColumnName(column)} IS DISTINCT FROM ${value}`,
  );
  return `UPDATE ${physicalTableName(table)} t SET ${set.join(', ')}, _revision = $1::bigint, _updated_at = statement_timestamp()
            FROM ${STAGING} s
           WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = s.key AND NOT s.faulty AND (${differs.join(' OR ')})`;
}

/** Removes the tombstones of rows that come back: they start empty. */
export function clearTombstones({ table }: Staging): string {
  return `DELETE FROM ${physicalTableName(table)} t USING ${STAGING} s
           WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = s.key AND t._deleted_at IS NOT NULL AND NOT s.faulty`;
}

/** Keys that stand in the file more than once. */
const REPEATED = `SELECT key FROM ${STAGING} GROUP BY key HAVING count(*) > 1`;

export const ANY_REPEATED = `${REPEATED} LIMIT 1`;

/** Rows whose key another row has too, with the first of the others; the first 1,000, and how many there are. */
export const LIST_REPEATED = `
  SELECT at AS index, line, key, count(*) OVER ()::integer AS total,
         CASE WHEN position = 1 THEN next_at ELSE first_at END AS "otherIndex",
         CASE WHEN position = 1 THEN next_line ELSE first_line END AS "otherLine"
    FROM (SELECT s.at, s.line, s.key, row_number() OVER same AS position,
                 lead(s.at) OVER same AS next_at, lead(s.line) OVER same AS next_line,
                 first_value(s.at) OVER same AS first_at, first_value(s.line) OVER same AS first_line
            FROM ${STAGING} s WHERE s.key IN (${REPEATED}) WINDOW same AS (PARTITION BY s.key ORDER BY s.at)) r
   ORDER BY at LIMIT $1`;

export const REFUSE_REPEATED = `UPDATE ${STAGING} SET faulty = true WHERE NOT faulty AND key IN (${REPEATED})`;

/** Good rows that leave a column out and are not there yet. @param staged the column, where any row sent it. */
export function lacking(table: CatalogTable, staged: StagedColumn | undefined): string {
  const left = staged ? `NOT ${staged.sent}` : 'true';
  return `NOT s.faulty AND ${left} AND NOT EXISTS (
            SELECT FROM ${physicalTableName(table)} t WHERE t.${physicalColumnName(getPrimaryKey(table.columns))} = s.key AND t._deleted_at IS NULL)`;
}

/** Good rows of which the condition holds: the first, and how many there are. */
export function listWhere(condition: string): string {
  return `SELECT s.at AS index, s.line, s.key, count(*) OVER ()::integer AS total
            FROM ${STAGING} s WHERE ${condition} ORDER BY s.at LIMIT $1`;
}

export function refuseWhere(condition: string): string {
  return `UPDATE ${STAGING} s SET faulty = true WHERE ${condition}`;
}

/** Links that name no row of any of the targets. */
export function listUnresolved({ column, value }: StagedColumn, targets: readonly CatalogTable[]): string {
  const missing = targets.map(
    (target) =>
      ` AND NOT EXISTS (SELECT FROM ${physicalTableName(target)} t
                         WHERE t.${physicalColumnName(getPrimaryKey(target.columns))} = ${value} AND t._deleted_at IS NULL)`,
  );
  return `SELECT s.at AS index, s.line, '${column.key}' AS "column", ${value} AS value, count(*) OVER ()::integer AS total
            FROM ${STAGING} s WHERE NOT s.faulty AND ${value} IS NOT NULL${missing.join('')} ORDER BY s.at LIMIT $1`;
}

/** The parents that rows of the file will have, and of the rows above them, as far as the file leaves them alone. */
export function parentLinks(table: CatalogTable, { column, value, sent = 'true' }: StagedColumn): string {
  const key = physicalColumnName(getPrimaryKey(table.columns));
  const standing = (of: string) =>
    `CROSS JOIN LATERAL (
       SELECT * FROM ${physicalTableName(table)} r WHERE r.${key} = ${of}.parent AND r._deleted_at IS NULL OFFSET 0) t
      WHERE NOT EXISTS (SELECT FROM pg_temp.import_sent s WHERE s.key = t.${key})`;
  return `CREATE TEMPORARY TABLE import_sent ON COMMIT DROP AS
            SELECT s.key, ${value} AS parent FROM ${STAGING} s WHERE NOT s.faulty AND ${sent};
          ANALYZE pg_temp.import_sent;
          CREATE TEMPORARY TABLE import_links ON COMMIT DROP AS
            WITH RECURSIVE beyond AS (
              SELECT DISTINCT s.parent FROM pg_temp.import_sent s
               WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT FROM pg_temp.import_sent o WHERE o.key = s.parent)),
            up (key, parent) AS (
              SELECT t.${key}, t.${physicalColumnName(column)} FROM beyond ${standing('beyond')}
              UNION
              SELECT t.${key}, t.${physicalColumnName(column)} FROM up ${standing('up')})
            SELECT key, parent FROM pg_temp.import_sent UNION ALL SELECT key, parent FROM up;
          ANALYZE pg_temp.import_links`;
}

/** Links that lead to no root: those on a cycle, and those below one. */
export const ROOTLESS = `
  WITH RECURSIVE rooted (key) AS (
    SELECT l.key FROM pg_temp.import_links l
     WHERE l.parent IS NULL OR NOT EXISTS (SELECT FROM pg_temp.import_links o WHERE o.key = l.parent)
    UNION ALL
    SELECT l.key FROM rooted r JOIN pg_temp.import_links l ON l.parent = r.key)
  SELECT l.key, l.parent FROM pg_temp.import_links l
   WHERE NOT EXISTS (SELECT FROM rooted r WHERE r.key = l.key)`;

export const DROP_LINKS = 'DROP TABLE pg_temp.import_sent, pg_temp.import_links';
