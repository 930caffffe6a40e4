import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import { type RelationColumn } from './merge-sql.js';
import type { Replacement } from './replacement.js';
import { MAX_LISTED_DUPLICATES } from './row-errors.js';

/** The position of a table among those of an import. Its staging tables belong to the transaction, which drops them. */
export type StagingNumber = number;

export function stagingName(number: StagingNumber): string {
  return `pg_temp.import_rows_${number}`;
}

/** Rows that the checks have rejected: position, kind of the rejection, and what its message contains. */
function rejectionsName(number: StagingNumber): string {
  return `pg_temp.import_rejections_${number}`;
}

/** The rows that were not rejected, as a FROM item. */
export function validRows(number: StagingNumber): string {
  return `(SELECT * FROM ${stagingName(number)} r WHERE NOT r.rejected) s`;
}

/** In front of the values: position, line, state, a bit per column that the row sent (null: all), and the key. */
const OWN_COLUMNS = 'row_index integer, line integer, rejected boolean, sent bytea, key text COLLATE "C"';

export function createStaging(number: StagingNumber, columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const type = getNativeType(column.type);
    return `, ${stagedName(column)} ${getSqlType(type)}${type === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return `CREATE TEMPORARY TABLE import_rows_${number} (${OWN_COLUMNS}${values.join('')}) ON COMMIT DROP;
          CREATE TEMPORARY TABLE import_rejections_${number} (
            row_index integer, line integer, key text, kind integer, detail json) ON COMMIT DROP`;
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
function duplicateKeys(number: StagingNumber): string {
  return `SELECT key FROM ${stagingName(number)} GROUP BY key HAVING count(*) > 1`;
}

export function anyDuplicateKey(number: StagingNumber): string {
  return `${duplicateKeys(number)} LIMIT 1`;
}

/** Rows whose key another row has too. `detail` contains the first rows with the key, possibly including the row itself, and their number. */
export function findDuplicates(number: StagingNumber): string {
  return `
  SELECT r.row_index, r.line, r.key, json_build_object('rows', r.same, 'count', r.count) AS detail
    FROM (SELECT p.*, json_agg(json_build_object('index', p.row_index, 'line', p.line))
                        FILTER (WHERE p.position <= ${MAX_LISTED_DUPLICATES + 1}) OVER (PARTITION BY p.key) AS same
            FROM (SELECT s.row_index, s.line, s.key, row_number() OVER same AS position,
                         (count(*) OVER (PARTITION BY s.key))::integer AS count
                    FROM ${stagingName(number)} s WHERE s.key IN (${duplicateKeys(number)})
                  WINDOW same AS (PARTITION BY s.key ORDER BY s.row_index)) p) r`;
}

export function rejectDuplicates(number: StagingNumber): string {
  return `UPDATE ${stagingName(number)} SET rejected = true WHERE NOT rejected AND key IN (${duplicateKeys(number)})`;
}

/** Rejects all but one of the rows with the same key. @param aggregate `min` chooses the first row of the file, `max` the last. */
export function rejectOtherDuplicates(number: StagingNumber, aggregate: 'min' | 'max'): string {
  const name = stagingName(number);
  return `UPDATE ${name} s SET rejected = true
            FROM (SELECT key, ${aggregate}(row_index) AS chosen FROM ${name} GROUP BY key HAVING count(*) > 1) d
           WHERE s.key = d.key AND s.row_index <> d.chosen AND NOT s.rejected`;
}

/** Condition: the table does not have the row, and the row does not send the column. @param staged undefined if no row sends it. */
export function isNewWithout(table: CatalogTable, staged: RelationColumn | undefined): string {
  return `${staged ? `NOT ${staged.sent}` : 'true'} AND NOT EXISTS (
            SELECT 1 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = s.key AND t._deleted_at IS NULL)`;
}

/** The valid rows that meet the condition. */
export function findValid(number: StagingNumber, condition: string): string {
  return `SELECT s.row_index, s.line, s.key, NULL::json AS detail FROM ${stagingName(number)} s WHERE NOT s.rejected AND ${condition}`;
}

export function rejectValid(number: StagingNumber, condition: string): string {
  return `UPDATE ${stagingName(number)} s SET rejected = true WHERE NOT s.rejected AND ${condition}`;
}

/** The first rows that a check found, and their total. */
export function listFound(found: string, limit: number): string {
  return `SELECT row_index AS index, line, key, detail, count(*) OVER ()::integer AS total
            FROM (${found}) found ORDER BY row_index LIMIT ${limit}`;
}

/** Records the rows that a check found. */
export function recordFound(number: StagingNumber, found: string, kind: number): string {
  return `INSERT INTO ${rejectionsName(number)} (row_index, line, key, detail, kind)
          SELECT row_index, line, key, detail, ${kind} FROM (${found}) found`;
}

/** A cursor on the recorded rows, in row order. */
export function declareRejections(number: StagingNumber): string {
  return `DECLARE import_rejections_${number} NO SCROLL CURSOR FOR
          SELECT row_index AS index, line, key, kind, detail FROM ${rejectionsName(number)} ORDER BY row_index, kind`;
}

export function fetchRejections(number: StagingNumber, count: number): string {
  return `FETCH ${count} FROM import_rejections_${number}`;
}

/** Rows of the table that a replacement deletes, because the file lacks them. */
export function missingName(number: StagingNumber): string {
  return `pg_temp.import_missing_${number}`;
}

/** Creates a table of the rows in the scope that the file lacks. Rejected rows of the file count as present. */
export function createMissing(
  number: StagingNumber,
  table: CatalogTable,
  { selectScope, revision }: Replacement,
): string {
  const key = `t.${physicalKeyName(table)}`;
  const scope = selectScope ? `AND ${key} IN (${selectScope(table)})` : '';
  return `CREATE TEMPORARY TABLE import_missing_${number} ON COMMIT DROP AS
            SELECT ${key} AS key FROM ${physicalTableName(table)} t
             WHERE t._deleted_at IS NULL AND t._revision <= ${revision} ${scope}
               AND NOT EXISTS (SELECT 1 FROM ${stagingName(number)} s WHERE s.key = ${key});
          ANALYZE ${missingName(number)}`;
}

/** The number of missing rows, and of all rows in the scope. */
export function countMissing(number: StagingNumber, table: CatalogTable, { selectScope }: Replacement): string {
  const scope = selectScope?.(table) ?? `SELECT 1 FROM ${physicalTableName(table)} t WHERE t._deleted_at IS NULL`;
  return `SELECT (SELECT count(*) FROM ${missingName(number)})::float8 AS deletions,
                 (SELECT count(*) FROM (${scope}) scope)::float8 AS rows`;
}

/** The keys of valid rows that are not in the scope after the merge. */
export function listOutside(number: StagingNumber, scope: string): string {
  return `SELECT s.key FROM ${validRows(number)} WHERE NOT EXISTS (SELECT 1 FROM (${scope}) scope WHERE scope.key = s.key)`;
}

/** References to rows that none of the targets has: `$1` of them, and the total. */
export function listUnresolved(
  number: StagingNumber,
  { column, value }: RelationColumn,
  targets: readonly CatalogTable[],
): string {
  const missing = targets.map(
    (target) =>
      ` AND NOT EXISTS (SELECT 1 FROM ${physicalTableName(target)} t
                         WHERE t.${physicalKeyName(target)} = ${value} AND t._deleted_at IS NULL)`,
  );
  return `SELECT s.row_index AS index, s.line, '${column.key}' AS "column", ${value} AS value, count(*) OVER ()::integer AS total
            FROM ${validRows(number)} WHERE ${value} IS NOT NULL${missing.join('')} ORDER BY s.row_index LIMIT $1`;
}

/**
 * Creates temporary tables of parents: `import_sent` of the rows of the file, `import_parents` also of the stored rows above
 * them that the file does not change. `source` contains the rows `s`. `OFFSET 0` makes the planner look up each parent by the index.
 */
export function createParents(
  source: string,
  table: CatalogTable,
  { column, value, sent = 'true' }: RelationColumn,
): string {
  const key = physicalKeyName(table);
  const keyAndParent = `t.${key}, t.${physicalColumnName(column)}`;
  const storedParent = (of: string) =>
    `CROSS JOIN LATERAL (
       SELECT * FROM ${physicalTableName(table)} r WHERE r.${key} = ${of}.parent AND r._deleted_at IS NULL OFFSET 0) t
      WHERE NOT EXISTS (SELECT 1 FROM pg_temp.import_sent s WHERE s.key = t.${key})`;
  return `CREATE TEMPORARY TABLE import_sent ON COMMIT DROP AS
            SELECT s.key, ${value} AS parent FROM ${source} WHERE ${sent};
          ANALYZE pg_temp.import_sent;
          CREATE TEMPORARY TABLE import_parents ON COMMIT DROP AS
            WITH RECURSIVE outside AS (
              SELECT DISTINCT s.parent FROM pg_temp.import_sent s
               WHERE s.parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_temp.import_sent o WHERE o.key = s.parent)),
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
     WHERE p.parent IS NULL OR NOT EXISTS (SELECT 1 FROM pg_temp.import_parents o WHERE o.key = p.parent)
    UNION ALL
    SELECT p.key FROM rooted r JOIN pg_temp.import_parents p ON p.parent = r.key)
  SELECT p.key, p.parent FROM pg_temp.import_parents p
   WHERE NOT EXISTS (SELECT 1 FROM rooted r WHERE r.key = p.key)`;

export const DROP_PARENTS = 'DROP TABLE pg_temp.import_sent, pg_temp.import_parents';
