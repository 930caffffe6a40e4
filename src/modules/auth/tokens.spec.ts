import { Tokens } from './tokens.js';

/** A header that names a key, as a token of ours has it. */
const headed = (typ: string) =>
  `${Buffer.from(JSON.stringify({ alg: 'ES256', typ, kid: 'k1' })).toString('base64url')}.e30.c2ln`;

describe('a token whose key cannot be looked up', () => {
  const away = new Error('Connection terminated');
  const tokens = new Tokens({ find: () => Promise.reject(away) } as any, { http: { publicUrl: 'https://x' } } as any);

  it('is not called invalid: nothing is known of it', async () => {
    await expect(tokens.readRefresh(headed('rt+jwt'))).rejects.toBe(away);
    await expect(tokens.findSession(headed('at+jwt'))).rejects.toBe(away);
  });
});
