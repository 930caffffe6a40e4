import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that a caller may send again: under way until it has a status, answered from then on. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_until', ['holdsUntil'])
export class IdempotencyKey {
  /** The user's id, or a hash of where a caller without credentials comes from. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_keys' })
  caller: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_keys' })
  key: string;

  /** What was asked for, hashed. */
  @Column('text')
  fingerprint: string;

  /** Which of several tries has the key. */
  @Column('uuid')
  claim: string;

  /** Under way: when another try may take the key. Answered: when the answer is forgotten. */
  @Column('timestamptz')
  holdsUntil: Date;

  @Column('integer', { nullable: true })
  status: number | null;

  /** The answer's own, beside those that every answer has. */
  @Column('jsonb', { nullable: true })
  headers: Record<string, string | string[]> | null;

  /** As it was sent. */
  @Column('text', { nullable: true })
  body: string | null;
}
