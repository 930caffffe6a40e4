import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** Where a tour stands on its way to its viewers. */
export const TOUR_STAGES = ['draft', 'processing', 'published', 'failed'] as const;
export type TourStage = (typeof TOUR_STAGES)[number];

/** What callers read: the stage, or that the tour is put away. */
export const TOUR_STATUSES = ['draft', 'processing', 'published', 'archived', 'failed'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

export const TOUR_VISIBILITIES = ['private', 'unlisted', 'public'] as const;
export type TourVisibility = (typeof TOUR_VISIBILITIES)[number];

/** A storey; tags and scenes name it by its id. */
export interface Floor {
  id: string;
  label: string;
  /** 0 is the ground floor. */
  level?: number | null;
}

/** A place that a viewer can stand at. */
export interface Scene {
  id: string;
  label?: string | null;
  floorId?: string | null;
}

/** A 3D tour of a place, in one project. */
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
  title: string;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { default: 'draft' })
  status: TourStage;

  @Column('text', { default: 'private' })
  visibility: TourVisibility;

  /** Who hosts the model, and what it is called there. */
  @Column('text', { nullable: true })
  provider: string | null;

  @Column('text', { nullable: true })
  providerModelId: string | null;

  @Column('text', { nullable: true })
  shareUrl: string | null;

  @Column('text', { nullable: true })
  thumbnailUrl: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  capturedAt: Date | null;

  /** When it was published for the first time. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  publishedAt: Date | null;

  @Column('jsonb', { default: [] })
  floors: Floor[];

  @Column('jsonb', { default: [] })
  scenes: Scene[];
}
