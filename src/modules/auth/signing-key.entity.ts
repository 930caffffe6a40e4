import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** The kind of token that a key signs. Access and refresh tokens have separate keys. */
export type KeyUse = 'access' | 'refresh';

/** `next` is known to every instance before it signs, `active` signs, `retired` only verifies. */
export type KeyState = 'next' | 'active' | 'retired';

/** The only algorithm. The header of a token cannot select another one. */
export const ALGORITHM = 'ES256';

/** A key pair that signs tokens. The private key is encrypted with ENCRYPTION_KEY. */
@Entity('signing_keys')
@Index('uq_signing_keys_active', ['use'], { unique: true, where: "state = 'active'" })
@Index('uq_signing_keys_next', ['use'], { unique: true, where: "state = 'next'" })
export class SigningKey {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_signing_keys' })
  kid: string;

  @Column('text')
  use: KeyUse;

  @Column('text')
  alg: string;

  @Column('text')
  state: KeyState;

  /** PEM, SubjectPublicKeyInfo. */
  @Column('text')
  publicKey: string;

  @Column('bytea')
  encryptedPrivateKey: Buffer;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  activatedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  retiredAt: Date | null;

  /** The key verifies nothing from this time on; null means without limit. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  verifyUntil: Date | null;
}
