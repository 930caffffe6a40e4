import { generateKeyPairSync, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { BearerGuard, BearerStrategy, VerifiedTokens } from './bearer.strategy.js';
import { IssuerTokensService } from './issuer-tokens.service.js';

const [USER, SESSION] = ['0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3b'];
const ISSUER = 'https://atrium.test';
const KEY = { kid: 'k1', use: 'access', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };

describe('a Bearer token that is used repeatedly', () => {
  const keys = { find: jest.fn() };
  const sessions = { getActive: jest.fn() };
  const issuers = new IssuerTokensService();
  let verifications: jest.SpyInstance;

  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000_000, doNotFake: ['nextTick', 'setImmediate'] });
    keys.find.mockImplementation((use: string, kid: string) =>
      Promise.resolve(use === 'access' && kid === KEY.kid ? KEY.publicKey : undefined),
    );
    sessions.getActive.mockResolvedValue({ memberships: [{ workspaceId: 'w1', role: 'owner' }] });
    // Registers itself with passport and replaces the previous one.
    new BearerStrategy(keys as any, { http: { publicUrl: ISSUER } } as any, sessions as any, issuers);
    verifications = jest.spyOn(Strategy as any, 'JwtVerifier');
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    jest.resetAllMocks();
  });

  const sign = (claims: object = {}, options: object = {}) =>
    jwt.sign({ client_id: 'c1', sid: SESSION, jti: randomUUID(), scope: 'read:tours', ...claims }, KEY.privateKey, {
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: 'at+jwt', kid: KEY.kid },
      issuer: ISSUER,
      audience: ISSUER,
      subject: USER,
      expiresIn: 60,
      ...options,
    });

  const guard = new BearerGuard();

  function use(token: string): Promise<unknown> {
    const request = { method: 'GET', headers: { authorization: `Bearer ${token}` }, params: {}, query: {} };
    return new Promise((done, failed) => {
      const callback = (error: unknown, principal: unknown, info: unknown) => {
        try {
          done(guard.handleRequest(error, principal, info));
        } catch (rejection) {
          failed(rejection);
        }
      };
      (passport.authenticate('bearer', { session: false }, callback) as (...args: unknown[]) => void)(
        request,
        {},
        failed,
      );
    });
  }

  const expectVerifications = (count: number) => expect(verifications).toHaveBeenCalledTimes(count);

  it('is verified once, and its session is read each time', async () => {
    const token = sign();
    const first = await use(token);
    expect(first).toEqual({
      userId: USER,
      clientId: 'c1',
      sessionId: SESSION,
      memberships: [{ workspaceId: 'w1', role: 'owner' }],
      scopes: ['read:tours'],
    });
    expect(await use(token)).toEqual(first);
    expectVerifications(1);
    expect(sessions.getActive).toHaveBeenCalledTimes(2);
  });

  it('is rejected after its session was revoked', async () => {
    const token = sign();
    await use(token);
    const revoked = new Error('revoked');
    sessions.getActive.mockRejectedValue(revoked);
    await expect(use(token)).rejects.toBe(revoked);
  });

  it('is rejected from the second in which it expires', async () => {
    const token = sign();
    await use(token);
    jest.advanceTimersByTime(59_999);
    await use(token);
    jest.advanceTimersByTime(1);
    await expect(use(token)).rejects.toThrow('The access token has expired');
    await expect(use(token)).rejects.toThrow('The access token has expired');
  });

  it.each([
    ['is not valid yet', { notBefore: -10 }],
    ['was issued in the future', {}],
  ])('is rejected if the clock is set back, so that it %s', async (_, options) => {
    const token = sign({}, options);
    await use(token);
    jest.setSystemTime(1_000_000_000 - 40_000);
    await expect(use(token)).rejects.toThrow('The access token is invalid. Sign in again.');
  });

  it('is rejected when its key no longer verifies', async () => {
    const token = sign();
    await use(token);
    keys.find.mockResolvedValue(undefined);
    await expect(use(token)).rejects.toThrow('The access token is invalid. Sign in again.');
    expectVerifications(1);
  });

  it('is rejected after any modification, on every attempt', async () => {
    const token = sign();
    await use(token);
    const [header, , signature] = token.split('.');
    const [, claims] = sign({ sub: undefined, scope: 'api' }, { subject: SESSION }).split('.');
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const tampered of [`${header}.${claims}.${signature}`, token.slice(0, -2) + last + last, `${token}.`])
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(use(tampered)).rejects.toThrow('The access token is invalid. Sign in again.');
    expect(sessions.getActive).toHaveBeenCalledTimes(1);
  });

  it('is not read if it is longer than 4,096 characters', async () => {
    await expect(use(sign({ padding: 'x'.repeat(4_000) }))).rejects.toThrow(
      'The access token is invalid. Sign in again.',
    );
    expect(keys.find).not.toHaveBeenCalled();
  });
});

describe('VerifiedTokens', () => {
  const claims = { sub: 'u1', client_id: 'c1', sid: 's1', jti: 't1', scope: 'api', iat: 0, exp: Infinity };

  it('contains at most 10,000 tokens and drops the least recently used one', () => {
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

  it('removes a token that has expired', () => {
    const tokens = new VerifiedTokens();
    tokens.add('old', { claims: { ...claims, exp: Math.floor(Date.now() / 1000) }, kid: 'k1' });
    expect(tokens.find('old')).toBeUndefined();
    expect(tokens.size).toBe(0);
  });
});
