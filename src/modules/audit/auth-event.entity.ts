import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What the audit log knows to tell, in the past tense. */
export const AUTH_EVENTS = [
  'signed_in',
  'refreshed',
  'refused',
  'reuse_detected',
  'session_revoked',
  'sessions_reset',
  'client_created',
  'client_disabled',
  'secret_rotated',
  'user_suspended',
  'user_activated',
  'member_added',
  'member_changed',
  'member_removed',
  'member_restored',
  'invitation_accepted',
  'invitation_declined',
  'workspace_changed',
  'api_key_created',
  'api_key_used',
  'api_key_revoked',
  'webhook_called',
  'signing_keys_rotated',
  'signing_keys_replaced',
] as const;

export type AuthEventKind = (typeof AUTH_EVENTS)[number];

/** One line of the audit log. Lines are added, and removed when they are old, but never changed. */
@Entity('auth_events')
@Index('ix_auth_events_at', ['at'])
@Index('ix_auth_events_user', ['userId', 'id'])
export class AuthEvent {
  /** Of version 7, so that the order of ids is the order of time. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_auth_events' })
  id: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;

  @Column('text')
  kind: AuthEventKind;

  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The caller by whose hand it happened; null where there was none, or the operator acted. */
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

  /** Why: the message of a refusal, the reason of a revocation; of a change, the fields that changed. */
  @Column('text', { nullable: true })
  reason: string | null;

  /** How many of what the event is about, such as sessions that ended, or rows that were created. */
  @Column('jsonb', { nullable: true })
  counts: Record<string, number> | null;

  /** The caller's IP address; null where the operator acted. */
  @Column('text', { nullable: true })
  address: string | null;

  /** As in the service's log and in the answer; null where the operator acted. */
  @Column('text', { nullable: true })
  requestId: string | null;
}
