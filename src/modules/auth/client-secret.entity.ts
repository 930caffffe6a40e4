import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A client's secret, as its HMAC. A client has several only while an old one runs out after a rotation. */
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
