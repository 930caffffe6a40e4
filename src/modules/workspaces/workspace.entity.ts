import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

/** `read`: tools that only read. `propose`: also tools that propose changes of rows, and write notes. */
export const ASSISTANTS_SETTINGS = ['off', 'read', 'propose'] as const;
export type AssistantsSetting = (typeof ASSISTANTS_SETTINGS)[number];
export const DEFAULT_ASSISTANTS: AssistantsSetting = 'read';

/** Settings that a workspace has changed; for absent ones the defaults of the service apply. */
export interface WorkspaceSettings {
  /** The statuses that a note can have, in order. */
  noteStatuses?: { key: string; category: string }[];
  /** The fields of its notes, and their types with the rules of each, as the module notes defines them. */
  noteFields?: object[];
  noteTypes?: object[];
  /** Whether anonymous callers may write notes. */
  publicNotes?: boolean;
  /** What assistants may do. */
  assistants?: AssistantsSetting;
}

/** A customer boundary: it owns one set of tables, its projects and its notes. */
@Entity('workspaces')
@Index('ix_workspaces_removal', ['removalDueAt'], { where: 'removal_due_at IS NOT NULL' })
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

  /** When a deleted workspace is removed; null unless it is deleted. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  removalDueAt: Date | null;
}
