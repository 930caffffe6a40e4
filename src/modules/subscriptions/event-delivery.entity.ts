import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One request to a receiver. */
export interface DeliveryAttempt {
  at: string;
  /** Null if no response was received. */
  responseStatus: number | null;
  durationMs: number;
  /** The first KiB. */
  responseBody: string | null;
  error: string | null;
}

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}

/** One event for one subscription: an entry of the queue and of the delivery log. */
@Entity('event_deliveries')
@Index('ix_event_deliveries_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_event_deliveries_queue', ['workspaceId', 'subscriptionId', 'dueAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_event_deliveries_subscription', ['workspaceId', 'subscriptionId', 'createdAt', 'id'])
@Index('ix_event_deliveries_created', ['createdAt'])
export class EventDelivery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_deliveries' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_event_deliveries' })
  id: string;

  @Column('uuid')
  subscriptionId: string;

  @Column('uuid')
  eventId: string;

  @Column('text')
  eventType: string;

  /** Null for `ping`, which is not in the log. */
  @Column('bigint', { nullable: true, transformer: { from: toNumber, to: (value: number | null) => value } })
  sequence: number | null;

  @Column('text', { default: 'pending' })
  status: DeliveryStatus;

  /** When the next attempt is due, or when the lease of the current one expires; null if none follows. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt: Date | null;

  /** Identifies the attempt in progress. */
  @Column('uuid', { nullable: true })
  lease: string | null;

  /** Failed attempts since the delivery was queued or repeated by a caller. */
  @Column('integer', { default: 0 })
  retries: number;

  @Column('jsonb', { default: [] })
  @NamesPersons()
  attempts: DeliveryAttempt[];

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
