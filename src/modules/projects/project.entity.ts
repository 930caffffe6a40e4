import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ArchivableRecord } from '../../records/archivable-record.js';

export const PROJECT_STATUSES = ['active', 'archived'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

/** A place on the earth, in degrees (WGS 84). */
export interface GeoPoint {
  lat: number;
  lng: number;
}

/** What a workspace groups its tours and notes by. */
@Entity('projects')
@Unique('uq_projects_external_id', ['workspaceId', 'externalId'])
@Index('ix_projects_updated', ['workspaceId', 'updatedAt', 'id'])
export class Project extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  id: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('jsonb', { nullable: true })
  geo: GeoPoint | null;

  /** Address of a picture. */
  @Column('text', { nullable: true })
  coverImage: string | null;

  /** May callers without credentials write notes here, where the workspace lets them? */
  @Column('boolean', { default: true })
  publicNotes: boolean;
}
