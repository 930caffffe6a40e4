import type { CatalogTable } from './catalog.repository.js';
import type { PlannedColumn } from './column-plan.js';
import { isLink } from './column-types.js';
import { nativeTypeOf, sqlTypeOf } from '../rows/pg-array.js';

/**
 * Names and definitions of physical tables. Every identifier comes from ids and ordinals of the catalog and never from
 * anything a caller named.
 */

/** The version of the physical layout that tables are made in. */
export const LAYOUT = 2;

/** The schema that holds a workspace's rows. */
export function schemaOf(workspaceId: string): string {
  return `ws_${hex(workspaceId)}`;
}

/** The physical table, with its schema. */
export function tableOf(table: Pick<CatalogTable, 'workspaceId' | 'id'>): string {
  return `${schemaOf(table.workspaceId)}.t_${hex(table.id)}`;
}

/** The physical column. */
export function columnOf(column: Pick<PlannedColumn, 'ordinal'>): string {
  return `c${column.ordinal}`;
}

export function primaryKeyOf<C extends { primaryKey: boolean }>(columns: readonly C[]): C {
  return columns.find((column) => column.primaryKey)!;
}

/** Native columns; beside them what every row has: the revision that last changed it, and its times. */
export function createTable(table: CatalogTable, columns: readonly PlannedColumn[]): string[] {
  const primaryKey = columnOf(primaryKeyOf(columns));
  const name = tableOf(table);
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

export function addColumns(table: CatalogTable, columns: readonly PlannedColumn[]): string[] {
  const additions = columns.map((column) => `ADD COLUMN ${definition(column)}`);
  return [`ALTER TABLE ${tableOf(table)} ${additions.join(', ')}`, ...linkIndexes(table, columns)];
}

/** Deleted rows are few, and looked for by when they went. */
function tombstoneIndex(table: CatalogTable): string {
  return `CREATE INDEX ON ${tableOf(table)} (_deleted_at) WHERE _deleted_at IS NOT NULL`;
}

function linkIndexes(table: CatalogTable, columns: readonly PlannedColumn[]): string[] {
  return columns
    .filter((column) => isLink(column.type))
    .map((column) => `CREATE INDEX ON ${tableOf(table)} (${columnOf(column)})`);
}

function definition(column: PlannedColumn): string {
  const native = nativeTypeOf(column.type);
  // Compared byte by byte: one order on every system, and the fastest.
  return `${columnOf(column)} ${sqlTypeOf(native)}${native === 'text' ? ' COLLATE "C"' : ''}${column.primaryKey ? ' NOT NULL' : ''}`;
}

function hex(id: string): string {
  return id.replaceAll('-', '');
}
