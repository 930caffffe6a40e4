import { Column } from 'typeorm';
import { AuditedRecord } from '../platform/database/audited-record.js';

/** A record with a version, an external ID and an archive. Entities extend it and add their keys and fields. */
export abstract class ArchivableRecord extends AuditedRecord {
  abstract workspaceId: string;

  /** A UUID v7 or a number from a sequence: IDs ascend in the order of creation. */
  abstract id: string | number;

  /** ID of the record in the caller's own system; unique per workspace and kind of record. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Null while the record is in use. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  archivedAt: Date | null;
}
