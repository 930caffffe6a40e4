import { normalizeName } from '../../../tabular/src/normalization.js';
import type { CatalogColumn } from './column-plan.js';
import type { EntityKind } from './entity-kind.js';
import type { TableOptions } from './table-options.js';
import type { View } from './view.js';

/** A table with its columns. */
export interface CatalogTable {
  /** What was visible when it was read, for reads of other tables. */
  view: View;
  workspaceId: string;
  id: string;
  entity: EntityKind;
  name: string;
  nameKey: string;
  revision: number;
  /** The highest ordinal of a dropped column. */
  droppedOrdinal: number;
  /** Can it have tombstones? */
  hasTombstones: boolean;
  /** What is read instead of the physical table. Absent if all present rows are read. */
  rows?: FormerRows | SelectedRows;
  /** What the access policies permit. Absent if none restricts the view. */
  permission?: TablePermission;
  /** The change feed starts after this revision: older tombstones may have been removed. */
  changesSince: number;
  /** The history starts after this revision: former rows that an earlier one has ended may have been removed. */
  historySince: number;
  /** A new ID for each change of the columns, the options and the composite indexes. */
  definitionId: string;
  /** Shared by all requests: not to be modified. */
  columns: readonly CatalogColumn[];
  /** Shared like the columns. */
  options: TableOptions;
  /** The composite indexes that queries can use: the ordinals of their columns. Shared like the columns. */
  indexes: readonly (readonly number[])[];
}

/** All rows as of a former revision, which is `revision` of the table. */
interface FormerRows {
  kind: 'former';
  /** A relation with the same columns. */
  sql: string;
}

/** A part of the rows: those that access policies permit, or those of a file as a merge would leave them. */
interface SelectedRows {
  kind: 'selected';
  /** A relation with the same columns. */
  sql: string;
  /** Absent if it is a part of the present rows. */
  of?: FormerRows;
}

/** What access policies permit, besides what `columns` and `rows` show. */
export interface TablePermission {
  /** May the caller change rows? */
  canWrite: boolean;
  /** Keys of columns that the caller may not change. */
  readOnly: ReadonlySet<string>;
  /** Absent if all rows are permitted. */
  rows?: PermittedRows;
}

/** The part of the rows of a table that access policies permit, besides `rows` of the table. */
export interface PermittedRows {
  /** Can a row enter or leave the part because other rows change? */
  dependsOnOthers: boolean;
  /**
   * SQL: as `selectVersions`, the versions of rows from and until the revisions between which they were in the part.
   */
  selectVersions: () => string;
}

/** What instances cache by `definitionId`. */
export type Definition = Pick<CatalogTable, 'columns' | 'options' | 'indexes'>;

/** A table without its definition: one row of the catalog. */
export type TableEntry = Omit<CatalogTable, keyof Definition | 'view'>;

/** A table as a request body identifies it. */
export interface TableIdentity {
  entity: EntityKind;
  name: string;
  /** Takes precedence over the name if a table has this ID. */
  id?: string;
}

/** What all tables of a workspace differ in, also those that do not exist yet. */
export function nameTable({ entity, name }: TableIdentity): string {
  return `${entity} ${normalizeName(name)}`;
}

/** The order in which all requests lock tables, so that they cannot block each other. */
export function compareLockOrder(a: TableIdentity, b: TableIdentity): number {
  return nameTable(a) < nameTable(b) ? -1 : 1;
}

/** A column of a relation. */
export type DescribedColumn = Pick<
  CatalogColumn,
  'key' | 'type' | 'options' | 'primaryKey' | 'normalize' | 'storedText' | 'isJson'
>;

/**
 * Describes a relation of the workspace that is not one of its tables, so that reads of tables read it, too. It has no
 * revisions, no history and no indexes of tables. `rows` must be set before it is read.
 */
export function describeRelation(view: View, name: string, columns: readonly DescribedColumn[]): CatalogTable {
  return {
    view,
    workspaceId: view.workspaceId,
    // Cursors contain it. No table has it.
    id: view.workspaceId,
    entity: 'list',
    name,
    nameKey: name,
    revision: 0,
    droppedOrdinal: 0,
    hasTombstones: false,
    changesSince: 0,
    historySince: 0,
    definitionId: view.workspaceId,
    columns: columns.map((column, at) => ({
      ...column,
      name: column.key,
      ordinal: at + 1,
      required: false,
      description: null,
    })),
    options: {},
    indexes: [],
  };
}
