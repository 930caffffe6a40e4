import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A secret of which only the HMAC is stored. */
abstract class Credential {
  @Column('text')
  pepperId: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;
}

/** A static API key of one user, bound to one workspace (specification, section 5). */
@Entity('api_keys')
@Index('ix_api_keys_user', ['userId'])
export class ApiKey extends Credential {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_keys' })
  id: string;

  @Column('uuid')
  userId: string;

  @Column('uuid')
  workspaceId: string;

  @Column('bytea', { unique: true })
  hmac: Buffer;

  /** The last 4 characters of the key, so that people can distinguish keys. */
  @Column('text')
  last4: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
}

/** A client secret. A client has several only while old ones expire after a rotation with overlap. */
@Entity('client_secrets')
@Index('ix_client_secrets_client', ['clientId'])
export class ClientSecret extends Credential {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_client_secrets' })
  id: string;

  @Column('text')
  clientId: string;

  @Column('bytea')
  hmac: Buffer;
}
