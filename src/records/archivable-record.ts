import { Column } from 'typeorm';
import { AuditedRecord } from '../platform/database/audited-record.js';

/** A record with a version, an external ID and an archive. Entities extend it and add their keys and fields. */
export abstract class ArchivableRecord extends AuditedRecord {
  abstract workspaceId: string;

  /** A UUID v7 or a number from a sequence: IDs ascend in the order of creation. Only the ID of a user is random. */
  abstract id: string | number;

  /** ID of the record in the caller's own system; unique per workspace and kind of record. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Null while the record is in use. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  archivedAt: Date | null;
}

export type RecordChange = 'created' | 'updated' | 'archived' | 'restored';

/** Receives changes of records of a workspace, in the transaction that changes them. */
export type RecordListener = (
  workspaceId: string,
  change: RecordChange,
  records: readonly Pick<ArchivableRecord, 'id'>[],
) => Promise<void>;

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
  /**
   * Validates values that depend on each other, and adds those that they imply.
   *
   * @param record the locked record; undefined if the values are those of a new one.
   * @throws {DomainError}
   */
  prepare?: (values: Partial<T>, record?: T) => Partial<T>;
  /** Creates this many IDs; by default UUID v7. */
  createIds?: (count: number) => Promise<number[]>;
}
