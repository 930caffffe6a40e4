import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { compileMissing, type KeySpace } from '../catalog/row-sql.js';
import { physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import { type Relation, type RelationColumn, selectDifferent } from '../catalog/relation.js';
import { MAX_LISTED_DUPLICATES } from './row-errors.js';

/** How many rows a replacement may delete. */
export interface DeletionLimit {
  value: number;
  /** Is the value a percentage of the rows in the scope? */
  isPercentage: boolean;
}

/** SQL: the keys of the rows of a table that a replacement may delete, as `key`. These rows are its scope. */
export type SelectScope = (table: CatalogTable) => string;

/** A merge that deletes the rows which its source lacks. */
export interface Replacement {
  /** Absent: all rows of the table. */
  selectScope?: SelectScope;
  limit: DeletionLimit;
  /** Rows with a higher revision were written after the merge began, and are not deleted. */
  revision: number;
}

export function stagingName(staging: TemporaryTables): string {
  return staging.name('import_rows');
}

/** Rows that the checks have rejected: position, kind of the rejection, and what its message contains. */
function rejectionsName(staging: TemporaryTables): string {
  return staging.name('import_rejections');
}

/** The rows that were not rejected, as a FROM item. @param condition SQL: on the row `r`. */
export function validRows(staging: TemporaryTables, condition = 'true'): string {
  return `(SELECT * FROM ${stagingName(staging)} r WHERE NOT r.rejected AND ${condition}) s`;
}

/** The valid rows as a relation. @param selected SQL: the keys of those to select. */
export function toStagedRelation(
  staging: TemporaryTables,
  { columns, rows, isUnsorted }: Pick<Relation, 'columns' | 'rows' | 'isUnsorted'>,
  selected?: string,
): Relation {
  const from = validRows(staging, selected && `r.key IN (${selected})`);
  const keys = { isSelected: `IN (${selected ?? `SELECT s.key FROM ${from}`})`, parameters: [] };
  return { from, columns, rows, isUnsorted, keys, parameters: [] };
}

/** The rows that a merge writes: `key`, and `stored`, whether the table has the row. */
function comparedName(staging: TemporaryTables): string {
  return staging.name('import_compared');
}

/** Statements that compare the rows with those of the table. */
export function createCompared(staging: TemporaryTables, table: CatalogTable, relation: Relation): string[] {
  const different = selectDifferent(table, relation, physicalTableName(table));
  return [
    staging.drop('import_compared'),
    staging.createAs('import_compared', different),
    `ANALYZE ${comparedName(staging)}`,
  ];
}

export function countCompared(staging: TemporaryTables): string {
  return `SELECT (count(*) FILTER (WHERE NOT stored))::float8 AS missing, (count(*) FILTER (WHERE stored))::float8 AS different
            FROM ${comparedName(staging)}`;
}

/** The keys of the compared rows. */
export function selectCompared(staging: TemporaryTables, isStored: boolean): string {
  return `SELECT c.key FROM ${comparedName(staging)} c WHERE ${isStored ? '' : 'NOT '}c.stored`;
}

/** In front of the values: position, line, state, a bit per column that the row sent (null: all), and the key. */
const OWN_COLUMNS = 'row_index integer, line integer, rejected boolean, sent bytea, key text COLLATE "C"';

export function createStaging(staging: TemporaryTables, columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const type = getNativeType(column.type);
    return `, ${stagedName(column)} ${getSqlType(type)}${type === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return staging.create('import_rows', `${OWN_COLUMNS}${values.join('')}`);
}

export function createRejections(staging: TemporaryTables): string {
  return staging.create('import_rejections', 'row_index integer, line integer, key text, kind integer, detail json');
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
function duplicateKeys(staging: TemporaryTables): string {
  return `SELECT key FROM ${stagingName(staging)} GROUP BY key HAVING count(*) > 1`;
}

export function anyDuplicateKey(staging: TemporaryTables): string {
  return `${duplicateKeys(staging)} LIMIT 1`;
}

/**
 * Rows whose key another row has too. `detail` contains the first rows with the key, possibly including the row itself,
 * and their number.
 */
export function findDuplicates(staging: TemporaryTables): string {
  return `
  SELECT r.row_index, r.line, r.key, json_build_object('rows', r.same, 'count', r.count) AS detail
    FROM (SELECT p.*, json_agg(json_build_object('index', p.row_index, 'line', p.line))
                        FILTER (WHERE p.position <= ${MAX_LISTED_DUPLICATES + 1}) OVER (PARTITION BY p.key) AS same
            FROM (SELECT s.row_index, s.line, s.key, row_number() OVER same AS position,
                         (count(*) OVER (PARTITION BY s.key))::integer AS count
                    FROM ${stagingName(staging)} s WHERE s.key IN (${duplicateKeys(staging)})
                  WINDOW same AS (PARTITION BY s.key ORDER BY s.row_index)) p) r`;
}

export function rejectDuplicates(staging: TemporaryTables): string {
  return `UPDATE ${stagingName(staging)} SET rejected = true WHERE NOT rejected AND key IN (${duplicateKeys(staging)})`;
}

/**
 * Rejects all but one of the rows with the same key.
 *
 * @param aggregate `min` chooses the first row of the file, `max` the last.
 */
export function rejectOtherDuplicates(staging: TemporaryTables, aggregate: 'min' | 'max'): string {
  const name = stagingName(staging);
  return `UPDATE ${name} s SET rejected = true
            FROM (SELECT key, ${aggregate}(row_index) AS chosen FROM ${name} GROUP BY key HAVING count(*) > 1) d
           WHERE s.key = d.key AND s.row_index <> d.chosen AND NOT s.rejected`;
}

/**
 * Condition: the table does not have the row, and the row does not send the column.
 *
 * @param table undefined if it is new.
 * @param staged undefined if no row sends it.
 */
export function isNewWithout(table: CatalogTable | undefined, staged: RelationColumn | undefined): string {
  const isWithout = staged ? `NOT ${staged.sent}` : 'true';
  if (!table) return isWithout;
  return `${isWithout} AND NOT EXISTS (
            SELECT 1 FROM ${physicalTableName(table)} t WHERE t.${physicalKeyName(table)} = s.key)`;
}

/** The valid rows that meet the condition. @param detail SQL: what the message contains besides the position. */
export function findValid(staging: TemporaryTables, condition: string, detail: string): string {
  return `SELECT s.row_index, s.line, s.key, to_json(${detail}) AS detail FROM ${stagingName(staging)} s WHERE NOT s.rejected AND ${condition}`;
}

export function rejectValid(staging: TemporaryTables, condition: string): string {
  return `UPDATE ${stagingName(staging)} s SET rejected = true WHERE NOT s.rejected AND ${condition}`;
}

/** The first rows that a check found, and their total. */
export function listFound(found: string, limit: number): string {
  return `SELECT row_index AS index, line, key, detail, count(*) OVER ()::integer AS total
            FROM (${found}) found ORDER BY row_index LIMIT ${limit}`;
}

/**
 * Records the rows that a check found. On a cluster they must pass the coordinator, since the node of the table accepts
 * only immutable functions in `INSERT … SELECT`: the condition with a volatile function has this effect.
 */
export function recordFound(staging: TemporaryTables, found: string, kind: number): string {
  return `INSERT INTO ${rejectionsName(staging)} (row_index, line, key, detail, kind)
          SELECT row_index, line, key, detail, ${kind} FROM (${found}) found WHERE random() IS NOT NULL`;
}

/** A cursor on the recorded rows, in row order. */
export function declareRejections(staging: TemporaryTables): string {
  return `DECLARE ${staging.localName('import_rejections')} NO SCROLL CURSOR FOR
          SELECT row_index AS index, line, key, kind, detail FROM ${rejectionsName(staging)} ORDER BY row_index, kind`;
}

export function fetchRejections(staging: TemporaryTables, count: number): string {
  return `FETCH ${count} FROM ${staging.localName('import_rejections')}`;
}

/** Rows of the table that a replacement deletes, because the file lacks them. */
export function missingName(staging: TemporaryTables): string {
  return staging.name('import_missing');
}

/** Creates a table of the rows in the scope that the file lacks. Rejected rows of the file count as present. */
export function createMissing(
  staging: TemporaryTables,
  table: CatalogTable,
  { selectScope, revision }: Replacement,
): string {
  const key = `t.${physicalKeyName(table)}`;
  const scope = selectScope ? `AND ${key} IN (${selectScope(table)})` : '';
  const missing = `SELECT ${key} AS key FROM ${physicalTableName(table)} t
                    WHERE t._revision <= ${revision} ${scope}
                      AND NOT EXISTS (SELECT 1 FROM ${stagingName(staging)} s WHERE s.key = ${key})`;
  return `${staging.createAs('import_missing', missing)}; ANALYZE ${missingName(staging)}`;
}

/** The number of missing rows, and of all rows in the scope. */
export function countMissing(staging: TemporaryTables, table: CatalogTable, { selectScope }: Replacement): string {
  const scope = selectScope?.(table) ?? `SELECT 1 FROM ${physicalTableName(table)} t`;
  return `SELECT (SELECT count(*) FROM ${missingName(staging)})::float8 AS deletions,
                 (SELECT count(*) FROM (${scope}) scope)::float8 AS rows`;
}

/** The keys of valid rows that are not in the scope after the merge. */
export function listOutside(staging: TemporaryTables, scope: string): string {
  return `SELECT s.key FROM ${validRows(staging)} WHERE NOT EXISTS (SELECT 1 FROM (${scope}) scope WHERE scope.key = s.key)`;
}

/** References to rows that none of the targets has: `$1` of them, and the total. */
export function listUnresolved(staging: TemporaryTables, { column, value }: RelationColumn, targets: KeySpace): string {
  return `SELECT s.row_index AS index, s.line, '${column.key}' AS "column", ${value} AS value, count(*) OVER ()::integer AS total
            FROM ${validRows(staging)} WHERE ${value} IS NOT NULL AND ${compileMissing(targets, value)} ORDER BY s.row_index LIMIT $1`;
}
