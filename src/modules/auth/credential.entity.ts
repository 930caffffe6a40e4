import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import type { Scope } from '../../platform/security/scopes.js';

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

/**
 * A static API key of one user, bound to one workspace (specification, section 5), or a former secret of a key after a
 * rotation. Such a row has the values of its key, and an expiry.
 */
@Entity('api_keys')
@Index('ix_api_keys_user', ['userId'])
@Index('ix_api_keys_workspace', ['workspaceId'])
export class ApiKey extends Credential {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_api_keys' })
  id: string;

  @Column('uuid')
  userId: string;

  @Column('uuid')
  workspaceId: string;

  @Column('text', { default: 'API key' })
  @NamesPersons()
  name: string;

  /** What the key permits, if the role of its user does, too. */
  @Column('text', { array: true, default: ['api'] })
  scopes: Scope[];

  @Column('bytea', { unique: true })
  hmac: Buffer;

  /** The access policy that restricts the key. */
  @Column('uuid', { nullable: true })
  policyId: string | null;

  /** The first characters of the key; null for keys of former versions. */
  @Column('text', { nullable: true })
  prefix: string | null;

  /** The last 4 characters of the key, so that people can distinguish keys. */
  @Column('text')
  last4: string;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;

  /** The user who created the key; null for the operator. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  /** The key whose former secret this is; null for the key itself, with its current secret. */
  @Column('uuid', { nullable: true })
  formerOf: string | null;
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
