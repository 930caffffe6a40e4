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
