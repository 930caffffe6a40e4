import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { ClaimMapping } from './claim-mapping.js';

/** How people sign in at an issuer on the pages and by the command line. Anonymous callers can read it. */
export interface IssuerSignIn {
  /** What the button is called. */
  name: string;
  /** A client of the issuer without a secret. */
  clientId: string;
  /** What the client requests; contains `openid`. */
  scopes: string[];
}

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

  /** Null if it has only programs. */
  @Column('jsonb', { nullable: true })
  signIn: IssuerSignIn | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
