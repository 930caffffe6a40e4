import type { CatalogTable } from './catalog.repository.js';
import { findPrefixLength, isLongText, SORTED_CHARACTERS } from './column-indexes.js';
import type { CatalogColumn } from './column-plan.js';
import { isReference, getNativeType, getSqlType } from './column-types.js';

/**
 * The names and definitions of physical tables. Every identifier is derived from IDs and ordinals of the catalog, never from
 * names that a caller sent.
 */

/** The schema of a workspace. */
export function schemaName(workspaceId: string): string {
  return `ws_${hex(workspaceId)}`;
}

/** The physical table, with its schema, or the relation that is read instead. */
export function physicalTableName(table: Pick<CatalogTable, 'workspaceId' | 'id' | 'relation'>): string {
  return table.relation ?? `${schemaName(table.workspaceId)}.t_${hex(table.id)}`;
}

export function physicalColumnName(column: Pick<CatalogColumn, 'ordinal'>): string {
  return `c${column.ordinal}`;
}

/** The previous values of rows that batches have changed, in the schema of the workspace. */
export function undoRowsName(workspaceId: string): string {
  return `${schemaName(workspaceId)}.undo_rows`;
}

/**
 * `previous` is the physical row before the batch. For a batch that undoes another one, `revision` is its own revision in the
 * table, and `restored` the revision of the state that it has restored.
 */
export function createSchemaSql(workspaceId: string): string {
  const name = undoRowsName(workspaceId);
  return `CREATE SCHEMA IF NOT EXISTS ${schemaName(workspaceId)};
          CREATE TABLE IF NOT EXISTS ${name} (
            batch_id uuid NOT NULL,
            table_id uuid NOT NULL,
            key text COLLATE "C" NOT NULL,
            previous json NOT NULL,
            revision bigint,
            restored bigint);
          CREATE INDEX IF NOT EXISTS undo_rows_batch ON ${name} (batch_id, table_id);
          CREATE INDEX IF NOT EXISTS undo_rows_restored ON ${name} (table_id, key) WHERE restored IS NOT NULL`;
}

/** The physical column of the primary key. */
export function physicalKeyName(table: { columns: readonly CatalogColumn[] }): string {
  return physicalColumnName(getPrimaryKey(table.columns));
}

export function getPrimaryKey<C extends { primaryKey: boolean }>(columns: readonly C[]): C {
  return columns.find((column) => column.primaryKey)!;
}

/** The expression by which rows are sorted. @param prefix such as `t.` for the table alias `t`. */
export function sortExpression(column: Omit<CatalogColumn, 'options'>, prefix = ''): string {
  return indexExpression(column, isLongText(column) ? SORTED_CHARACTERS : undefined, prefix);
}

/** The column, or its first characters if an index contains only these. @param prefix such as `t.` for the table alias `t`. */
export function indexExpression(
  column: Pick<CatalogColumn, 'ordinal'>,
  characters: number | undefined,
  prefix = '',
): string {
  const name = `${prefix}${physicalColumnName(column)}`;
  return characters === undefined ? name : `left(${name}, ${characters})`;
}

/** Every row also has the revision that last changed it, and its times. */
export function createTableSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const name = physicalTableName(table);
  return [
    // `_deleted_at` is the first column: PostgreSQL reads a row only up to the last column of a condition.
    `CREATE TABLE ${name} (
       _deleted_at timestamptz(3),
       ${columns.map(defineColumn).join(', ')},
       _revision bigint NOT NULL,
       _created_at timestamptz(3) NOT NULL,
       _updated_at timestamptz(3) NOT NULL,
       PRIMARY KEY (${physicalKeyName({ columns })}))`,
    // Rows of the same revision are stored next to each other, so a BRIN index of a few bytes per page range suffices.
    `CREATE INDEX ON ${name} USING brin (_revision)`,
    tombstoneIndexSql(table),
    ...referenceIndexesSql(table, columns),
  ];
}

/** The statements that upgrade a table to the current layout. */
export function upgradeTableSql(table: CatalogTable): string[] {
  return table.layout < 2 ? [tombstoneIndexSql(table)] : [];
}

export function addColumnsSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const additions = columns.map((column) => `ADD COLUMN ${defineColumn(column)}`);
  return [`ALTER TABLE ${physicalTableName(table)} ${additions.join(', ')}`, ...referenceIndexesSql(table, columns)];
}

export function dropColumnSql(table: CatalogTable, column: CatalogColumn): string[] {
  return [`ALTER TABLE ${physicalTableName(table)} DROP COLUMN ${physicalColumnName(column)}`];
}

export function dropTableSql(table: CatalogTable): string[] {
  return [`DROP TABLE ${physicalTableName(table)}`];
}

/** A requested index, such as `i_…_c4_c6`. It belongs to the schema of the table. */
export function indexName(table: Pick<CatalogTable, 'id'>, columns: readonly Pick<CatalogColumn, 'ordinal'>[]): string {
  return `${indexNamePrefix(table)}${columns.map(physicalColumnName).join('_')}`;
}

/** The start of the names of all such indexes of a table. */
export function indexNamePrefix({ id }: Pick<CatalogTable, 'id'>): string {
  return `i_${hex(id)}_`;
}

/** The index ends with the key, as every sort order of rows does. PostgreSQL reads it in both directions. */
export function createIndexSql(table: CatalogTable, columns: readonly CatalogColumn[]): string {
  const terms = columns.map((column) => indexExpression(column, findPrefixLength(column, column === columns.at(-1))));
  const name = `${indexName(table, columns)} ON ${physicalTableName(table)}`;
  return `CREATE INDEX CONCURRENTLY ${name} (${[...terms, physicalKeyName(table)].join(', ')})`;
}

/** Without statistics on the expressions of an index PostgreSQL does not use it. */
export function analyzeTableSql(table: CatalogTable): string {
  return `ANALYZE ${physicalTableName(table)}`;
}

export function dropIndexSql(table: CatalogTable, columns: readonly CatalogColumn[]): string {
  return `DROP INDEX CONCURRENTLY IF EXISTS ${schemaName(table.workspaceId)}.${indexName(table, columns)}`;
}

/** For the cleanup job that removes old tombstones. */
function tombstoneIndexSql(table: CatalogTable): string {
  return `CREATE INDEX ON ${physicalTableName(table)} (_deleted_at) WHERE _deleted_at IS NOT NULL`;
}

function referenceIndexesSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  return columns
    .filter((column) => isReference(column.type))
    .map((column) => `CREATE INDEX ON ${physicalTableName(table)} (${physicalColumnName(column)})`);
}

function defineColumn(column: CatalogColumn): string {
  const native = getNativeType(column.type);
  // Byte order: the same on every system, and the fastest.
  const collation = native === 'text' ? ' COLLATE "C"' : '';
  return `${physicalColumnName(column)} ${getSqlType(native)}${collation}${column.primaryKey ? ' NOT NULL' : ''}`;
}

function hex(id: string): string {
  return id.replaceAll('-', '');
}
