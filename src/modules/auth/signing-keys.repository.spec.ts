import { createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { decryptPrivateKey, generateKeyPair } from './signing-keys.repository.js';

const encryptionKey = randomBytes(32);

describe('a stored signing key pair', () => {
  const { publicKey, encryptedPrivateKey } = generateKeyPair(encryptionKey);

  it('uses P-256, and the private key matches the public key', () => {
    const key = createPublicKey(publicKey);
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    const signature = sign('sha256', Buffer.from('x'), decryptPrivateKey(encryptedPrivateKey, encryptionKey));
    expect(verify('sha256', Buffer.from('x'), key, signature)).toBe(true);
  });

  it('differs each time', () => {
    expect(generateKeyPair(encryptionKey).publicKey).not.toBe(publicKey);
  });

  it('cannot be decrypted with another key or after a byte was changed, and the error names the setting', () => {
    const changed = Buffer.from(encryptedPrivateKey);
    changed[40]! ^= 1;
    expect(() => decryptPrivateKey(encryptedPrivateKey, randomBytes(32))).toThrow(/^ENCRYPTION_KEY: /);
    expect(() => decryptPrivateKey(changed, encryptionKey)).toThrow(/^ENCRYPTION_KEY: /);
    expect(() => decryptPrivateKey(Buffer.alloc(0), encryptionKey)).toThrow(/^ENCRYPTION_KEY: /);
  });
});
