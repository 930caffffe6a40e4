import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { decrypt, encrypt } from '../../platform/security/encryption.js';
import { SHARE_SECRETS } from './secrets.js';
import { ALGORITHM, type KeyState, type KeyUse, type SigningKey } from './signing-key.entity.js';

/** A key that verifies tokens. Retired keys have no private key here. */
export type StoredKey = Pick<SigningKey, 'kid' | 'use' | 'state' | 'publicKey' | 'verifyUntil'> & {
  encryptedPrivateKey: Buffer | null;
};

/** Signing keys in the database: statements that lock or change several rows. */
@Injectable()
export class SigningKeysRepository {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * All keys that still verify tokens, the oldest first. The statement has no parameters: nothing that a token contains
   * reaches the database.
   */
  findUsable(): Promise<StoredKey[]> {
    return this.database.query<StoredKey>(
      `SELECT kid, use, state, public_key AS "publicKey", verify_until AS "verifyUntil",
              CASE WHEN state <> 'retired' THEN encrypted_private_key END AS "encryptedPrivateKey"
         FROM signing_keys
        WHERE verify_until IS NULL OR verify_until > now()
        ORDER BY created_at, kid`,
    );
  }

  /**
   * Lets one transaction at a time change keys, without blocking readers. Row locks would not suffice: a transaction
   * that waited for the active key would find it retired and would not have locked its successor.
   */
  async lock(): Promise<void> {
    await this.database.query('LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE');
  }

  /** Creates the missing keys. If several instances start at once, the unique indexes admit only one key each. */
  async createMissing(): Promise<void> {
    for (const use of ['access', 'refresh'] as const) {
      for (const state of ['active', 'next'] as const) await this.createIfMissing(use, state);
    }
  }

  /**
   * Retires the active keys and activates the next ones.
   *
   * @param verifyS seconds for which retired access keys still verify.
   */
  async activateNext(verifyS: number): Promise<void> {
    // Two statements: the unique index allows no two active keys, not even within one statement.
    await this.database.query(
      `UPDATE signing_keys
          SET state = 'retired', retired_at = now(),
              verify_until = CASE WHEN use = 'access' THEN now() + make_interval(secs => $1) END
        WHERE state = 'active'`,
      [verifyS],
    );
    await this.database.query(`UPDATE signing_keys SET state = 'active', activated_at = now() WHERE state = 'next'`);
  }

  /** Retires all keys; none of them verifies anything from now on. */
  async invalidateAll(): Promise<void> {
    await this.database.query(
      `UPDATE signing_keys
          SET state = 'retired', retired_at = coalesce(retired_at, now()), verify_until = least(verify_until, now())`,
    );
  }

  private async createIfMissing(use: KeyUse, state: Exclude<KeyState, 'retired'>): Promise<void> {
    const { publicKey, encryptedPrivateKey } = generateKeyPair(this.config.secrets.encryptionKey);
    await this.database.query(
      `INSERT INTO signing_keys (kid, use, alg, state, public_key, encrypted_private_key, activated_at)
       SELECT $1, $2, $3, $4, $5, $6, CASE WHEN $4 = 'active' THEN now() END
        WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE use = $2 AND state = $4)
       ON CONFLICT DO NOTHING`,
      [uuid(), use, ALGORITHM, state, publicKey, encryptedPrivateKey],
    );
  }
}

/** Generates a key pair as it is stored: the public key as PEM, the private key encrypted with ENCRYPTION_KEY. */
export function generateKeyPair(encryptionKey: Buffer): { publicKey: string; encryptedPrivateKey: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    encryptedPrivateKey: encrypt(privateKey.export({ type: 'pkcs8', format: 'der' }), encryptionKey),
  };
}

/** @throws Error that names ENCRYPTION_KEY if the private key was encrypted with another one or was altered. */
export function decryptPrivateKey(encrypted: Buffer, encryptionKey: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: decrypt(encrypted, encryptionKey), type: 'pkcs8', format: 'der' });
  } catch {
    throw new Error(
      `ENCRYPTION_KEY: differs from the key that the signing keys in this database are encrypted with. ${SHARE_SECRETS}`,
    );
  }
}
