import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** The user whom a subject of a trusted issuer is. */
@Entity('federated_identities')
@Index('ix_federated_identities_user', ['userId'])
@Index('ix_federated_identities_client', ['clientId'])
export class FederatedIdentity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_federated_identities' })
  issuerId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_federated_identities' })
  subject: string;

  @Column('uuid')
  userId: string;

  /** The client of a machine; null for a person. */
  @Column('text', { nullable: true })
  clientId: string | null;

  /** When the newest token that was used was issued: groups of an older one no longer count. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  tokenIssuedAt: Date | null;

  /** The digests of the used tokens that were issued at this time: each counts once. */
  @Column('text', { array: true, default: [] })
  tokenDigests: string[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
