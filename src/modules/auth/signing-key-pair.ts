import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** The one algorithm; the header of a token has no say in it. */
export const ALGORITHM = 'ES256';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A new key pair as it is stored: the public half as PEM, the private half encrypted under ENCRYPTION_KEY. */
export function makeKeyPair(encryptionKey: Buffer): { publicKey: string; encryptedPrivateKey: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    encryptedPrivateKey: encrypt(privateKey.export({ type: 'pkcs8', format: 'der' }), encryptionKey),
  };
}

/** @throws Error naming ENCRYPTION_KEY, where the private half was encrypted under another. */
export function openPrivateKey(encrypted: Buffer, encryptionKey: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: decrypt(encrypted, encryptionKey), type: 'pkcs8', format: 'der' });
  } catch {
    throw new Error('ENCRYPTION_KEY: is not the one that the keys in this database were encrypted under');
  }
}

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
