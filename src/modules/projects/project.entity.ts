import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

export const PROJECT_STATUSES = ['active', 'archived'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

/** What a workspace groups its tours and notes by. */
@Entity('projects')
export class Project extends AuditedRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  id: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { default: 'active' })
  status: ProjectStatus;

  /** May callers without credentials write notes here, where the workspace lets them? */
  @Column('boolean', { default: true })
  publicNotes: boolean;
}
