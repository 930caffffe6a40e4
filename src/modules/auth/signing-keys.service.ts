import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { type KeyUse, SigningKey } from './signing-key.entity.js';

/** The one algorithm; the header of a token has no say in it. */
export const ALGORITHM = 'ES256';

interface LoadedKey {
  kid: string;
  use: KeyUse;
  publicKey: KeyObject;
  privateKey: KeyObject;
}

/** The keys that sign and verify tokens: kept in the database, shared by all instances, held in memory. */
@Injectable()
export class SigningKeys implements OnModuleInit {
  private readonly byKid = new Map<string, LoadedKey>();
  private readonly active = new Map<KeyUse, LoadedKey>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  async onModuleInit(): Promise<void> {
    for (const use of ['access', 'refresh'] as const) await this.ensureActive(use);
    await this.load();
  }

  /** The key that signs new tokens of this use. */
  signing(use: KeyUse): LoadedKey {
    return this.active.get(use)!;
  }

  /** The key a token names, where it is one of ours and of this use. */
  find(use: KeyUse, kid: unknown): LoadedKey | undefined {
    const key = typeof kid === 'string' ? this.byKid.get(kid) : undefined;
    return key?.use === use ? key : undefined;
  }

  /** Instances that boot at once may each make a key; the unique index lets one in. */
  private async ensureActive(use: KeyUse): Promise<void> {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await this.database.query(
      `INSERT INTO signing_keys (kid, use, alg, state, public_key, encrypted_private_key, activated_at)
       SELECT $1, $2, $3, 'active', $4, $5, now()
        WHERE NOT EXISTS (SELECT 1 FROM signing_keys WHERE use = $2 AND state = 'active')
       ON CONFLICT DO NOTHING`,
      [
        uuid(),
        use,
        ALGORITHM,
        publicKey.export({ type: 'spki', format: 'pem' }),
        encrypt(privateKey.export({ type: 'pkcs8', format: 'der' }), this.config.secrets.encryptionKey),
      ],
    );
  }

  private async load(): Promise<void> {
    for (const row of await this.database.manager.find(SigningKey)) {
      const key = {
        kid: row.kid,
        use: row.use,
        publicKey: createPublicKey(row.publicKey),
        privateKey: createPrivateKey({ key: this.decrypt(row.encryptedPrivateKey), type: 'pkcs8', format: 'der' }),
      };
      this.byKid.set(key.kid, key);
      if (row.state === 'active') this.active.set(key.use, key);
    }
  }

  private decrypt(box: Buffer): Buffer {
    try {
      return decrypt(box, this.config.secrets.encryptionKey);
    } catch {
      throw new Error('ENCRYPTION_KEY: is not the one that the keys in this database were encrypted under');
    }
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM: iv, tag, ciphertext. */
function encrypt(plain: Buffer, key: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function decrypt(box: Buffer, key: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, IV_BYTES));
  decipher.setAuthTag(box.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
