import { VerifiedTokens } from './verified-tokens.js';

const claims = { sub: 'u1', client_id: 'c1', sid: 's1', jti: 't1', scope: 'api', iat: 0, exp: Infinity };

describe('verified tokens', () => {
  it('are so many at most, and those used last stay', () => {
    const tokens = new VerifiedTokens();
    tokens.add('used', { claims, kid: 'k1' });
    tokens.add('unused', { claims, kid: 'k1' });
    for (let number = 0; number < 20_000; number++) {
      tokens.add(String(number), { claims, kid: 'k1' });
      expect(tokens.find('used')).toEqual({ claims, kid: 'k1' });
    }
    expect(tokens.find('unused')).toBeUndefined();
    expect(tokens.size).toBe(10_000);
  });

  it('are forgotten when their time is over', () => {
    const tokens = new VerifiedTokens();
    tokens.add('old', { claims: { ...claims, exp: Math.floor(Date.now() / 1000) }, kid: 'k1' });
    expect(tokens.find('old')).toBeUndefined();
    expect(tokens.size).toBe(0);
  });
});
