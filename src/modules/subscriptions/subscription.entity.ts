import { Column, Entity, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { AuditedRecord } from '../../platform/database/audited-record.js';

export const SUBSCRIPTION_STATUSES = ['enabled', 'disabled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/**
 * Why a subscription is disabled. `gone`: the receiver answered 410; `failing`: every attempt of five days failed;
 * `caller`: by PATCH; `operator`: by the operator CLI; `not_owner`: `ownerId` is no longer an owner (ADR 0158).
 */
export const DISABLED_REASONS = ['gone', 'failing', 'caller', 'operator', 'not_owner'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A receiver of the events of a workspace. */
@Entity('subscriptions')
export class Subscription extends AuditedRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_subscriptions' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_subscriptions' })
  id: string;

  @Column('text')
  url: string;

  /** Types of events, or patterns such as `note.*`. */
  @Column('text', { array: true })
  events: string[];

  @Column('text', { nullable: true })
  @NamesPersons()
  description: string | null;

  @Column('text', { default: 'enabled' })
  status: SubscriptionStatus;

  @Column('text', { nullable: true })
  disabledReason: DisabledReason | null;

  /** The owner of the workspace on whose behalf events are delivered; null: who has created the subscription. */
  @Column('uuid', { nullable: true })
  ownerId: string | null;

  /** The access policy that restricts the events. */
  @Column('uuid', { nullable: true })
  policyId: string | null;

  /** Events that this user has caused are not delivered. */
  @Column('uuid', { nullable: true })
  excludedActorId: string | null;

  /** Only events of notes that this user watches are delivered. */
  @Column('uuid', { nullable: true })
  watcherId: string | null;

  /** Encrypted with ENCRYPTION_KEY, as the previous one. */
  @Column('bytea', { select: false })
  secret: Buffer;

  @Column('bytea', { nullable: true, select: false })
  previousSecret: Buffer | null;

  /** Until then, deliveries are signed with the previous secret, too. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  previousSecretUntil: Date | null;

  /** Deliveries exist for the events up to this number of the log. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value }, select: false })
  queuedThrough: number;

  /** The first failed attempt since the last success, or since the last time without queued deliveries. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, select: false })
  failingSince: Date | null;
}
