import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

export const TOUR_STATUSES = ['draft', 'processing', 'published', 'archived', 'failed'] as const;
export type TourStatus = (typeof TOUR_STATUSES)[number];

export const TOUR_VISIBILITIES = ['private', 'unlisted', 'public'] as const;
export type TourVisibility = (typeof TOUR_VISIBILITIES)[number];

/** A 3D tour of a place, in one project. */
@Entity('tours')
@Index('ix_tours_project', ['workspaceId', 'projectId'])
export class Tour {
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

  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column('uuid', { nullable: true })
  updatedBy: string | null;
}
