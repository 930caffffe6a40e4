import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The kinds of events. Stored and filtered by name, so existing names do not change. `refused` is a rejection of
 * credentials, `scope_rejected` one of valid credentials without the scope.
 */
export const AUTH_EVENTS = [
  'signed_in',
  'refreshed',
  'refused',
  'scope_rejected',
  'reuse_detected',
  'session_revoked',
  'sessions_reset',
  'client_created',
  'client_disabled',
  'secret_rotated',
  'user_suspended',
  'user_activated',
  'user_deleted',
  'member_added',
  'member_changed',
  'member_removed',
  'member_restored',
  'member_admitted',
  'invitation_accepted',
  'invitation_declined',
  'workspace_changed',
  'api_key_created',
  'api_key_used',
  'api_key_revoked',
  'webhook_called',
  'signing_keys_rotated',
  'signing_keys_replaced',
  'subscription_created',
  'subscription_changed',
  'subscription_deleted',
  'subscription_disabled',
  'subscription_secret_rotated',
] as const;

export type AuthEventKind = (typeof AUTH_EVENTS)[number];

/** An event of the audit log. Events are added, and deleted when they are old, but never changed. */
@Entity('auth_events')
@Index('ix_auth_events_at', ['at'])
@Index('ix_auth_events_user', ['userId', 'id'])
export class AuthEvent {
  /** UUID version 7 by the clock of the database, so that the events of all instances are in one order. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_auth_events' })
  id: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;

  @Column('text')
  kind: AuthEventKind;

  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The calling user; null if there was none or the operator acted. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  @Column('uuid', { nullable: true })
  workspaceId: string | null;

  @Column('text', { nullable: true })
  clientId: string | null;

  @Column('uuid', { nullable: true })
  sessionId: string | null;

  @Column('uuid', { nullable: true })
  apiKeyId: string | null;

  /** The message of a rejection, the reason of a revocation, or the fields that a change changed. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** Numbers, such as those of the revoked sessions or the created rows. */
  @Column('jsonb', { nullable: true })
  counts: Record<string, number> | null;

  /** The caller's IP address; null if the operator acted. */
  @Column('text', { nullable: true })
  address: string | null;

  /** The request ID in the log of the service and in the response; null if the operator acted. */
  @Column('text', { nullable: true })
  requestId: string | null;
}
