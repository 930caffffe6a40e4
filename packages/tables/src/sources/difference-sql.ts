import type { CatalogTable } from '../catalog/catalog-table.js';
import { physicalColumnName, physicalKeyName, physicalTableName } from '../catalog/physical-table.js';
import type { TemporaryTables } from '../catalog/temporary-tables.js';
import { differences, mergedValue, type RelationColumn } from '../catalog/relation.js';
import { stagingName, validRows } from './staging-sql.js';

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
