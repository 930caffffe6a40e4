import { Column, Entity, Index, IsNull, Not, PrimaryColumn, Unique } from 'typeorm';
import { DEFAULT_ROLE, type Role } from '../../platform/security/roles.js';
import { ArchivableRecord } from '../../records/archivable-record.js';
import type { UserStatus } from './user.entity.js';

/** Memberships that are neither invitations nor ended. */
export const ACCEPTED = { archivedAt: IsNull(), acceptedAt: Not(IsNull()) };

/** An owner can archive and restore a membership any number of times. */
const MAX_PERIODS = 100;

/** A time as a member, in ISO 8601. */
interface Period {
  since: string;
  /** Null while the user is a member. */
  until: string | null;
}

/**
 * A user's membership of a workspace, and all that the workspace knows about the user. It grants access only while it
 * is accepted, active and not archived.
 */
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

  /** A suspended membership grants no access. It affects neither other memberships nor the sessions of the user. */
  @Column('text', { default: 'active' })
  status: UserStatus;

  @Column('text', { default: DEFAULT_ROLE })
  role: Role;

  /** The access policy that restricts the member. */
  @Column('uuid', { nullable: true })
  policyId: string | null;

  /**
   * The access policies of the OAuth clients of the member in this workspace, by client ID (ADR 0161). Null if none has
   * one. Changed by `UsersRepository.setClientPolicy` only, so that a saved membership does not overwrite it.
   */
  @Column('jsonb', { nullable: true, select: false })
  clientPolicies: Record<string, string> | null;

  /** Null while the membership is an invitation, which grants no access. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;

  /** When the user was a member, suspended or not. The oldest first, at most the last 100. */
  @Column('jsonb', { default: [] })
  periods: Period[];
}

/** The periods of a membership that has these values from now on. */
export function toPeriods({ periods = [], acceptedAt, archivedAt }: Partial<Membership>): Period[] {
  const last = periods.at(-1);
  const open = last?.until === null ? last : undefined;
  const isMember = Boolean(acceptedAt) && !archivedAt;
  if (isMember === (open !== undefined)) return periods;
  const now = new Date().toISOString();
  if (open) return [...periods.slice(0, -1), { since: open.since, until: now }];
  return [...periods, { since: now, until: null }].slice(-MAX_PERIODS);
}

/** Is the membership one of those that give access to the workspace with the role `owner`? */
export function isActiveOwner({ role, status, acceptedAt, archivedAt }: Membership): boolean {
  return role === 'owner' && status === 'active' && acceptedAt !== null && archivedAt === null;
}
