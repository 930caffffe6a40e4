import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

export const TOUR_STATUSES = ['draft', 'processing', 'published', 'archived', 'failed'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

export const TOUR_VISIBILITIES = ['private', 'unlisted', 'public'] as const;
export type TourVisibility = (typeof TOUR_VISIBILITIES)[number];

/** A 3D tour of a place, in one project. */
@Entity('tours')
@Index('ix_tours_project', ['workspaceId', 'projectId'])
export class Tour extends AuditedRecord {
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
  status: TourStatus;

  @Column('text', { default: 'private' })
  visibility: TourVisibility;
}
