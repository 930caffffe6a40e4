import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** A user's membership of a workspace, and what the workspace knows of the user. It reaches nothing before it is accepted, or once it is archived. */
@Entity('workspace_members')
@Unique('uq_workspace_members_external_id', ['workspaceId', 'externalId'])
@Index('ix_workspace_members_user', ['id'])
export class Membership extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_members' })
  workspaceId: string;

  /** The user's. */
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_workspace_members' })
  id: string;

  @Column('text', { nullable: true })
  displayName: string | null;

  /** When it began to count; null while it is an invitation, which reaches nothing. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;
}
