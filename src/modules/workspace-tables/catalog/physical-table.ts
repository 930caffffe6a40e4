import type { CatalogTable } from './catalog.repository.js';
import type { CatalogColumn } from './column-plan.js';
import { sortedExpression } from './column-indexes.js';
import { isReference } from './column-types.js';
import { nativeType, sqlType } from './pg-array.js';

/**
 * Names and definitions of physical tables. Every identifier comes from ids and ordinals of the catalog and never from
 * anything a caller named.
 */

/** The schema that holds a workspace's rows. */
export function schemaName(workspaceId: string): string {
  return `ws_${hex(workspaceId)}`;
}

/** The physical table, with its schema. */
export function physicalTableName(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaName(table.workspaceId)}.t_${hex(table.id)}`;
}

/** The physical column. */
export function physicalColumnName(column: Pick<CatalogColumn, 'ordinal'>): string {
  return `c${column.ordinal}`;
}

/** The physical column of the primary key. */
export function physicalKeyName(table: Pick<CatalogTable, 'columns'>): string {
  return physicalColumnName(getPrimaryKey(table.columns));
}

export function getPrimaryKey<C extends { primaryKey: boolean }>(columns: readonly C[]): C {
  return columns.find((column) => column.primaryKey)!;
}

/** Native columns; beside them what every row has: the revision that last changed it, and its times. */
export function createTable(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const primaryKey = physicalColumnName(getPrimaryKey(columns));
  const name = physicalTableName(table);
  return [
    `CREATE TABLE ${name} (
       ${columns.map(definition).join(', ')},
       _revision bigint NOT NULL,
       _created_at timestamptz(3) NOT NULL,
       _updated_at timestamptz(3) NOT NULL,
       _deleted_at timestamptz(3),
       PRIMARY KEY (${primaryKey}))`,
    // Rows of one revision lie together, so that a few bytes of index a range of pages are enough to find them.
    `CREATE INDEX ON ${name} USING brin (_revision)`,
    tombstoneIndex(table),
    ...linkIndexes(table, columns),
  ];
}

/** What an older table lacks, by the layout that brought it. */
export function upgrades(table: CatalogTable): string[] {
  return table.layout < 2 ? [tombstoneIndex(table)] : [];
}

export function addColumns(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const additions = columns.map((column) => `ADD COLUMN ${definition(column)}`);
  return [`ALTER TABLE ${physicalTableName(table)} ${additions.join(', ')}`, ...linkIndexes(table, columns)];
}

export function dropColumn(table: CatalogTable, column: CatalogColumn): string[] {
  return [`ALTER TABLE ${physicalTableName(table)} DROP COLUMN ${physicalColumnName(column)}`];
}

export function dropTable(table: CatalogTable): string[] {
  return [`DROP TABLE ${physicalTableName(table)}`];
}

/** The index that somebody wants on a column, in the schema of its table. */
export function indexOf(table: Pick<CatalogTable, 'id'>, column: Pick<CatalogColumn, 'ordinal'>): string {
  return `${indexPrefixOf(table)}${physicalColumnName(column)}`;
}

/** What the names of such indexes of a table begin with. */
export function indexPrefixOf({ id }: Pick<CatalogTable, 'id'>): string {
  return `i_${hex(id)}_`;
}

/** Ends with the key, as every order of rows does. PostgreSQL reads it in both directions. */
export function buildIndex(table: CatalogTable, column: CatalogColumn): string {
  const terms = `${sortedExpression(column)}, ${physicalColumnName(getPrimaryKey(table.columns))}`;
  return `CREATE INDEX CONCURRENTLY ${indexOf(table, column)} ON ${physicalTableName(table)} (${terms})`;
}

export function dropIndex(table: CatalogTable, column: CatalogColumn): string {
  return `DROP INDEX CONCURRENTLY IF EXISTS ${schemaName(table.workspaceId)}.${indexOf(table, column)}`;
}

/** Deleted rows are few, and looked for by when they went. */
function tombstoneIndex(table: CatalogTable): string {
  return `CREATE INDEX ON ${physicalTableName(table)} (_deleted_at) WHERE _deleted_at IS NOT NULL`;
}

function linkIndexes(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  return columns
    .filter((column) => isReference(column.type))
    .map((column) => `CREATE INDEX ON ${physicalTableName(table)} (${physicalColumnName(column)})`);
}

function definition(column: CatalogColumn): string {
  const native = nativeType(column.type);
  // Compared byte by byte: one order on every system, and the fastest.
  return `${physicalColumnName(column)} ${sqlType(native)}${native === 'text' ? ' COLLATE "C"' : ''}${column.primaryKey ? ' NOT NULL' : ''}`;
}

function hex(id: string): string {
  return id.replaceAll('-', '');
}
