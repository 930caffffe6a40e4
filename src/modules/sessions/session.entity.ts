import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Scope } from '../../platform/security/scopes.js';

export type RevocationReason =
  'logout' | 'revocation' | 'reuse' | 'credential_rotation' | 'client_disabled' | 'user_suspended' | 'operator';

/** A login session. `generation` and `tokenId` identify its one valid refresh token; any earlier one is reuse. */
@Entity('sessions')
@Index('ix_sessions_client', ['clientId'], { where: 'revoked_at IS NULL' })
@Index('ix_sessions_live', ['userId', 'refreshExpiresAt'], { where: 'revoked_at IS NULL' })
@Index('ix_sessions_ended', ['refreshExpiresAt'], { where: 'generation = 0' })
export class Session {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sessions' })
  userId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sessions' })
  id: string;

  @Column('text')
  clientId: string;

  @Column('text', { array: true })
  scopes: Scope[];

  /** The number of refreshes so far. */
  @Column('integer', { default: 0 })
  generation: number;

  @Column('uuid')
  tokenId: string;

  @Column({ type: 'timestamptz', precision: 3 })
  refreshExpiresAt: Date;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastUsedAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;

  @Column('text', { nullable: true })
  revokedReason: RevocationReason | null;
}
