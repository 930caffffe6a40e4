import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

/** What a workspace decides for itself; what is not there is as the service has it. */
export interface WorkspaceSettings {
  /** The states that a note can have, in order. */
  noteStatuses?: { key: string; category: string }[];
  /** May callers without credentials write notes here? */
  publicNotes?: boolean;
}

/** A tenant: it owns one set of tables, its projects and its notes. */
@Entity('workspaces')
export class Workspace extends AuditedRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspaces' })
  id: string;

  @Column('text')
  name: string;

  /** Short name for people and links, unique in the service. */
  @Column('text', { unique: true })
  slug: string;

  /** IANA name. */
  @Column('text', { default: 'UTC' })
  timezone: string;

  @Column('jsonb', { default: {} })
  settings: WorkspaceSettings;
}
