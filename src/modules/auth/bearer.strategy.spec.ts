import { generateKeyPairSync, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { BearerGuard, BearerStrategy } from './bearer.strategy.js';

const [USER, SESSION] = ['0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a', '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3b'];
const ISSUER = 'https://atrium.test';
const KEY = { kid: 'k1', use: 'access', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };

describe('a Bearer that is used again', () => {
  const keys = { find: jest.fn() };
  const sessions = { getLive: jest.fn() };
  let verifications: jest.SpyInstance;

  beforeEach(() => {
    jest.useFakeTimers({ now: 1_000_000_000, doNotFake: ['nextTick', 'setImmediate'] });
    keys.find.mockImplementation((use: string, kid: string) =>
      Promise.resolve(use === 'access' && kid === KEY.kid ? KEY.publicKey : undefined),
    );
    sessions.getLive.mockResolvedValue({ workspaceIds: ['w1'] });
    // Registers itself with passport, in place of the one before.
    new BearerStrategy(keys as any, { http: { publicUrl: ISSUER } } as any, sessions as any);
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
    const request = { headers: { authorization: `Bearer ${token}` } };
    return new Promise((done, failed) => {
      const answer = (error: unknown, principal: unknown, info: unknown) => {
        try {
          done(guard.handleRequest(error, principal, info));
        } catch (refusal) {
          failed(refusal);
        }
      };
      (passport.authenticate('bearer', { session: false }, answer) as (...args: unknown[]) => void)(
        request,
        {},
        failed,
      );
    });
  }

  const expectVerifications = (count: number) => expect(verifications).toHaveBeenCalledTimes(count);

  it('is verified once, and its session looked up each time', async () => {
    const token = sign();
    const first = await use(token);
    expect(first).toEqual({
      userId: USER,
      clientId: 'c1',
      sessionId: SESSION,
      workspaceIds: ['w1'],
      scopes: ['read:tours'],
    });
    expect(await use(token)).toEqual(first);
    expectVerifications(1);
    expect(sessions.getLive).toHaveBeenCalledTimes(2);
  });

  it('is refused once its session has ended', async () => {
    const token = sign();
    await use(token);
    const ended = new Error('ended');
    sessions.getLive.mockRejectedValue(ended);
    await expect(use(token)).rejects.toBe(ended);
  });

  it('is refused from the second on in which it expires', async () => {
    const token = sign();
    await use(token);
    jest.advanceTimersByTime(59_999);
    await use(token);
    jest.advanceTimersByTime(1);
    await expect(use(token)).rejects.toThrow('The access token has expired');
    await expect(use(token)).rejects.toThrow('The access token has expired');
  });

  it.each([
    ['it is not yet valid', { notBefore: -10 }],
    ['it is from the future', {}],
  ])('is refused where the clock is put back and %s', async (_, options) => {
    const token = sign({}, options);
    await use(token);
    jest.setSystemTime(1_000_000_000 - 40_000);
    await expect(use(token)).rejects.toThrow('The access token is invalid');
  });

  it('is refused once its key verifies no longer', async () => {
    const token = sign();
    await use(token);
    keys.find.mockResolvedValue(undefined);
    await expect(use(token)).rejects.toThrow('The access token is invalid');
    expectVerifications(1);
  });

  it('is refused with anything else in it, as often as it is tried', async () => {
    const token = sign();
    await use(token);
    const [header, , signature] = token.split('.');
    const [, claims] = sign({ sub: undefined, scope: 'api' }, { subject: SESSION }).split('.');
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const tampered of [`${header}.${claims}.${signature}`, token.slice(0, -2) + last + last, `${token}.`])
      for (let attempt = 0; attempt < 2; attempt++)
        await expect(use(tampered)).rejects.toThrow('The access token is invalid');
    expect(sessions.getLive).toHaveBeenCalledTimes(1);
  });

  it('is not read where it is longer than any of ours', async () => {
    await expect(use(sign({ padding: 'x'.repeat(4_000) }))).rejects.toThrow('The access token is invalid');
    expect(keys.find).not.toHaveBeenCalled();
  });
});
