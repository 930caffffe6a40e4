import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { ClaimMapping } from './claim-mapping.js';

/** An issuer whose access tokens the service accepts. */
@Entity('trusted_issuers')
export class TrustedIssuer {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_trusted_issuers' })
  id: string;

  /** The claim `iss` of its tokens, exactly. */
  @Column('text', { unique: true })
  url: string;

  /** What the claim `aud` of its tokens must contain. */
  @Column('text')
  audience: string;

  /** The domains of the email addresses by which it may identify users, in lower case. */
  @Column('text', { array: true })
  domains: string[];

  @Column('jsonb')
  claims: ClaimMapping;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
