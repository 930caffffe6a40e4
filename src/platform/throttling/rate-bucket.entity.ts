import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** What is known of one caller under one shared policy: the attempts that count still, and a block. */
@Entity('rate_buckets')
@Index('ix_rate_buckets_idle', ['idleAt'])
export class RateBucket {
  /** The policy's name, then a hash for each part of what is counted; the first part is the address. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_rate_buckets' })
  key: string;

  /** When the attempts were let through, oldest first. */
  @Column('timestamptz', { array: true })
  hits: Date[];

  /** Set by the first attempt that was refused; the ones after it do not move it. */
  @Column('timestamptz', { nullable: true })
  blockedUntil: Date | null;

  /** From then on the row means nothing any more. */
  @Column('timestamptz')
  idleAt: Date;
}
