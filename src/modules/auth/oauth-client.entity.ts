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
