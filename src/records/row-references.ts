import type { RowReferenceDto } from './row-reference.dto.js';
import type { RowReferringRecord } from './row-referring-record.js';

/** The entities whose rows a record can refer to. */
export type ReferredEntity = 'location' | 'asset';

/** A row that records refer to. */
export interface ReferredRow {
  tableId: string;
  /** The table's name. */
  table: string;
  key: string;
  /** The value of the column that the option `title` of the table names, by default `name`; if it is empty, the key. */
  name: string;
}

/** A table of any entity. */
export interface ReferredTable {
  id: string;
  entity: string;
  name: string;
}

/** Rows of one table. */
export interface RowKeys {
  tableId: string;
  keys: readonly string[];
}

/** The rows that a record refers to, as callers send them; null removes a reference. */
export interface NamedRows {
  location?: string | null;
  /** Table of the location: its name or ID. */
  locationKey?: string | null;
  asset?: string | null;
  /** Table of the asset: its name or ID. */
  assetKey?: string | null;
}

/** The references as columns of a record. */
export type RowColumns = Pick<RowReferringRecord, 'locationTableId' | 'locationKey' | 'assetTableId' | 'assetKey'>;

/** A record with references to rows in place of their columns. */
export type WithRowReferences<T extends RowColumns> = Omit<T, keyof RowColumns> & {
  location: RowReferenceDto | null;
  asset: RowReferenceDto | null;
};

/**
 * Locations and assets that records, such as notes and tags, refer to. Keys are normalized as in bulk requests; deleted
 * rows are not found. The module workspace-tables implements it.
 */
export abstract class RowReferences {
  /**
   * Resolves named rows to columns; omitted fields are absent. Within a transaction the rows are locked, so that their
   * keys cannot change until it ends. Lock an existing record after this call, in the order of a rename, to prevent
   * deadlocks.
   *
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  abstract resolve(workspaceId: string, named: NamedRows): Promise<Partial<RowColumns>>;

  /**
   * Replaces the columns in records of one workspace by DTOs with the names of the rows. Runs one statement per table.
   */
  abstract expand<T extends RowColumns>(workspaceId: string, records: readonly T[]): Promise<WithRowReferences<T>[]>;

  /**
   * Finds the rows with this key in all tables of the entity, or in one table. Within a transaction the rows are
   * locked, so that their keys cannot change until it ends. Lock a row before the records that refer to it, in the
   * order of a rename, to prevent deadlocks.
   *
   * @param table the name or ID of the table.
   * @throws {UnknownTableError}
   */
  abstract lockByKey(workspaceId: string, entity: ReferredEntity, key: string, table?: string): Promise<ReferredRow[]>;

  /**
   * The keys of a row and its subtree, in each Locations table that contains the row, or in one table. The hierarchy is
   * defined by the first `hierarchyParent` column.
   *
   * @param table the name or ID of the table.
   * @throws {UnknownTableError}
   */
  abstract findSubtree(workspaceId: string, key: string, table?: string): Promise<RowKeys[]>;

  /** As `findSubtree`, in all tables, with the rows that access policies hide from the caller. */
  abstract findWholeSubtree(workspaceId: string, key: string): Promise<RowKeys[]>;

  /** The tables of all entities with this ID or name that exist for the caller. */
  abstract findTables(workspaceId: string, idOrName: string): Promise<ReferredTable[]>;

  /** Those of the tables that exist for the caller. */
  abstract listTables(workspaceId: string, ids: readonly string[]): Promise<ReferredTable[]>;

  /**
   * As `lockByKey`, of the table with this ID: the row with the key, or else the rows with this name, two at most.
   * Empty if the table does not exist for the caller.
   */
  abstract lockByKeyOrName(workspaceId: string, tableId: string, text: string): Promise<ReferredRow[]>;

  /** The first keys of a table in their order, for messages. */
  abstract listFirstKeys(workspaceId: string, tableId: string, limit: number): Promise<string[]>;

  /** The values of the `locationTag` columns of the rows, as they exist for the caller. */
  abstract listLocationTags(workspaceId: string, rows: readonly RowKeys[]): Promise<string[]>;

  /** Those of the rows that exist for the caller. Runs one statement per table. */
  abstract find(workspaceId: string, rows: readonly Pick<ReferredRow, 'tableId' | 'key'>[]): Promise<ReferredRow[]>;
}
