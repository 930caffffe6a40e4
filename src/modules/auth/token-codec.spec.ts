import { TokenCodec } from './token-codec.js';

/** A token whose header is that of a token of this service. */
const tokenOfType = (typ: string) =>
  `${Buffer.from(JSON.stringify({ alg: 'ES256', typ, kid: 'k1' })).toString('base64url')}.e30.c2ln`;

describe('a token whose key cannot be read', () => {
  const failure = new Error('Connection terminated');
  const config = { http: { publicUrl: 'https://x' } };
  const codec = new TokenCodec({ find: () => Promise.reject(failure) } as any, config as any);

  it('is not reported as invalid, because it may be valid', async () => {
    await expect(codec.verifyRefreshToken(tokenOfType('rt+jwt'))).rejects.toBe(failure);
    await expect(codec.findSession(tokenOfType('at+jwt'))).rejects.toBe(failure);
  });
});
