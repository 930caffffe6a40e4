import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { connect } from 'node:net';
import { type ApiResponse, Api } from '../support/api.js';
import { genuineKey, signed } from '../support/genuine-keys.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';

/*
 * The adversarial cases of tokens and the tests that cover them. Files are end-to-end tests in this folder.
 *
 *  1 alg none, in all spellings                        access, forged
 *  2 alg empty, of another family (ES384 … EdDSA)      access, forged
 *  3 HS256 with a public key as its secret             access, forged
 *  4 kid with a path, with SQL                         access, forged
 *  5 kid unknown; a flood of them                      access, forged; signing-keys
 *  6 kid an array, a number, null, __proto__           access, forged
 *  7 kid of 2 MB                                       here, size
 *  8 jwk, jku, x5u: nothing is fetched                 access, forged; x5c: here, headers
 *  9 crit                                              here, headers
 * 10 wrong typ                                         access, forged; under a genuine signature: here, headers
 * 11 wrong aud, wrong iss                              access, with an access token; one by one: here, claims
 * 12 a refresh token as Bearer                         access, with an access token
 * 13 an access token as refresh_token, JSON            access; form: here, kinds
 * 14 expired by 1 s                                    sessions, access token has expired; on the second: here, time
 * 15 exp missing, as text, as 1e400                    here, claims
 * 16 nbf in the future                                 here, time
 * 17 iat 31 s and 29 s in the future                   here, time
 * 18 claims of wrong types                             here, claims
 * 19 duplicated claims                                 here, claims
 * 20 a claim changed under the genuine signature       access, forged
 * 21 signature of another key, none, all zero            access, forged
 * 22 r and s zero, or the order of the curve           here, signature
 * 23 the twin of a signature (n - s)                   here, signature
 * 24 junk, padding, spare bits in a signature          here, signature
 * 25 detached, JWE-shaped, empty parts                 here, shapes; access, with an access token
 * 26 sid of another user, unknown sid                    here, claims
 * 27 the right generation with a wrong id              here, generation
 * 28 a future generation                               here, generation
 * 29 generation 0 after twenty rotations               sessions, presented again
 * 30 used wins over expired, over a wrong scope        sessions, presented again
 * 31 another client's credentials, token still usable  sessions, refreshed; oauth2-forms, errors
 * 32 another client's token at revoke                  oauth2-forms, revoking
 * 33 a token in the URL or in the body                 access, with an access token
 * 34 two Bearers, spaces, tab, case, no token          here, header; access
 * 35 an invalid Bearer token with a valid API key        access, with a Bearer token and an API key
 * 36 another service's token, its own keys             access, with an access token
 * 37 a key that was retired, replaced or leaked        signing-keys
 * 38 every route by every scope                        access, by scope
 * 39 workspace A's token on B, in bodies too           access, to another user's workspace
 * 40 no secret or token in logs and audit              http-surface; audit
 */

const TOURS = '/v1/api/tours';
const ACCESS_INVALID = 'The access token is invalid';
const ACCESS_EXPIRED = 'The access token has expired';
const REFRESH_INVALID = 'The refresh token is invalid or expired';
const REVOKED = 'The session has been revoked';
const USED = 'Refresh token has already been used';

/** Order of the curve P-256. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

describe('an attack with a token', () => {
  let database: TestDatabase;
  let service: TestService;
  let api: Api;
  let me: Credentials;
  let outsider: Credentials;
  let pair: TokenPair;
  let keys: Record<'access' | 'refresh', Awaited<ReturnType<typeof genuineKey>>>;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { MAX_SESSIONS_PER_USER: '1000' });
    api = new Api(service.baseUrl);
    [me, outsider] = await Promise.all([service.provision(), service.provision()]);
    keys = { access: await genuineKey(database, 'access'), refresh: await genuineKey(database, 'refresh') };
  });

  beforeEach(async () => {
    pair = await signIn(api, me);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const withBearer = (token: string) => api.withToken(token).get(TOURS);
  const outcome = ({ status, body }: ApiResponse) => (status === 200 ? '200' : `${status} ${body.message}`);

  async function expectInvalid(token: string, message = ACCESS_INVALID): Promise<void> {
    // Twice: a rejected token must not be cached as verified.
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await withBearer(token);
      expect([outcome(answer), answer.body.error]).toEqual([`401 ${message}`, 'invalid_token']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  }

  async function expectInvalidRefresh(token: string): Promise<void> {
    const answer = await refresh(api, token);
    expect([outcome(answer), answer.body.error]).toEqual([`401 ${REFRESH_INVALID}`, 'invalid_grant']);
    // Revoking it is a success without any effect.
    const { clientId: client_id, clientSecret: client_secret } = me;
    expect((await api.post('/v1/api/oauth2/revoke', { token, client_id, client_secret })).status).toBe(200);
  }

  /** Both tokens are still valid: the attack revoked nothing. */
  async function expectUntouched(): Promise<void> {
    expect((await withBearer(pair.access_token)).status).toBe(200);
    expect((await refresh(api, pair.refresh_token)).status).toBe(200);
  }

  /** The caller's token with other content, signed by the genuine key. */
  function altered(use: 'access' | 'refresh', claims: object | string, header: object = {}): string {
    const mine = decode(use === 'access' ? pair.access_token : pair.refresh_token);
    const content = typeof claims === 'string' ? claims : { ...mine.claims, ...claims };
    return signed(keys[use], { ...mine.header, ...header }, content);
  }

  it('is the only reason for rejection: a token with unchanged content that the test signs is accepted', async () => {
    expect((await withBearer(altered('access', {}))).status).toBe(200);
    expect((await refresh(api, altered('refresh', {}))).status).toBe(200);
  });

  it('with a token of the other type is rejected in a form too, and revokes nothing', async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: pair.access_token }).toString();
    const { status, body } = await api.post('/v1/api/oauth2/token', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([status, body]).toEqual([400, { error: 'invalid_grant', error_description: REFRESH_INVALID }]);
    await expectUntouched();
  });

  describe('with its headers is rejected', () => {
    it.each([
      ['crit', { crit: ['exp'] }],
      ['crit and an encoding', { crit: ['b64'], b64: false }],
      ['an empty crit', { crit: [] }],
      ['typ of another kind', { typ: 'id+jwt' }],
      ['typ of any JWT', { typ: 'JWT' }],
      ['no kid', { kid: undefined }],
      ['another alg', { alg: 'ES384' }],
    ])('with %s', async (_, header: object) => {
      await expectInvalid(altered('access', {}, header));
      await expectInvalidRefresh(altered('refresh', {}, header));
      await expectUntouched();
    });

    it('with the kid of the other use, or of the key that is next', async () => {
      const next = await database.query<{ kid: string }>(`SELECT kid FROM signing_keys WHERE state = 'next'`);
      expect(next).toHaveLength(2);
      for (const kid of [keys.refresh.kid, ...next.map((each) => each.kid)])
        await expectInvalid(altered('access', {}, { kid }));
      for (const kid of [keys.access.kid, ...next.map((each) => each.kid)])
        await expectInvalidRefresh(altered('refresh', {}, { kid }));
      await expectUntouched();
    });

    it('except that a certificate chain is ignored', async () => {
      expect((await withBearer(altered('access', {}, { x5c: ['AAAA'], x5t: 'AAAA' }))).status).toBe(200);
    });
  });

  /** The service never signs such claims, but must not fail on them either. */
  describe('with its claims is rejected', () => {
    it.each([
      ['exp missing', { exp: undefined }],
      ['exp as text', { exp: '4000000000' }],
      ['exp null', { exp: null }],
      ['exp a fraction', { exp: 4_000_000_000.5 }],
      ['iat missing', { iat: undefined }],
      ['iat as text', { iat: 'now' }],
      ['nbf as text', { nbf: '0' }],
      ['sub an object', { sub: {} }],
      ['sub no id', { sub: "' OR 1=1 --" }],
      ['sub missing', { sub: undefined }],
      ['sid a list', { sid: [] }],
      ['sid no id', { sid: 'me' }],
      ['sid missing', { sid: undefined }],
      ['jti a number', { jti: 5 }],
      ['client_id null', { client_id: null }],
      ['scope a list', { scope: ['api'] }],
      ['scope missing', { scope: undefined }],
      ['aud another', { aud: 'https://elsewhere.test' }],
      ['aud a prefix', { aud: 'https://atrium.tes' }],
      ['aud missing', { aud: undefined }],
      ['iss another', { iss: 'https://atrium.test/' }],
      ['iss missing', { iss: undefined }],
    ])('with %s, of either kind', async (_, claims) => {
      await expectInvalid(altered('access', claims));
      await expectInvalidRefresh(altered('refresh', claims));
      await expectUntouched();
    });

    it.each([
      ['text', '0'],
      ['negative', -1],
      ['a fraction', 1.5],
      ['beyond an integer', 2 ** 31],
      ['missing', undefined],
      ['null', null],
    ])('with a generation that is %s', async (_, gen) => {
      await expectInvalidRefresh(altered('refresh', { gen }));
      await expectUntouched();
    });

    it.each(['[]', 'null', '"text"', '5', '{', '', '\ufffe'])('with %j for claims', async (claims) => {
      await expectInvalid(altered('access', claims));
      await expectInvalidRefresh(altered('refresh', claims));
    });

    it('with an exp of 1e400', async () => {
      const claims = JSON.stringify({ ...decode(pair.access_token).claims, exp: 0 }).replace('"exp":0', '"exp":1e400');
      await expectInvalid(altered('access', claims));
    });

    it('if a claim is duplicated: the last value counts and is checked', async () => {
      const mine = JSON.stringify(decode(pair.access_token).claims);
      const twice = (name: string, value: unknown) => `${mine.slice(0, -1)},"${name}":${JSON.stringify(value)}}`;
      await expectInvalid(altered('access', twice('sub', outsider.userId)), REVOKED);
      await expectInvalid(altered('access', twice('exp', 1)), ACCESS_EXPIRED);
    });

    it('with the session of another user or an unknown session', async () => {
      const theirs = decode((await signIn(api, outsider)).access_token).claims['sid'] as string;
      for (const sid of [theirs, randomUUID()]) {
        await expectInvalid(altered('access', { sid }), REVOKED);
        await expectInvalidRefresh(altered('refresh', { sid }));
      }
      await expectUntouched();
    });
  });

  describe('with its times', () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

    it('is rejected from the second in which it expires', async () => {
      await expectInvalid(altered('access', { exp: inSeconds(0) }), ACCESS_EXPIRED);
      await expectInvalid(altered('access', { exp: inSeconds(-1) }), ACCESS_EXPIRED);
    });

    it('is rejected if it was issued more than 30 s in the future or is not valid yet', async () => {
      expect((await withBearer(altered('access', { iat: inSeconds(29) }))).status).toBe(200);
      await expectInvalid(altered('access', { iat: inSeconds(40) }));
      await expectInvalid(altered('access', { nbf: inSeconds(40) }));
      await expectInvalidRefresh(altered('refresh', { nbf: inSeconds(40) }));
    });
  });

  describe('with its signature', () => {
    const parts = (token: string) => token.split('.') as [string, string, string];
    const numbers = (r: bigint, s: bigint) =>
      Buffer.from([r, s].map((each) => each.toString(16).padStart(64, '0')).join(''), 'hex').toString('base64url');

    function resigned(token: string, change: (signature: string) => string): string {
      const [header, claims, signature] = parts(token);
      return `${header}.${claims}.${change(signature)}`;
    }

    /** The other valid signature of the same content: (r, n - s). */
    const twin = (token: string) =>
      resigned(token, (signature) => {
        const hex = Buffer.from(signature, 'base64url').toString('hex');
        return numbers(BigInt(`0x${hex.slice(0, 64)}`), N - BigInt(`0x${hex.slice(64)}`));
      });

    it.each([
      [0n, 0n],
      [1n, 0n],
      [0n, 1n],
      [N, N],
      [N, 0n],
      [N - 1n, N],
    ])('is rejected if r and s are %s and %s', async (r, s) => {
      await expectInvalid(resigned(pair.access_token, () => numbers(r, s)));
      await expectInvalidRefresh(resigned(pair.refresh_token, () => numbers(r, s)));
      await expectUntouched();
    });

    it.each<[string, (signature: string) => string]>([
      ['padding', (signature) => `${signature}==`],
      ['junk inside', (signature) => `${signature.slice(0, 40)}!${signature.slice(40)}`],
      ['junk at the end', (signature) => `${signature}~`],
      ['a line break', (signature) => `${signature}%0A`],
      ['bytes too many', (signature) => `${signature}AAAA`],
      ['bytes too few', (signature) => signature.slice(0, -4)],
      ['the DER encoding', (signature) => `MEUCIQ${signature}`],
    ])('is rejected with %s', async (_, change) => {
      await expectInvalid(resigned(pair.access_token, change));
      await expectInvalidRefresh(resigned(pair.refresh_token, change));
      await expectUntouched();
    });

    it('does not make another token of its twin: both are revoked together', async () => {
      const other = twin(pair.access_token);
      const [header, claims, signature] = parts(other);
      const key = createPublicKey(keys.access.privateKey);
      const right = Buffer.from(signature, 'base64url');
      expect(verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, right)).toBe(
        true,
      );
      for (const token of [other, pair.access_token]) expect((await withBearer(token)).status).toBe(200);
      await api.withToken(other).post('/v1/api/oauth2/logout');
      for (const token of [other, pair.access_token]) await expectInvalid(token, REVOKED);
    });

    it('does not escape reuse detection by its twin', async () => {
      const second = (await refresh(api, pair.refresh_token)).body.data as TokenPair;
      expect(outcome(await refresh(api, twin(pair.refresh_token)))).toBe(`401 ${USED}`);
      await expectInvalid(second.access_token, REVOKED);
      expect(outcome(await refresh(api, second.refresh_token))).toBe(`401 ${REVOKED}`);
    });

    it('does not make another token of other spare bits: both are revoked together', async () => {
      const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      // Only two bits of the last of 86 characters are significant.
      const spared = (token: string) => token.slice(0, -1) + digits[digits.indexOf(token.at(-1)!) ^ 5]!;
      const other = spared(pair.access_token);
      const second = (await refresh(api, spared(pair.refresh_token))).body.data as TokenPair;
      for (const token of [other, pair.access_token]) expect((await withBearer(token)).status).toBe(200);
      expect(outcome(await refresh(api, pair.refresh_token))).toBe(`401 ${USED}`);
      for (const token of [other, pair.access_token, second.access_token]) await expectInvalid(token, REVOKED);
    });
  });

  describe('with its structure is rejected', () => {
    it.each<[string, (header: string, claims: string, signature: string) => string]>([
      ['detached', (header, _, signature) => `${header}..${signature}`],
      ['like a JWE', (header, claims, signature) => [header, claims, signature, claims, signature].join('.')],
      ['in four parts', (...parts) => `${parts.join('.')}.`],
      ['without its header', (_, claims, signature) => `.${claims}.${signature}`],
      ['in JSON', (header, claims, signature) => JSON.stringify({ protected: header, payload: claims, signature })],
    ])('%s', async (_, shape) => {
      const shaped = (token: string) => shape(...(token.split('.') as [string, string, string]));
      await expectInvalid(shaped(pair.access_token));
      await expectInvalidRefresh(shaped(pair.refresh_token));
      await expectUntouched();
    });
  });

  describe('with its size is rejected', () => {
    it('before it is read if its kid has two megabytes', async () => {
      const kid = 'k'.repeat(2 * 1024 * 1024);
      const bearer = await fetch(service.baseUrl + TOURS, {
        headers: { Authorization: `Bearer ${altered('access', {}, { kid })}` },
      });
      expect(bearer.status).toBe(431);
      expect((await refresh(api, altered('refresh', {}, { kid }))).status).toBe(413);
      await expectUntouched();
    });

    it('if its kid just fits into the headers or the body', async () => {
      const kid = 'k'.repeat(7_000);
      await expectInvalid(altered('access', {}, { kid }));
      await expectInvalidRefresh(altered('refresh', {}, { kid }));
    });
  });

  describe('with a guessed generation', () => {
    it('revokes nothing with the current generation and a wrong ID', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { jti: randomUUID() }));
      await expectUntouched();
    });

    it('revokes nothing with a future generation', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { gen: 1 }));
      await expectUntouched();
    });
  });

  /** Like `expectInvalidRefresh`, without the revocation: the token names the caller's session, so it would succeed. */
  async function expectInvalidRefreshOnly(token: string): Promise<void> {
    expect(outcome(await refresh(api, token))).toBe(`401 ${REFRESH_INVALID}`);
  }

  describe('with the Authorization header', () => {
    const good = () => pair.access_token;

    it.each<[string, () => string, number]>([
      ['BEARER in capitals', () => `BEARER ${good()}`, 200],
      ['several spaces', () => `Bearer    ${good()}`, 200],
      ['a tab', () => `Bearer\t${good()}`, 200],
      ['trailing spaces', () => `Bearer ${good()}   `, 200],
      ['no space', () => `Bearer${good()}`, 401],
      ['a comma and another', () => `Bearer ${good()}, Bearer ${good()}`, 401],
      ['quotes', () => `Bearer "${good()}"`, 401],
      ['a parameter name', () => `Bearer token=${good()}`, 401],
      ['another scheme', () => `Token ${good()}`, 401],
      ['nothing but spaces', () => 'Bearer    ', 401],
    ])('with %s', async (_, header, status) => {
      expect(await statusOf(`Authorization: ${header()}`)).toBe(status);
    });

    it('with two headers is decided by the first', async () => {
      const [right, wrong] = [`Authorization: Bearer ${good()}`, 'Authorization: Bearer x'];
      expect([await statusOf(right, wrong), await statusOf(wrong, right)]).toEqual([200, 401]);
    });

    /** Sends the headers unchanged; `fetch` would merge them. */
    function statusOf(...headers: string[]): Promise<number> {
      return new Promise((settle, fail) => {
        const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
        const lines = [`GET ${TOURS} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''];
        socket.write(lines.join('\r\n'));
        socket.once('error', fail).once('data', (chunk: Buffer) => {
          settle(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())![1]));
          socket.destroy();
        });
      });
    }
  });
});
