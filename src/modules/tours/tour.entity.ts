import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** The stored status of a tour. */
export const TOUR_STAGES = ['draft', 'processing', 'published', 'failed'] as const;
export type TourStage = (typeof TOUR_STAGES)[number];

/** The status in responses: the stage, or `archived`. */
export const TOUR_STATUSES = ['draft', 'processing', 'published', 'archived', 'failed'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

export const TOUR_VISIBILITIES = ['private', 'unlisted', 'public'] as const;
export type TourVisibility = (typeof TOUR_VISIBILITIES)[number];

/** A floor of the building. Tags and scenes refer to it by its ID. */
export interface Floor {
  id: string;
  label: string;
  /** 0 is the ground floor. */
  level?: number | null;
}

/** A viewpoint of the tour. */
export interface Scene {
  id: string;
  label?: string | null;
  floorId?: string | null;
}

/** A 3D tour in a project. */
@Entity('tours')
@Unique('uq_tours_external_id', ['workspaceId', 'externalId'])
@Index('ix_tours_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_tours_project', ['workspaceId', 'projectId'])
export class Tour extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tours' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_tours' })
  id: string;

  @Column('uuid')
  projectId: string;

  @Column('text')
  @NamesPersons()
  title: string;

  @Column('text', { nullable: true })
  @NamesPersons()
  description: string | null;

  @Column('text', { default: 'draft' })
  status: TourStage;

  @Column('text', { default: 'private' })
  visibility: TourVisibility;

  /** Host of the model. */
  @Column('text', { nullable: true })
  provider: string | null;

  /** ID of the model at the provider. */
  @Column('text', { nullable: true })
  providerModelId: string | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  shareUrl: string | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  thumbnailUrl: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  capturedAt: Date | null;

  /** Time of the first publication. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  publishedAt: Date | null;

  @Column('jsonb', { default: [] })
  @NamesPersons()
  floors: Floor[];

  @Column('jsonb', { default: [] })
  @NamesPersons()
  scenes: Scene[];
}
