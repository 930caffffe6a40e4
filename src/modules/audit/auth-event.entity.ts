import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import type { AuditKind } from './audit-kinds.js';

/**
 * An entry of the audit log. Entries are added, and deleted when they are old. Only the counts of frequent events grow.
 */
@Entity('auth_events')
@Index('ix_auth_events_at', ['at'])
@Index('ix_auth_events_user', ['userId', 'id'])
@Index('ix_auth_events_workspace', ['workspaceId', 'kind', 'at', 'id'], { where: 'workspace_id IS NOT NULL' })
@Index('ix_auth_events_access', ['userId', 'at', 'id'], { where: "workspace_id IS NULL AND kind <> 'refreshed'" })
export class AuthEvent {
  /** UUID version 7 by the clock of the database, so that the events of all instances are in one order. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_auth_events' })
  id: string;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;

  @Column('text')
  kind: AuditKind;

  @Column('uuid', { nullable: true })
  userId: string | null;

  /** The calling user; null if there was none or the operator acted. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  /** The API key with which the user called; null for a session. */
  @Column('uuid', { nullable: true })
  actorKeyId: string | null;

  @Column('text', { nullable: true })
  @NamesPersons()
  actorKeyName: string | null;

  /** The first characters of the secret or of the client ID with which the user called. */
  @Column('text', { nullable: true })
  credential: string | null;

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
  @NamesPersons()
  reason: string | null;

  /** Numbers, such as those of the revoked sessions or the created rows. */
  @Column('jsonb', { nullable: true })
  counts: Record<string, number> | null;

  /** What was done to which tables or records. */
  @Column('jsonb', { nullable: true })
  @NamesPersons()
  details: Record<string, unknown> | null;

  /** The caller's IP address; null if the operator acted. */
  @Column('text', { nullable: true })
  address: string | null;

  /** The caller's `User-Agent`, shortened. */
  @Column('text', { nullable: true })
  userAgent: string | null;

  /** The request ID in the log of the service and in the response; null if the operator acted. */
  @Column('text', { nullable: true })
  requestId: string | null;
}
