import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Principal } from '../../platform/security/principal.js';
import { ArchivableRecord } from '../../records/archivable-record.js';

/** A user's membership of a workspace, and what the workspace knows about the user. It grants access only while it is accepted and not archived. */
@Entity('workspace_members')
@Unique('uq_workspace_members_external_id', ['workspaceId', 'externalId'])
@Index('ix_workspace_members_user', ['id'])
export class Membership extends ArchivableRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_members' })
  workspaceId: string;

  /** The ID of the user. */
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_workspace_members' })
  id: string;

  @Column('text', { nullable: true })
  displayName: string | null;

  /** Null while the membership is an invitation, which grants no access. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;
}

/**
 * True if a membership that the caller creates must be accepted by the user first: the user is a member of other
 * workspaces only, and the membership would extend what the user's sessions can reach, and who can manage the user.
 *
 * @param accepted the workspaces of which the user is a member, without invitations.
 */
export function isInvitation(accepted: readonly string[] = [], { workspaceIds }: Principal): boolean {
  return accepted.length > 0 && !accepted.some((workspaceId) => workspaceIds.includes(workspaceId));
}
