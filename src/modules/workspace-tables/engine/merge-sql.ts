import type { CatalogTable } from '../catalog/catalog.repository.js';
import {
  physicalColumnName,
  physicalColumnNames,
  physicalKeyName,
  physicalTableName,
} from '../catalog/physical-table.js';
import { storeFormerRows } from '../history/former-rows-sql.js';
import { differences, mergedValue, type Relation, type TableMerge } from '../sources/relation.js';

/** What the statements of a merge need besides the rows. */
export interface MergeTarget {
  /** SQL: the time of the written rows. */
  time: string;
  /** Are the changed rows of the table stored as former rows? */
  storesFormer: (table: CatalogTable) => boolean;
}

/** SQL: was the row `w` of an upsert created? */
export const IS_CREATED = 'w.xmax = 0';

/**
 * Inserts the rows that the table does not have. The lock excludes conflicts, so there is no ON CONFLICT, which would
 * cost a third WAL record per row.
 */
export function insertMissing({ table, relation, revision }: TableMerge, time: string): string {
  const { from, columns, existing, isAllNew, isUnsorted } = relation;
  const values = ['s.key', ...columns.map(({ value }) => value), ...stamps(revision, time)];
  const missing = isAllNew
    ? ''
    : `WHERE NOT EXISTS (SELECT 1 FROM ${existing} t WHERE t.${physicalKeyName(table)} = s.key)`;
  return `${insertInto(table, relation)} SELECT ${values.join(', ')} FROM ${from} ${missing} ${isUnsorted ? 'ORDER BY s.key' : ''}`;
}

/** Creates missing rows and updates different ones. */
export function upsertDifferent(merge: TableMerge, time: string): string {
  const { table, relation, revision } = merge;
  const values = ['s.key', ...relation.columns.map((column) => mergedValue(column, 't')), ...stamps(revision, time)];
  return `${insertInto(table, relation)} SELECT ${values.join(', ')} ${fromDifferent(merge)} ${onConflictUpdate(merge)}`;
}

/** An INSERT of the former rows that `upsertDifferent` updates. */
export function storeDifferent({ table, relation, revision }: TableMerge): string {
  return storeFormerRows(table, revision, fromExistingDifferent({ table, relation }));
}

export function countDifferent(merge: TableMerge): string {
  return `SELECT count(*)::float8 AS count ${fromExistingDifferent(merge)}`;
}

function fromExistingDifferent({ table, relation }: Pick<TableMerge, 'table' | 'relation'>): string {
  return `FROM ${relation.existing} t JOIN ${relation.from} ON t.${physicalKeyName(table)} = s.key
          WHERE ${['false', ...differences(relation, 't')].join(' OR ')}`;
}

/**
 * One statement that compares the rows of several distinct tables, stores the different rows as former rows, and writes
 * the different and missing rows. It returns a row for each table, in their order: the numbers of created and updated
 * rows, and their keys if requested.
 */
export function upsertTogether(merges: readonly TableMerge[], target: MergeTarget, withKeys: boolean): string {
  const expressions = merges.flatMap((merge, at) => upsertExpressions(merge, at, target));
  const keys = (isCreated: string) => (withKeys ? `array_agg(key) FILTER (WHERE ${isCreated})` : 'NULL');
  const counts = merges.map(
    (_, at) =>
      `SELECT ${at} AS at, (count(*) FILTER (WHERE created))::int AS created, (count(*) FILTER (WHERE NOT created))::int AS updated,
              ${keys('created')} AS "createdKeys", ${keys('NOT created')} AS "updatedKeys" FROM written${at}`,
  );
  return `WITH ${expressions.join(', ')} ${counts.join(' UNION ALL ')} ORDER BY at`;
}

/** The common table expressions `changed`, `former` and `written` of a table, with its position as suffix. */
function upsertExpressions(merge: TableMerge, at: number, { storesFormer, time }: MergeTarget): string[] {
  const { table, relation, revision } = merge;
  const key = physicalKeyName(table);
  const isStored = storesFormer(table);
  const previous = (name: string) => `p${name}`;
  const stored = physicalColumnNames(table).map((name) => `t.${name} AS ${previous(name)}`);
  const merged = relation.columns.map((column, position) => `${mergedValue(column, 't')} AS m${position}`);
  const changed = ['s.key', ...merged, ...(isStored ? stored : [])];
  const values = ['c.key', ...merged.map((_, position) => `c.m${position}`), ...stamps(revision, time)];
  const existing = `FROM changed${at} WHERE ${previous(key)} IS NOT NULL`;
  return [
    `changed${at} AS MATERIALIZED (SELECT ${changed.join(', ')} ${fromDifferent(merge)})`,
    ...(isStored ? [`former${at} AS (${storeFormerRows(table, revision, existing, previous)})`] : []),
    `written${at} AS (${insertInto(table, relation)} SELECT ${values.join(', ')} FROM changed${at} c ${onConflictUpdate(merge)}
                      RETURNING w.${key} AS key, ${IS_CREATED} AS created)`,
  ];
}

/** The rows `s` that the table does not have, or has as different rows `t`. */
function fromDifferent({ table, relation }: TableMerge): string {
  const key = `t.${physicalKeyName(table)}`;
  return `FROM ${relation.from} LEFT JOIN ${relation.existing} t ON ${key} = s.key
          WHERE ${[`${key} IS NULL`, ...differences(relation, 't')].join(' OR ')}`;
}

function onConflictUpdate({ table, relation }: TableMerge): string {
  const names = [...relation.columns.map(({ column }) => physicalColumnName(column)), '_revision', '_updated_at'];
  const set = names.map((name) => `${name} = excluded.${name}`);
  return `ON CONFLICT (${physicalKeyName(table)}) DO UPDATE SET ${set.join(', ')}`;
}

/** The start of an INSERT of rows with all columns of the relation. */
export function insertInto(table: CatalogTable, { columns }: Pick<Relation, 'columns'>): string {
  const names = [physicalKeyName(table), ...columns.map(({ column }) => physicalColumnName(column))];
  return `INSERT INTO ${physicalTableName(table)} AS w (${names.join(', ')}, _revision, _created_at, _updated_at)`;
}

function stamps(revision: number, time: string): string[] {
  return [`${revision}::bigint`, time, time];
}
