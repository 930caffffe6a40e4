import { Column } from 'typeorm';
import { AuditedRecord } from '../platform/database/audited-record.js';

/** A record that callers create, change, put away and bring back. Entities extend it and add their keys and fields. */
export abstract class KeptRecord extends AuditedRecord {
  abstract workspaceId: string;

  /** UUID v7 or counted: the order of ids is that of creation. */
  abstract id: string | number;

  /** What the caller's own system calls it; unique in the workspace, among records of one kind. */
  @Column('text', { nullable: true })
  externalId: string | null;

  /** Since when it is put away; null while it is in use. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  archivedAt: Date | null;
}
