import type { CatalogTable } from '../catalog/catalog.repository.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import type { OpenBatch } from './open-batch.js';
import { copyPrevious, insertPrevious, selectPrevious, sumSavedBytes } from './undo-sql.js';
import {
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
} from '../catalog/physical-table.js';

/** The names of the previous values in the common table expression `changed` start with this. */
const PREVIOUS = 'p';

/** SQL: the bytes of the previous row of `t`, which also has the ID of its batch, but not the `ctid` of 6 bytes. */
const PREVIOUS_BYTES = 'pg_column_size(t) + 10';

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
  /** FROM item: rows of the table, at least those whose keys `s` has. On a cluster those of arrays have the column `at`, their `ctid`. */
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
  /** The rows with these keys as relations of their own. Absent if the rows are in a table. */
  pick?: (found: FoundKeys) => PickedRows;
}

/** Keys of rows, each with the `ctid` of the stored row; null if the table does not have it. */
export type FoundKeys = ReadonlyMap<string, string | null>;

/** Rows of a relation by whether the table has them. */
export interface PickedRows {
  missing?: MergeRelation;
  /** With the column `at`, the `ctid` of the stored row. */
  existing?: MergeRelation;
}

/** Where a merge stores what it changes. */
export interface MergeTarget {
  /** Stores the previous values of existing rows. */
  batch?: OpenBatch;
  /** SQL: the time of the written rows. */
  time: string;
  /** Is the table on a node of a cluster, which executes only statements without common table expressions that write? */
  isDistributed: boolean;
}

/** A statement that writes rows of the table, under the alias `w`. The revision is its last parameter. */
export interface MergeStatement {
  /** Common table expressions that precede the statement; they store the previous values as `saved`. */
  before?: string;
  /** Instead of `before` on a cluster: an INSERT to execute first, with the parameters of the relation. */
  saving?: string;
  /**
   * Instead of `saving`: a query for the keys of the rows that change, the `ctid` of the stored rows, and the bytes of the previous values,
   * both null if there are none. Only these rows are sent again, by `pick` of the relation.
   */
  different?: string;
  sql: string;
  /** SQL: did it create the row `w`? */
  created: 'true' | 'false' | 'w.xmax = 0';
}

/**
 * The statements of a merge, in order. Equal rows are not written. Under the lock of the table, so that the existing rows
 * do not change meanwhile. A statement is not needed if those before it have written all rows.
 */
export function buildMergeStatements(
  table: CatalogTable,
  relation: MergeRelation,
  target: MergeTarget,
): MergeStatement[] {
  const { isTableEmpty, isMostlyNew, strategy, columns } = relation;
  if (isTableEmpty) return [insertMissing(table, relation, target)];
  if (strategy === 'upsert')
    return [...(isMostlyNew ? [insertMissing(table, relation, target)] : []), buildUpsert(table, relation, target)];
  // First the update, so that it does not read the rows that the insertion adds.
  return [
    ...(columns.length > 0 ? [updateDifferent(table, relation, target)] : []),
    insertMissing(table, relation, target),
  ];
}

/**
 * One statement that merges the rows of several distinct tables, in their order, and returns the counts of each. The revision
 * of a table follows its other parameters.
 */
export function buildSmallMerges(
  merges: readonly { table: CatalogTable; relation: MergeRelation }[],
  target: MergeTarget,
): string {
  const expressions: string[] = [];
  const counts: string[] = [];
  let parameters = 0;
  for (const [at, { table, relation }] of merges.entries()) {
    const { before, sql } = buildUpsert(table, relation, target, String(at));
    const written = `${before ? `${before}, ` : ''}written${at} AS (${sql} RETURNING w.xmax = 0 AS created)`;
    const offset = parameters;
    // The statement contains no text of a caller.
    expressions.push(written.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`));
    counts.push(
      `SELECT ${at} AS at, (count(*) FILTER (WHERE created))::int AS created, (count(*) FILTER (WHERE NOT created))::int AS updated,
              ${before ? sumSavedBytes(`saved${at}`) : '0'} AS bytes FROM written${at}`,
    );
    parameters += relation.parameters.length + 1;
  }
  return `WITH ${expressions.join(', ')} SELECT created, updated, bytes FROM (${counts.join(' UNION ALL ')}) c ORDER BY at`;
}

/**
 * Inserts the rows that the table does not have. The lock excludes conflicts, so there is no ON CONFLICT, which would
 * cost a third WAL record per row.
 */
export function insertMissing(
  table: CatalogTable,
  relation: MergeRelation,
  { time }: Pick<MergeTarget, 'time'>,
): MergeStatement {
  const { from, columns, existing, isTableEmpty, isUnsorted } = relation;
  const values = columns.map(({ value }) => value);
  const missing = isTableEmpty
    ? ''
    : `WHERE NOT EXISTS (SELECT 1 FROM ${existing} t WHERE t.${physicalKeyName(table)} = s.key)`;
  const sql = `${insertInto(table, relation)} SELECT ${['s.key', ...values, ...rowStamps(relation, time)].join(', ')}
                 FROM ${from} ${missing} ${isUnsorted ? 'ORDER BY s.key' : ''}`;
  return { sql, created: 'true' };
}

function updateDifferent(table: CatalogTable, relation: MergeRelation, target: MergeTarget): MergeStatement {
  const { batch, time, isDistributed } = target;
  const key = physicalKeyName(table);
  const names = relation.columns.map(({ column }) => physicalColumnName(column));
  const stamps = [`_revision = ${revisionParameter(relation)}`, `_updated_at = ${time}`];
  if (batch && !isDistributed) {
    const values = relation.columns.map((column, at) => `${mergedValue(column, 't')} AS m${at}`);
    const changed = `SELECT s.key, ${values.join(', ')}, ${selectPrevious(table, 't', PREVIOUS)}
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
  return { ...(batch && { saving: saveDifferent(table, relation, batch) }), sql, created: 'false' };
}

/** Creates missing rows and updates different ones. @param suffix of the names of common table expressions. */
function buildUpsert(
  table: CatalogTable,
  relation: MergeRelation,
  { batch, time, isDistributed }: MergeTarget,
  suffix = '',
): MergeStatement {
  const key = physicalKeyName(table);
  const names = relation.columns.map(({ column }) => physicalColumnName(column));
  const set = [...names, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
  const values = relation.columns.map((column) => mergedValue(column, 't'));
  const different = `FROM ${relation.from} LEFT JOIN ${relation.existing} t ON t.${key} = s.key
                    WHERE ${[`t.${key} IS NULL`, ...differences(relation, 't')].join(' OR ')}`;
  const onConflict = `ON CONFLICT (${key}) DO UPDATE SET ${set.join(', ')}`;
  if (batch && !isDistributed) {
    const named = values.map((value, at) => `, ${value} AS m${at}`);
    const changed = `SELECT s.key${named.join('')}, ${selectPrevious(table, 't', PREVIOUS)} ${different}`;
    const selected = ['c.key', ...values.map((_, at) => `c.m${at}`), ...rowStamps(relation, time)];
    const sql = `${insertInto(table, relation)} SELECT ${selected.join(', ')} FROM changed${suffix} c ${onConflict}`;
    return { before: saveChanged(table, batch, changed, suffix), sql, created: 'w.xmax = 0' };
  }
  const sql = `${insertInto(table, relation)} SELECT ${['s.key', ...values, ...rowStamps(relation, time)].join(', ')}
                 ${different} ${onConflict}`;
  return {
    ...(batch && relation.pick && { different: `SELECT s.key, t.at, ${PREVIOUS_BYTES} AS bytes ${different}` }),
    sql,
    created: 'w.xmax = 0',
  };
}

/**
 * An INSERT of the previous values of the rows whose `ctid` is in `$1`. The subquery hides their number, so that PostgreSQL does not read the
 * whole table instead.
 */
export function savePreviousAt(table: CatalogTable, batch: OpenBatch): string {
  const source = `FROM ${physicalTableName(table)} t WHERE t.ctid = ANY ((SELECT $1::text[])::tid[])`;
  return copyPrevious(table, batch, source);
}

/**
 * An UPDATE of the rows of a relation with the column `at`. Without an index: a transaction that has the lock of the table knows where its rows
 * are. If the table was moved to another node meanwhile, the key does not match.
 */
export function updateAt(table: CatalogTable, relation: MergeRelation, { time }: Pick<MergeTarget, 'time'>): string {
  const set = relation.columns.map((column) => `${physicalColumnName(column.column)} = ${mergedValue(column, 'w')}`);
  return `UPDATE ${physicalTableName(table)} w
             SET ${[...set, `_revision = ${revisionParameter(relation)}`, `_updated_at = ${time}`].join(', ')}
            FROM ${relation.from} WHERE w.ctid = s.at AND w.${physicalKeyName(table)} = s.key`;
}

/** An INSERT of the previous values of the rows that a merge changes. */
function saveDifferent(table: CatalogTable, relation: MergeRelation, batch: OpenBatch): string {
  const source = `FROM ${relation.existing} t JOIN ${relation.from} ON t.${physicalKeyName(table)} = s.key`;
  return copyPrevious(table, batch, `${source} WHERE ${differences(relation, 't').join(' OR ')}`);
}

/** The rows to write as `changed`, so that they are found once, and the previous values of those that exist as `saved`. */
function saveChanged(table: CatalogTable, batch: OpenBatch, changed: string, suffix = ''): string {
  const previous = physicalColumnNames(table).map((name) => `${PREVIOUS}${name}`);
  const existing = `SELECT ${previous.join(', ')} FROM changed${suffix} WHERE ${PREVIOUS}${physicalKeyName(table)} IS NOT NULL`;
  return `changed${suffix} AS MATERIALIZED (${changed}), saved${suffix} AS (${insertPrevious(table, batch, existing)})`;
}

/** The start of an INSERT of rows with all columns of the relation. */
export function insertInto(table: CatalogTable, { columns }: Pick<MergeRelation, 'columns'>): string {
  const names = [physicalKeyName(table), ...columns.map(({ column }) => physicalColumnName(column))];
  return `INSERT INTO ${physicalTableName(table)} AS w (${names.join(', ')}, _revision, _created_at, _updated_at)`;
}

function rowStamps(relation: MergeRelation, time: string): string[] {
  return [revisionParameter(relation), time, time];
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
