import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Bucket of one caller and one shared policy: the attempts that count, and the block. */
@Entity('rate_buckets')
@Index('ix_rate_buckets_idle', ['idleAt'])
export class RateBucket {
  /** Name of the policy, then a hash per part of what is counted; the first part is the address. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_rate_buckets' })
  key: string;

  /** Times of the allowed attempts, oldest first. */
  @Column('timestamptz', { array: true })
  hits: Date[];

  /** Set by the first rejected attempt; later ones do not change it. */
  @Column('timestamptz', { nullable: true })
  blockedUntil: Date | null;

  /** From this time on the row has no effect and may be deleted. */
  @Column('timestamptz')
  idleAt: Date;
}
