import type { ArchivableRecord } from './archivable-record.js';

/** What `Records` must know about one kind of record. */
export interface RecordKind<T extends ArchivableRecord> {
  entity: new () => T;
  /** Kind in the directory. */
  kind: string;
  /** Subject of error messages: "The tour". */
  label: string;
  /** Text columns that `q` searches. */
  searched: readonly (keyof T & string)[];
  /** Properties that cannot change after creation, such as the parent. */
  immutable?: readonly (keyof T & string)[];
  /** Rejects writes to a record in an archived parent. `field` names the record in the request. */
  requireOpenParent?: (record: T, field?: string) => Promise<unknown>;
  /** Validates properties that depend on each other. `record` already contains the changes. */
  validate?: (record: T, changes: Partial<T>) => void;
  /** Creates this many IDs; by default UUID v7. */
  createIds?: (count: number) => Promise<number[]>;
}
