import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { OpenBatch } from './batch-recorder.js';
import { insertPrevious } from './undo-sql.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';

/** A column of a source relation, as SQL. */
export interface RelationColumn {
  column: CatalogColumn;
  /** Null if the row did not send the column. */
  value: string;
  /** Did the row send it? Absent if every row did. */
  sent?: string;
}

/** Rows of a source as SQL sees them. */
export interface MergeRelation {
  /** FROM item with the alias `s`, whose `key` is unique. Uses the parameters from `$1`. */
  from: string;
  parameters: readonly Buffer[];
  /** Columns that at least one row sent, without the primary key. */
  columns: readonly RelationColumn[];
  /** Number of rows. */
  rows: number;
  /** FROM item: rows of the table, at least those whose keys `s` has. */
  existing: string;
  /** Does the table have no rows at all? */
  isTableEmpty: boolean;
  /** Does the table probably have less than half of the rows? */
  isMostlyNew: boolean;
  /** Are the rows in any other order than that of their keys? */
  isUnsorted: boolean;
  /**
   * How rows are merged that the table may have. `upsert`: one INSERT … ON CONFLICT, which also creates the missing rows:
   * best for a chunk of arrays, which are sent with each statement. `update`: an UPDATE of the different rows, then an
   * INSERT of the missing ones: best for a large relation, since it avoids a speculative insertion for each row.
   */
  strategy: 'upsert' | 'update';
}

/** A statement that writes rows of the table, under the alias `w`. The revision is its last parameter. */
export interface MergeStatement {
  /** Common table expressions that precede the statement; they store the previous values as `saved`. */
  before?: string;
  sql: string;
  /** SQL: did it create the row `w`? */
  created: 'true' | 'false' | 'w.xmax = 0';
}

/**
 * The statements of a merge, in order. Equal rows are not written. Under the lock of the table, so that the existing rows
 * do not change meanwhile. A statement is not needed if those before it have written all rows.
 *
 * @param batch stores the previous values of existing rows.
 */
export function buildMergeStatements(
  table: CatalogTable,
  relation: MergeRelation,
  batch?: OpenBatch,
): MergeStatement[] {
  const { isTableEmpty, isMostlyNew, strategy, columns } = relation;
  if (isTableEmpty) return [insertMissing(table, relation)];
  if (strategy === 'upsert')
    return [...(isMostlyNew ? [insertMissing(table, relation)] : []), upsertDifferent(table, relation, batch)];
  // First the update, so that it does not read the rows that the insertion adds.
  return [...(columns.length > 0 ? [updateDifferent(table, relation, batch)] : []), insertMissing(table, relation)];
}

/** Removes the tombstones of rows that are created again. */
export function buildTombstoneDeletion(table: CatalogTable, { from }: Pick<MergeRelation, 'from'>): string {
  return `DELETE FROM ${physicalTableName(table)} w USING ${from} WHERE w.${physicalKeyName(table)} = s.key AND w._deleted_at IS NOT NULL`;
}

/**
 * Inserts the rows that the table does not have. The lock excludes conflicts, so there is no ON CONFLICT, which would
 * cost a third WAL record per row.
 */
function insertMissing(table: CatalogTable, relation: MergeRelation): MergeStatement {
  const { from, columns, existing, isTableEmpty, isUnsorted } = relation;
  const values = columns.map(({ value }) => value);
  const missing = isTableEmpty
    ? ''
    : `WHERE NOT EXISTS (SELECT FROM ${existing} t WHERE t.${physicalKeyName(table)} = s.key)`;
  const sql = `${insertInto(table, relation)} SELECT ${['s.key', ...values, ...rowStamps(relation)].join(', ')}
                 FROM ${from} ${missing} ${isUnsorted ? 'ORDER BY s.key' : ''}`;
  return { sql, created: 'true' };
}

function updateDifferent(table: CatalogTable, relation: MergeRelation, batch?: OpenBatch): MergeStatement {
  const key = physicalKeyName(table);
  const names = relation.columns.map(({ column }) => physicalColumnName(column));
  const stamps = [`_revision = ${revisionParameter(relation)}`, '_updated_at = statement_timestamp()'];
  if (batch) {
    const values = relation.columns.map((column, at) => `${mergedValue(column, 't')} AS m${at}`);
    const changed = `SELECT s.key, ${values.join(', ')}, row_to_json(t) AS previous
                       FROM ${physicalTableName(table)} t JOIN ${relation.from} ON t.${key} = s.key
                      WHERE ${differences(relation, 't').join(' OR ')}`;
    const set = [...names.map((name, at) => `${name} = c.m${at}`), ...stamps];
    const sql = `UPDATE ${physicalTableName(table)} w SET ${set.join(', ')} FROM changed c WHERE w.${key} = c.key`;
    return { before: saveChanged(table, batch, changed), sql, created: 'false' };
  }
  const set = relation.columns.map((column, at) => `${names[at]!} = ${mergedValue(column, 'w')}`);
  const sql = `UPDATE ${physicalTableName(table)} w
                  SET ${[...set, ...stamps].join(', ')}
                 FROM ${relation.from}
                WHERE w.${key} = s.key AND (${differences(relation, 'w').join(' OR ')})`;
  return { sql, created: 'false' };
}

function upsertDifferent(table: CatalogTable, relation: MergeRelation, batch?: OpenBatch): MergeStatement {
  const key = physicalKeyName(table);
  const names = relation.columns.map(({ column }) => physicalColumnName(column));
  const set = [...names, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
  const values = relation.columns.map((column) => mergedValue(column, 't'));
  const different = `FROM ${relation.from} LEFT JOIN ${relation.existing} t ON t.${key} = s.key
                    WHERE ${[`t.${key} IS NULL`, ...differences(relation, 't')].join(' OR ')}`;
  const onConflict = `ON CONFLICT (${key}) DO UPDATE SET ${set.join(', ')}`;
  if (batch) {
    const named = values.map((value, at) => `, ${value} AS m${at}`);
    const previous = `CASE WHEN t.${key} IS NOT NULL THEN row_to_json(t) END AS previous`;
    const changed = `SELECT s.key${named.join('')}, ${previous} ${different}`;
    const selected = ['c.key', ...values.map((_, at) => `c.m${at}`), ...rowStamps(relation)];
    const sql = `${insertInto(table, relation)} SELECT ${selected.join(', ')} FROM changed c ${onConflict}`;
    return { before: saveChanged(table, batch, changed), sql, created: 'w.xmax = 0' };
  }
  const sql = `${insertInto(table, relation)} SELECT ${['s.key', ...values, ...rowStamps(relation)].join(', ')}
                 ${different} ${onConflict}`;
  return { sql, created: 'w.xmax = 0' };
}

/** The rows to write as `changed`, so that they are found once, and the previous values of those that exist as `saved`. */
function saveChanged(table: CatalogTable, batch: OpenBatch, changed: string): string {
  const existing = 'SELECT key, previous FROM changed WHERE previous IS NOT NULL';
  return `changed AS MATERIALIZED (${changed}), saved AS (${insertPrevious(table, batch, existing)})`;
}

/** The start of an INSERT of rows with all columns of the relation. */
export function insertInto(table: CatalogTable, { columns }: Pick<MergeRelation, 'columns'>): string {
  const names = [physicalKeyName(table), ...columns.map(({ column }) => physicalColumnName(column))];
  return `INSERT INTO ${physicalTableName(table)} AS w (${names.join(', ')}, _revision, _created_at, _updated_at)`;
}

function rowStamps(relation: MergeRelation): string[] {
  return [revisionParameter(relation), 'statement_timestamp()', 'statement_timestamp()'];
}

function revisionParameter({ parameters }: MergeRelation): string {
  return `$${parameters.length + 1}::bigint`;
}

/** SQL: the value of the column after the merge. @param alias of the stored row. */
export function mergedValue({ column, value, sent }: RelationColumn, alias: string): string {
  return sent ? `CASE WHEN ${sent} THEN ${value} ELSE ${alias}.${physicalColumnName(column)} END` : value;
}

/** SQL conditions: does the column of the stored row change? */
export function differences({ columns }: Pick<MergeRelation, 'columns'>, alias: string): string[] {
  return columns.map(
    ({ column, value, sent }) =>
      `${sent ? `${sent} AND ` : ''}${alias}.${physicalColumnName(column)} IS DISTINCT FROM ${value}`,
  );
}
