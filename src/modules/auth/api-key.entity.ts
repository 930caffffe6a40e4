import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A static API key of one user, bound to one workspace (specification, section 5). Only its HMAC is stored. */
@Entity('api_keys')
@Index('ix_api_keys_user', ['userId'])
export class ApiKey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_keys' })
  id: string;

  @Column('uuid')
  userId: string;

  @Column('uuid')
  workspaceId: string;

  @Column('bytea', { unique: true })
  hmac: Buffer;

  @Column('text')
  pepperId: string;

  /** The last 4 characters of the key, so that people can distinguish keys. */
  @Column('text')
  last4: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
}
