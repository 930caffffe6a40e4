import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

export const USER_STATUSES = ['active', 'suspended'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/**
 * A person or a service account, who belongs to no workspace. What a workspace knows about the user is in the
 * membership.
 */
@Entity('users')
export class User {
  /** Random: a UUID v7 would show a workspace that the user is older than the membership. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_users' })
  id: string;

  /** Normalized; unique in the service. */
  @Column('text', { unique: true })
  email: string;

  /** The addresses that the user had before, for an erasure. */
  @Column('text', { array: true, default: [] })
  formerEmails: string[];

  /** Set only by the operator. A workspace suspends its membership. An erased user has a pseudonym as email address. */
  @Column('text', { default: 'active' })
  status: UserStatus | 'erased';

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastLoginAt: Date | null;

  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
