import type { CatalogTable } from './catalog-table.js';
import { findPrefixLength, isLongText, SORTED_CHARACTERS } from './column-indexes.js';
import type { CatalogColumn } from './column-plan.js';
import { isReference, getNativeType, getSqlType } from './column-types.js';

/**
 * The names and definitions of physical tables. Every identifier is derived from IDs and ordinals of the catalog, never
 * from names that a caller sent.
 */

/** The schema of a workspace. */
export function schemaName(workspaceId: string): string {
  return `ws_${hex(workspaceId)}`;
}

/** The physical table, with its schema, or the relation that is read instead. */
export function physicalTableName(table: Pick<CatalogTable, 'workspaceId' | 'id' | 'rows'>): string {
  return table.rows?.sql ?? storedTableName(table);
}

/** The physical table, with its schema, in any case. */
export function storedTableName(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaName(table.workspaceId)}.t_${hex(table.id)}`;
}

/**
 * What identifies a row of the relation that is read: its `ctid`, or, as of a former revision, its key, because the row
 * may be in the physical table or in that of the former rows.
 */
export function rowIdName(table: Pick<CatalogTable, 'columns' | 'rows'>): string {
  return findFormerRows(table) ? physicalKeyName(table) : 'ctid';
}

/** The rows of the former revision that is read, or of which a part is read. */
export function findFormerRows({ rows }: Pick<CatalogTable, 'rows'>) {
  return rows?.kind === 'selected' ? rows.of : rows;
}

/** Is a part of the rows read? */
export function hasSelectedRows(table: Pick<CatalogTable, 'rows'> | undefined): boolean {
  return table?.rows?.kind === 'selected';
}

/** The table with a part of its rows. @param sql a relation with the same columns. */
export function withSelectedRows(table: CatalogTable, sql: string): CatalogTable {
  return { ...table, rows: { kind: 'selected', sql, of: findFormerRows(table) } };
}

/** The `_ended_revision` of a current row, in reads of the past. */
export const NEVER = "'9223372036854775807'::bigint";

/**
 * The table with the rows as of a former revision. The parts of UNION ALL have no conditions: PostgreSQL then reads
 * both by their indexes, in the order of the query.
 */
export function asOfRevision(table: CatalogTable, revision: number): CatalogTable {
  const names = physicalColumnNames(table).join(', ');
  const versions = `SELECT ${names}, ${NEVER} AS _ended_revision FROM ${storedTableName(table)}
                    UNION ALL SELECT ${names}, _ended_revision FROM ${formerRowsName(table)}`;
  const sql = `(SELECT ${names} FROM (${versions}) v WHERE _revision <= ${revision} AND _ended_revision > ${revision})`;
  return { ...table, revision, rows: { kind: 'former', sql } };
}

/** The table with all rows, present or former, instead of a part. */
export function withAllRows(table: CatalogTable): CatalogTable {
  return { ...table, rows: findFormerRows(table) };
}

/** The table with the permitted rows instead of all rows, and with all its columns. */
export function withPermittedRows(table: CatalogTable, permitted: CatalogTable | undefined): CatalogTable {
  return hasSelectedRows(permitted) ? { ...table, rows: permitted!.rows } : table;
}

export function physicalColumnName(column: Pick<CatalogColumn, 'ordinal'>): string {
  return `c${column.ordinal}`;
}

/** The former rows of a table: each as it was from its revision to the revision that ended it (ADR 0186). */
export function formerRowsName(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaName(table.workspaceId)}.h_${hex(table.id)}`;
}

/** The tombstones of a table: the keys of deleted rows. No row has such a key. */
export function tombstonesName(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaName(table.workspaceId)}.d_${hex(table.id)}`;
}

/** All columns of a row, as the table of former rows has them, too. */
export function physicalColumnNames(table: Pick<CatalogTable, 'columns'>): string[] {
  return [...table.columns.map(physicalColumnName), '_revision', '_created_at', '_updated_at'];
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

/**
 * The column, or its first characters if an index contains only these.
 *
 * @param prefix such as `t.` for the table alias `t`.
 */
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
    `CREATE TABLE ${name} (
       ${columns.map(defineColumn).join(', ')},
       _revision bigint NOT NULL,
       _created_at timestamptz(3) NOT NULL,
       _updated_at timestamptz(3) NOT NULL,
       PRIMARY KEY (${physicalKeyName({ columns })}))`,
    // The order of the change feed (docs/explanation/performance.md#index-of-the-change-feed).
    `CREATE INDEX ON ${name} (_revision, ${physicalKeyName({ columns })})`,
    ...referenceIndexesSql(table, columns),
    ...createTombstonesSql(table),
    ...createFormerRowsSql(table, columns),
  ];
}

/** For the change feed, which reads rows and tombstones in the order of their revisions (ADR 0186). */
function createTombstonesSql(table: CatalogTable): string[] {
  const name = tombstonesName(table);
  return [
    `CREATE TABLE ${name} (
       key text COLLATE "C" PRIMARY KEY,
       revision bigint NOT NULL,
       created_at timestamptz(3) NOT NULL,
       deleted_at timestamptz(3) NOT NULL)`,
    `CREATE INDEX ON ${name} (revision, key)`,
    // For the cleanup: revisions increase with time.
    `CREATE INDEX ON ${name} USING brin (deleted_at)`,
  ];
}

/** `_renamed_to` is the key that the row received when its revision ended. */
function createFormerRowsSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const name = formerRowsName(table);
  return [
    `CREATE TABLE ${name} (_ended_revision bigint NOT NULL, _renamed_to text COLLATE "C", LIKE ${physicalTableName(table)})`,
    // For the rows as of a revision, in the order of their keys, and for the history of one row.
    `CREATE INDEX ON ${name} (${physicalKeyName({ columns })}, _ended_revision)`,
    // Revisions increase with time, so the rows that one revision has ended are stored next to each other.
    `CREATE INDEX ON ${name} USING brin (_ended_revision) WITH (autosummarize = on)`,
    `CREATE INDEX ON ${name} (_renamed_to) WHERE _renamed_to IS NOT NULL`,
  ];
}

export function addColumnsSql(table: CatalogTable, columns: readonly CatalogColumn[]): string[] {
  const additions = columns.map((column) => `ADD COLUMN ${defineColumn(column)}`).join(', ');
  return [...alterRowsSql(table, additions), ...referenceIndexesSql(table, columns)];
}

export function dropColumnSql(table: CatalogTable, column: CatalogColumn): string[] {
  return alterRowsSql(table, `DROP COLUMN ${physicalColumnName(column)}`);
}

/** Changes the columns of the rows and of the former rows. */
function alterRowsSql(table: CatalogTable, change: string): string[] {
  return [physicalTableName(table), formerRowsName(table)].map((name) => `ALTER TABLE ${name} ${change}`);
}

export function dropTableSql(table: CatalogTable): string[] {
  return [`DROP TABLE ${[physicalTableName, formerRowsName, tombstonesName].map((name) => name(table)).join(', ')}`];
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
