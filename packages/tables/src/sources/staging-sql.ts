import type { CatalogTable } from '../catalog/catalog-table.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { getNativeType, getSqlType } from '../catalog/column-types.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import { differences, mergedValue, type Relation, type RelationColumn } from '../catalog/relation.js';

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

/** In front of the values: position, line, state, a bit per column that the row sent (null: all), and the key. */
const OWN_COLUMNS = 'row_index integer, line integer, rejected boolean, sent bytea, key text COLLATE "C"';

export function createStaging(staging: TemporaryTables, columns: readonly CatalogColumn[]): string {
  const values = columns.map((column) => {
    const type = getNativeType(column.type);
    return `, ${stagedName(column)} ${getSqlType(type)}${type === 'text' ? ' COLLATE "C"' : ''}`;
  });
  return staging.create('import_rows', `${OWN_COLUMNS}${values.join('')}`);
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

/** Rows of the table that a replacement deletes, because the file lacks them. */
export function missingName(staging: TemporaryTables): string {
  return staging.name('import_missing');
}

/** Condition: the row `s` is not among those with the keys. @param scope SQL: the keys. */
export function isOutside(scope: string): string {
  return `NOT EXISTS (SELECT 1 FROM (${scope}) scope WHERE scope.key = s.key)`;
}

/**
 * A COPY of the rows that a merge would change, in the order of their keys: the change, the key, and for each other
 * column the stored value and that after the merge.
 *
 * @param columns of the staging table.
 * @param scope SQL: the keys of the rows that are deleted if the file lacks them. Absent: all.
 */
export function copyDifferences(
  staging: TemporaryTables,
  table: CatalogTable,
  columns: readonly RelationColumn[],
  scope: string | undefined,
): string {
  const key = physicalKeyName(table);
  const values = valuesAfterMerge(table, columns).flatMap(({ stored, merged }) => [stored, merged]);
  const changed = [`t.${key} IS NULL`, ...differences({ columns }, 't')].join(' OR ');
  const isDeleted = scope === undefined ? 'true' : `t.${key} IN (${scope})`;
  return `COPY (
    SELECT CASE WHEN t.${key} IS NULL THEN 'create' WHEN s.key IS NULL THEN 'delete' ELSE 'update' END,
           coalesce(s.key, t.${key})${values.map((value) => `, ${value}`).join('')}
      FROM ${physicalTableName(table)} t
           FULL JOIN ${stagingName(staging)} s ON s.key = t.${key}
     WHERE CASE WHEN s.key IS NULL THEN ${isDeleted} WHEN s.rejected THEN false ELSE ${changed} END
     ORDER BY 2) TO STDOUT`;
}

/** Statements that create the rows as they would be after the merge, with the columns of the physical table. */
export function createMergedRows(
  staging: TemporaryTables,
  table: CatalogTable,
  columns: readonly RelationColumn[],
): string[] {
  const key = physicalKeyName(table);
  const dropped = staging.drop('import_merged');
  const values = valuesAfterMerge(table, columns).map(({ name, merged }) => `, ${merged} AS ${name}`);
  const parents = table.columns.filter(({ type }) => type === 'hierarchyParent').map(physicalColumnName);
  const indexes = parents.map((name) => `CREATE INDEX ON ${mergedName(staging)} (${name})`);
  const merged = `SELECT coalesce(s.key, t.${key}) AS ${key}${values.join('')}
                    FROM ${physicalTableName(table)} t
                         FULL JOIN ${validRows(staging)} ON s.key = t.${key}`;
  return [dropped, staging.createAs('import_merged', merged), ...indexes, `ANALYZE ${mergedName(staging)}`];
}

/**
 * The rows that the table would have after a merge that deletes the rows which the file lacks, as a FROM item.
 *
 * @param scope SQL: the keys of the rows that are deleted if the file lacks them. Absent: all.
 */
export function selectRemaining(staging: TemporaryTables, table: CatalogTable, scope: string | undefined): string {
  const key = `m.${physicalKeyName(table)}`;
  const isOutside = scope === undefined ? '' : ` OR ${key} NOT IN (${scope})`;
  return `(SELECT * FROM ${mergedName(staging)} m WHERE ${key} IN (SELECT key FROM ${stagingName(staging)})${isOutside})`;
}

/** The keys of the rows that a merge would create or change. */
export function selectChanged(
  staging: TemporaryTables,
  table: CatalogTable,
  columns: readonly RelationColumn[],
): string {
  const key = physicalKeyName(table);
  const changed = [`o.${key} IS NULL`, ...differences({ columns }, 'o')].join(' OR ');
  return `SELECT s.key FROM ${validRows(staging)} LEFT JOIN ${physicalTableName(table)} o ON o.${key} = s.key WHERE ${changed}`;
}

export function mergedName(staging: TemporaryTables): string {
  return staging.name('import_merged');
}

function valuesAfterMerge(table: CatalogTable, columns: readonly RelationColumn[]) {
  const sent = new Map(columns.map((column) => [column.column.key, column]));
  return table.columns
    .filter(({ primaryKey }) => !primaryKey)
    .map((column) => {
      const name = physicalColumnName(column);
      const staged = sent.get(column.key);
      const stored = `t.${name}`;
      if (!staged) return { name, stored, merged: stored };
      const isKnown = staged.sent === undefined ? 's.key IS NOT NULL' : `s.key IS NOT NULL AND ${staged.sent}`;
      return { name, stored, merged: mergedValue({ ...staged, sent: isKnown }, 't') };
    });
}
