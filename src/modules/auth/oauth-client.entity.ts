import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { Scope } from '../../platform/security/scopes.js';

/** Client credentials of a user (specification, section 2.2), without the secret. */
@Entity('oauth_clients')
@Index('ix_oauth_clients_user', ['userId'])
export class OAuthClient {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_oauth_clients' })
  clientId: string;

  @Column('uuid')
  userId: string;

  /** The scopes that the client may request. */
  @Column('text', { array: true })
  allowedScopes: Scope[];

  @Column('text', { default: 'active' })
  status: 'active' | 'disabled';

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/** The HMAC of a client secret. A client has several only while old ones expire after a rotation with overlap. */
@Entity('client_secrets')
@Index('ix_client_secrets_client', ['clientId'])
export class ClientSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_client_secrets' })
  id: string;

  @Column('text')
  clientId: string;

  @Column('bytea')
  hmac: Buffer;

  @Column('text')
  pepperId: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;
}
