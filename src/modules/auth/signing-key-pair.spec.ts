import { createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { makeKeyPair, openPrivateKey } from './signing-key-pair.js';

const encryptionKey = randomBytes(32);

describe('a signing key pair', () => {
  const { publicKey, encryptedPrivateKey } = makeKeyPair(encryptionKey);

  it('is of P-256, and its halves belong together', () => {
    const key = createPublicKey(publicKey);
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    const signature = sign('sha256', Buffer.from('x'), openPrivateKey(encryptedPrivateKey, encryptionKey));
    expect(verify('sha256', Buffer.from('x'), key, signature)).toBe(true);
  });

  it('is another each time', () => {
    expect(makeKeyPair(encryptionKey).publicKey).not.toBe(publicKey);
  });

  it('opens under no other key, and not where a byte was changed, and says which setting is wrong', () => {
    const changed = Buffer.from(encryptedPrivateKey);
    changed[40]! ^= 1;
    expect(() => openPrivateKey(encryptedPrivateKey, randomBytes(32))).toThrow(/^ENCRYPTION_KEY: /);
    expect(() => openPrivateKey(changed, encryptionKey)).toThrow(/^ENCRYPTION_KEY: /);
    expect(() => openPrivateKey(Buffer.alloc(0), encryptionKey)).toThrow(/^ENCRYPTION_KEY: /);
  });
});
