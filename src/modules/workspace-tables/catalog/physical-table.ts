import { quoteLiteral } from '../../../platform/database/sql-literal.js';
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

/** The previous rows of a table: those that batches have changed, as they were before. */
export function previousRowsName(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaName(table.workspaceId)}.u_${hex(table.id)}`;
}

/** All columns of a row, as the table of previous rows has them, too. */
export function physicalColumnNames(table: Pick<CatalogTable, 'columns'>): string[] {
  return ['_deleted_at', ...table.columns.map(physicalColumnName), '_revision', '_created_at', '_updated_at'];
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
    revisionIndexSql(table, columns),
    tombstoneIndexSql(table),
    ...referenceIndexesSql(table, columns),
    ...createPreviousRowsSql(table, columns),
  ];
}

/**
 * For a batch that undoes another one, `_undo_revision` is its own revision in the table, and `_restored` the revision of the
 * state that it has restored.
 */
function createPreviousRowsSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const name = previousRowsName(table);
  return [
    `CREATE TABLE ${name} (_batch_id uuid NOT NULL, _undo_revision bigint, _restored bigint, LIKE ${physicalTableName(table)})`,
    // The IDs of batches increase with time, so the rows of a batch are stored next to each other.
    `CREATE INDEX ON ${name} USING brin (_batch_id) WITH (autosummarize = on)`,
    `CREATE INDEX ON ${name} (${physicalKeyName({ columns })}) WHERE _restored IS NOT NULL`,
  ];
}

/** The statements that upgrade a table to the current layout. */
export function upgradeTableSql(table: CatalogTable): string[] {
  return [
    ...(table.layout < 2 ? [tombstoneIndexSql(table)] : []),
    ...(table.layout < 3 ? [...createPreviousRowsSql(table, table.columns), forgetBatchesSql(table)] : []),
    ...(table.layout < 4
      ? [`DROP INDEX IF EXISTS ${physicalTableName(table)}__revision_idx`, revisionIndexSql(table, table.columns)]
      : []),
  ];
}

/** The batches of a table that has no previous rows yet cannot be undone. */
function forgetBatchesSql({ workspaceId, id }: CatalogTable): string {
  return `UPDATE table_batches SET purged_at = statement_timestamp()
           WHERE workspace_id = ${quoteLiteral(workspaceId)} AND purged_at IS NULL
             AND tables @> ${quoteLiteral(JSON.stringify([{ id }]))}::jsonb`;
}

export function addColumnsSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const additions = columns.map((column) => `ADD COLUMN ${defineColumn(column)}`).join(', ');
  return [...alterRowsSql(table, additions), ...referenceIndexesSql(table, columns)];
}

export function dropColumnSql(table: CatalogTable, column: CatalogColumn): string[] {
  return alterRowsSql(table, `DROP COLUMN ${physicalColumnName(column)}`);
}

/** Changes the columns of the rows and of the previous rows. */
function alterRowsSql(table: CatalogTable, change: string): string[] {
  return [physicalTableName(table), previousRowsName(table)].map((name) => `ALTER TABLE ${name} ${change}`);
}

export function dropTableSql(table: CatalogTable): string[] {
  return [`DROP TABLE ${physicalTableName(table)}, ${previousRowsName(table)}`];
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

/** The order of the change feed (ADR 0135). */
function revisionIndexSql(table: CatalogTable, columns: readonly CatalogColumn[]): string {
  return `CREATE INDEX ON ${physicalTableName(table)} (_revision, ${physicalKeyName({ columns })})`;
}

/** For the cleanup job that removes old tombstones. A BRIN index, since a B-tree would have an entry for each deletion. */
function tombstoneIndexSql(table: CatalogTable): string {
  return `CREATE INDEX ON ${physicalTableName(table)} USING brin (_deleted_at) WHERE _deleted_at IS NOT NULL`;
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
