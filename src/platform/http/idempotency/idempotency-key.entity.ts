import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../database/names-persons.decorator.js';

/** A request with an Idempotency-Key: running until it has a status, then with its stored response. */
@Entity('idempotency_keys')
@Index('ix_idempotency_keys_until', ['expiresAt'])
export class IdempotencyKey {
  /** User ID, or a hash of the address of an anonymous caller. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_keys' })
  caller: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_idempotency_keys' })
  key: string;

  /** Hash of the request. */
  @Column('text')
  fingerprint: string;

  /** The attempt that has the lease. */
  @Column('uuid', { name: 'claim' })
  leaseId: string;

  /** End of the lease while the request is running, then of the stored response. */
  @Column('timestamptz', { name: 'holds_until' })
  expiresAt: Date;

  @Column('integer', { nullable: true })
  status: number | null;

  /** Headers of this response, in addition to those of every response. */
  @Column('jsonb', { nullable: true })
  headers: Record<string, string | string[]> | null;

  /** The response body as sent. */
  @Column('text', { nullable: true })
  @NamesPersons('json')
  body: string | null;
}
