import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What a key signs: access and refresh tokens have keys of their own. */
export type KeyUse = 'access' | 'refresh';

/** `next` is known everywhere before it signs, `active` signs, `retired` verifies what it has signed. */
export type KeyState = 'next' | 'active' | 'retired';

/** A key pair that signs tokens. The private half is encrypted under ENCRYPTION_KEY. */
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

  /** From then on the key verifies nothing any more; null: it goes on without end. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  verifyUntil: Date | null;
}
