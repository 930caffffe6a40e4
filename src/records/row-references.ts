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
  /** An array in PostgreSQL's text format, which statements pass on: a subtree can have a million rows. */
  keys: string;
}

/**
 * SQL: does a record refer to one of the rows?
 *
 * @param columns the beginning of its columns, such as `note.location`.
 * @param bind adds a parameter.
 */
export function refersToRow(columns: string, rows: readonly RowKeys[], bind: (value: string) => string): string {
  const conditions = rows.map(
    ({ tableId, keys }) =>
      `${columns}_table_id = ${bind(tableId)}::uuid AND ${columns}_key IN (SELECT unnest(${bind(keys)}::text[]))`,
  );
  return `(${conditions.join(' OR ') || 'false'})`;
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
