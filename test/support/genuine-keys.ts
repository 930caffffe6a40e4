import { createDecipheriv, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Database } from './database.js';

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** The active signing key, decrypted with the ENCRYPTION_KEY of the tests: AES-256-GCM; iv, tag, ciphertext. */
export async function genuineKey(database: Database, use: 'access' | 'refresh'): Promise<SigningKey> {
  const [row] = await database.query<{ kid: string; box: Buffer }>(
    `SELECT kid, encrypted_private_key AS box FROM signing_keys WHERE use = $1 AND state = 'active'`,
    [use],
  );
  const { kid, box } = row!;
  const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 0xbb), box.subarray(0, 12));
  decipher.setAuthTag(box.subarray(12, 28));
  const key = Buffer.concat([decipher.update(box.subarray(28)), decipher.final()]);
  return { kid, privateKey: createPrivateKey({ key, type: 'pkcs8', format: 'der' }) };
}

/** A token with this header and these claims, signed with the key; a string is encoded unchanged. */
export function signed({ privateKey }: SigningKey, header: object | string, claims: object | string): string {
  const encode = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
