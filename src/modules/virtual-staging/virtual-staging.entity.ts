import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** What is done to the picture. */
export const VIRTUAL_STAGING_TYPES = ['stage', 'declutter', 'enhance'] as const;
export type VirtualStagingType = (typeof VIRTUAL_STAGING_TYPES)[number];

/** The first two may be cancelled; the last three are final. */
export const VIRTUAL_STAGING_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'cancelled'] as const;
export type VirtualStagingStatus = (typeof VIRTUAL_STAGING_STATUSES)[number];

/** A picture of a tour that a renderer furnishes, empties or improves; the queue of renderers has it until it is over. */
@Entity('stagings')
@Unique('uq_stagings_external_id', ['workspaceId', 'externalId'])
@Index('ix_stagings_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_stagings_tour', ['workspaceId', 'tourId', 'id'])
@Index('ix_stagings_project', ['workspaceId', 'projectId', 'id'])
@Index('ix_stagings_queue', ['workspaceId', 'id'], {
  where: "status IN ('queued', 'processing') AND archived_at IS NULL",
})
@Index('ix_stagings_lease', ['leaseUntil'], { where: "status = 'processing'" })
export class VirtualStaging extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_stagings' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_stagings' })
  id: string;

  @Column('uuid')
  tourId: string;

  /** The tour's project. */
  @Column('uuid')
  projectId: string;

  @Column('text', { nullable: true })
  sceneId: string | null;

  /** Owns the picture that is worked on; a new one with each picture. */
  @Column('uuid')
  sourceId: string;

  @Column('text')
  type: VirtualStagingType;

  @Column('text', { nullable: true })
  roomType: string | null;

  @Column('text', { nullable: true })
  style: string | null;

  @Column('text', { default: 'queued' })
  status: VirtualStagingStatus;

  /** 0 to 100. */
  @Column('integer', { default: 0 })
  progress: number;

  /** Why it failed. */
  @Column('text', { nullable: true })
  error: string | null;

  /** How often it was claimed. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** The token of the last claim; whoever knows it while the lease runs is the renderer. Never shown. */
  @Column('uuid', { nullable: true })
  claim: string | null;

  /** How long the claim may be silent. */
  @Column('integer', { nullable: true })
  leaseSeconds: number | null;

  /** When it has been silent for too long; null where no renderer has it. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil: Date | null;

  /** When it was last claimed. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  /** When it was over. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;
}
