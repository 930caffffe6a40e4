import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { ArchivableRecord } from '../../records/archivable-record.js';

export const PROJECT_STATUSES = ['active', 'archived'] as const;
export type ProjectStatus = (typeof PROJECT_STATUSES)[number];

/** A position on the earth in degrees (WGS 84). */
export interface GeoPoint {
  lat: number;
  lng: number;
}

/** A group of tours and notes in a workspace. */
@Entity('projects')
@Unique('uq_projects_external_id', ['workspaceId', 'externalId'])
@Index('ix_projects_updated', ['workspaceId', 'updatedAt', 'id'])
export class Project extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_projects' })
  id: string;

  @Column('text')
  @NamesPersons()
  name: string;

  @Column('text', { nullable: true })
  @NamesPersons()
  description: string | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  address: string | null;

  @Column('jsonb', { nullable: true })
  geo: GeoPoint | null;

  /** URL of an image. */
  @Column('text', { nullable: true })
  @NamesPersons()
  coverImage: string | null;

  /** Whether anonymous callers may write notes, if the workspace allows it, too. */
  @Column('boolean', { default: true })
  publicNotes: boolean;
}
