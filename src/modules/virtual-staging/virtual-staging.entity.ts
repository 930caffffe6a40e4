import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** What the renderer does with the image. */
export const VIRTUAL_STAGING_TYPES = ['stage', 'declutter', 'enhance'] as const;
export type VirtualStagingType = (typeof VIRTUAL_STAGING_TYPES)[number];

/** A virtual staging can be cancelled in the first two statuses. The last three are final. */
export const VIRTUAL_STAGING_STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'cancelled'] as const;
export type VirtualStagingStatus = (typeof VIRTUAL_STAGING_STATUSES)[number];

/** A render job: an image of a tour that a renderer furnishes, declutters or enhances. */
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

  /** The project of the tour. */
  @Column('uuid')
  projectId: string;

  @Column('text', { nullable: true })
  @NamesPersons('json')
  sceneId: string | null;

  /** Owner ID of the source image in the attachments; each source image gets a new one. */
  @Column('uuid')
  sourceId: string;

  @Column('text')
  type: VirtualStagingType;

  @Column('text', { nullable: true })
  @NamesPersons()
  roomType: string | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  style: string | null;

  @Column('text', { default: 'queued' })
  status: VirtualStagingStatus;

  /** 0 to 100. */
  @Column('integer', { default: 0 })
  progress: number;

  /** Reason of the failure. */
  @Column('text', { nullable: true })
  @NamesPersons()
  error: string | null;

  /** Number of claims. */
  @Column('integer', { default: 0 })
  attempts: number;

  /** Token of the last claim, which authorizes its renderer while the lease is valid. Never returned in a response. */
  @Column('uuid', { nullable: true })
  claim: string | null;

  /** Length of the lease, which each call of the renderer renews. */
  @Column('integer', { nullable: true })
  leaseSeconds: number | null;

  /** When the lease expires; null without a renderer. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil: Date | null;

  /** Time of the last claim. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  /** When the status became final. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;
}
