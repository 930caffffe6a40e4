import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { connect } from 'node:net';
import { type ApiResponse, Api } from '../support/api.js';
import { genuineKey, signed } from '../support/genuine-keys.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';

/*
 * The adversarial cases of tokens and the tests that cover them: the file in this folder, then words of its titles.
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
 * 13 an access token as refresh_token, JSON            access; form: here, in a form
 * 14 expired by 1 s                                    sessions, access token has expired; on the second: here, times
 * 15 exp missing, as text, as 1e400                    here, claims
 * 16 nbf in the future                                 here, times
 * 17 iat 31 s and 29 s in the future                   here, times
 * 18 claims of wrong types                             here, claims
 * 19 duplicated claims                                 here, claims
 * 20 a claim changed under the genuine signature       access, forged
 * 21 signature of another key, none, all zero          access, forged
 * 22 r and s zero, or the order of the curve           here, signature
 * 23 the twin of a signature (n - s)                   here, signature
 * 24 junk, padding, spare bits in a signature          here, signature
 * 25 detached, JWE-shaped, empty parts                 here, structure; access, with an access token
 * 26 sid of another user, unknown sid                  here, claims
 * 27 the right generation with a wrong id              here, generation
 * 28 a future generation                               here, generation
 * 29 generation 0 after twenty rotations               sessions, presented again
 * 30 used wins over expired, over a wrong scope        sessions, presented again
 * 31 another client's credentials, token still usable  sessions, refreshed; oauth2-forms, errors
 * 32 another client's token at revoke                  oauth2-forms, revoking
 * 33 a token in the URL or in the body                 access, with an access token
 * 34 two Bearers, spaces, tab, case, no token          here, Authorization header; access
 * 35 an invalid Bearer token with a valid API key      access, with a Bearer token and an API key
 * 36 another service's token, its own keys             access, with an access token
 * 37 a key that was retired, replaced or leaked        signing-keys
 * 38 every route by every scope                        access, by scope
 * 39 workspace A's token on B, in bodies too           access, to another user's workspace
 * 40 no secret or token in logs and audit              http-surface; audit
 */

const TOURS = '/v1/api/tours';
const ACCESS_INVALID = 'The access token is invalid. Sign in again.';
const ACCESS_EXPIRED = 'The access token has expired';
const REFRESH_INVALID = 'The refresh token is invalid or expired';
const REVOKED = 'The session has been revoked';
const USED = 'Refresh token has already been used';

/** Order of the curve P-256. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

describe('an attack with a token', () => {
  let database: Database;
  let service: SharedService;
  let api: Api;
  let me: Credentials;
  let outsider: Credentials;
  let pair: TokenPair;
  let keys: Record<'access' | 'refresh', Awaited<ReturnType<typeof genuineKey>>>;

  beforeAll(async () => {
    ({ service, database } = await shareService());
    api = new Api(service.baseUrl);
    [me, outsider] = await Promise.all([service.provision(), service.provision()]);
    keys = { access: await genuineKey(database, 'access'), refresh: await genuineKey(database, 'refresh') };
  });

  beforeEach(async () => {
    pair = await signIn(api, me);
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

  it('a token with unchanged content that the test signs is accepted, so only the change is rejected', async () => {
    expect((await withBearer(altered('access', {}))).status).toBe(200);
    expect((await refresh(api, altered('refresh', {}))).status).toBe(200);
  });

  it('an access token as refresh_token in a form is rejected, and revokes nothing', async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: pair.access_token }).toString();
    const { status, body } = await api.post('/v1/api/oauth2/token', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([status, body]).toEqual([400, { error: 'invalid_grant', error_description: REFRESH_INVALID }]);
    await expectUntouched();
  });

  describe('headers of a token', () => {
    it.each([
      ['crit', { crit: ['exp'] }],
      ['crit and an encoding', { crit: ['b64'], b64: false }],
      ['crit (empty)', { crit: [] }],
      ['typ (of another kind)', { typ: 'id+jwt' }],
      ['typ (of any JWT)', { typ: 'JWT' }],
      ['kid missing', { kid: undefined }],
      ['alg (another)', { alg: 'ES384' }],
    ])('a token with the header %s is rejected', async (_, header: object) => {
      await expectInvalid(altered('access', {}, header));
      await expectInvalidRefresh(altered('refresh', {}, header));
      await expectUntouched();
    });

    it('a token with the kid of the other use or of the next key is rejected', async () => {
      const next = await database.query<{ kid: string }>(`SELECT kid FROM signing_keys WHERE state = 'next'`);
      expect(next).toHaveLength(2);
      for (const kid of [keys.refresh.kid, ...next.map((each) => each.kid)])
        await expectInvalid(altered('access', {}, { kid }));
      for (const kid of [keys.access.kid, ...next.map((each) => each.kid)])
        await expectInvalidRefresh(altered('refresh', {}, { kid }));
      await expectUntouched();
    });

    it('a certificate chain in the header of a token is ignored', async () => {
      expect((await withBearer(altered('access', {}, { x5c: ['AAAA'], x5t: 'AAAA' }))).status).toBe(200);
    });
  });

  /** The service never signs such claims, but must not fail on them either. */
  describe('claims of a token', () => {
    it.each([
      ['exp missing', { exp: undefined }],
      ['exp as text', { exp: '4000000000' }],
      ['exp null', { exp: null }],
      ['exp a fraction', { exp: 4_000_000_000.5 }],
      ['iat missing', { iat: undefined }],
      ['iat as text', { iat: 'now' }],
      ['nbf as text', { nbf: '0' }],
      ['sub an object', { sub: {} }],
      ['sub not an ID', { sub: "' OR 1=1 --" }],
      ['sub missing', { sub: undefined }],
      ['sid a list', { sid: [] }],
      ['sid not an ID', { sid: 'me' }],
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
    ])('an access or refresh token with %s is rejected', async (_, claims) => {
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
    ])('a refresh token with a generation that is %s is rejected', async (_, gen) => {
      await expectInvalidRefresh(altered('refresh', { gen }));
      await expectUntouched();
    });

    it.each(['[]', 'null', '"text"', '5', '{', '', '\ufffe'])(
      'a token with %j as its claims is rejected',
      async (claims) => {
        await expectInvalid(altered('access', claims));
        await expectInvalidRefresh(altered('refresh', claims));
      },
    );

    it('a token with an exp of 1e400 is rejected', async () => {
      const claims = JSON.stringify({ ...decode(pair.access_token).claims, exp: 0 }).replace('"exp":0', '"exp":1e400');
      await expectInvalid(altered('access', claims));
    });

    it('of a duplicated claim the last value counts and is validated', async () => {
      const mine = JSON.stringify(decode(pair.access_token).claims);
      const twice = (name: string, value: unknown) => `${mine.slice(0, -1)},"${name}":${JSON.stringify(value)}}`;
      await expectInvalid(altered('access', twice('sub', outsider.userId)), REVOKED);
      await expectInvalid(altered('access', twice('exp', 1)), ACCESS_EXPIRED);
    });

    it('a token with the session of another user or an unknown session is rejected', async () => {
      const theirs = decode((await signIn(api, outsider)).access_token).claims['sid'] as string;
      for (const sid of [theirs, randomUUID()]) {
        await expectInvalid(altered('access', { sid }), REVOKED);
        await expectInvalidRefresh(altered('refresh', { sid }));
      }
      await expectUntouched();
    });
  });

  describe('times of a token', () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

    it('a token is rejected from the second in which it expires', async () => {
      await expectInvalid(altered('access', { exp: inSeconds(0) }), ACCESS_EXPIRED);
      await expectInvalid(altered('access', { exp: inSeconds(-1) }), ACCESS_EXPIRED);
    });

    it('a token that was issued more than 30 s in the future or is not valid yet is rejected', async () => {
      expect((await withBearer(altered('access', { iat: inSeconds(29) }))).status).toBe(200);
      await expectInvalid(altered('access', { iat: inSeconds(40) }));
      await expectInvalid(altered('access', { nbf: inSeconds(40) }));
      await expectInvalidRefresh(altered('refresh', { nbf: inSeconds(40) }));
    });
  });

  describe('signature of a token', () => {
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
    ])('a signature with r = %s and s = %s is rejected', async (r, s) => {
      await expectInvalid(resigned(pair.access_token, () => numbers(r, s)));
      await expectInvalidRefresh(resigned(pair.refresh_token, () => numbers(r, s)));
      await expectUntouched();
    });

    it.each<[string, (signature: string) => string]>([
      ['padding', (signature) => `${signature}==`],
      ['junk inside', (signature) => `${signature.slice(0, 40)}!${signature.slice(40)}`],
      ['junk at the end', (signature) => `${signature}~`],
      ['a line break', (signature) => `${signature}%0A`],
      ['additional bytes', (signature) => `${signature}AAAA`],
      ['missing bytes', (signature) => signature.slice(0, -4)],
      ['the DER encoding', (signature) => `MEUCIQ${signature}`],
    ])('a signature with %s is rejected', async (_, change) => {
      await expectInvalid(resigned(pair.access_token, change));
      await expectInvalidRefresh(resigned(pair.refresh_token, change));
      await expectUntouched();
    });

    it('a token with the other valid signature is the same token: both are revoked together', async () => {
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

    it('a refresh token with the other valid signature does not escape reuse detection', async () => {
      const second = (await refresh(api, pair.refresh_token)).body.data as TokenPair;
      expect(outcome(await refresh(api, twin(pair.refresh_token)))).toBe(`401 ${USED}`);
      await expectInvalid(second.access_token, REVOKED);
      expect(outcome(await refresh(api, second.refresh_token))).toBe(`401 ${REVOKED}`);
    });

    it('a token with other spare bits in its signature is the same token: both are revoked together', async () => {
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

  describe('structure of a token', () => {
    it.each<[string, (header: string, claims: string, signature: string) => string]>([
      ['without its claims', (header, _, signature) => `${header}..${signature}`],
      [
        'in five parts like a JWE',
        (header, claims, signature) => [header, claims, signature, claims, signature].join('.'),
      ],
      ['in four parts', (...parts) => `${parts.join('.')}.`],
      ['without its header', (_, claims, signature) => `.${claims}.${signature}`],
      ['in JSON', (header, claims, signature) => JSON.stringify({ protected: header, payload: claims, signature })],
    ])('a token %s is rejected', async (_, shape) => {
      const shaped = (token: string) => shape(...(token.split('.') as [string, string, string]));
      await expectInvalid(shaped(pair.access_token));
      await expectInvalidRefresh(shaped(pair.refresh_token));
      await expectUntouched();
    });
  });

  describe('size of a token', () => {
    it('a token with a kid of two megabytes is rejected before it is read', async () => {
      const kid = 'k'.repeat(2 * 1024 * 1024);
      const bearer = await fetch(service.baseUrl + TOURS, {
        headers: { Authorization: `Bearer ${altered('access', {}, { kid })}` },
      });
      expect(bearer.status).toBe(431);
      expect((await refresh(api, altered('refresh', {}, { kid }))).status).toBe(413);
      await expectUntouched();
    });

    it('a token with a kid that just fits into the headers or the body is rejected', async () => {
      const kid = 'k'.repeat(7_000);
      await expectInvalid(altered('access', {}, { kid }));
      await expectInvalidRefresh(altered('refresh', {}, { kid }));
    });
  });

  describe('guessed generation of a refresh token', () => {
    it('a refresh token with the current generation and a wrong ID revokes nothing', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { jti: randomUUID() }));
      await expectUntouched();
    });

    it('a refresh token with a future generation revokes nothing', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { gen: 1 }));
      await expectUntouched();
    });
  });

  /** Like `expectInvalidRefresh`, without the revocation: the token names the caller's session, so it would succeed. */
  async function expectInvalidRefreshOnly(token: string): Promise<void> {
    expect(outcome(await refresh(api, token))).toBe(`401 ${REFRESH_INVALID}`);
  }

  describe('Authorization header', () => {
    const good = () => pair.access_token;

    it.each<[string, number, () => string]>([
      ['BEARER in capitals', 200, () => `BEARER ${good()}`],
      ['several spaces', 200, () => `Bearer    ${good()}`],
      ['a tab', 200, () => `Bearer\t${good()}`],
      ['trailing spaces', 200, () => `Bearer ${good()}   `],
      ['no space', 401, () => `Bearer${good()}`],
      ['a comma and another', 401, () => `Bearer ${good()}, Bearer ${good()}`],
      ['quotes', 401, () => `Bearer "${good()}"`],
      ['a parameter name', 401, () => `Bearer token=${good()}`],
      ['another scheme', 401, () => `Token ${good()}`],
      ['nothing but spaces', 401, () => 'Bearer    '],
    ])('an Authorization header with %s returns %i', async (_, status, header) => {
      expect(await statusOf(`Authorization: ${header()}`)).toBe(status);
    });

    it('two Authorization headers are rejected', async () => {
      const [right, wrong] = [`Authorization: Bearer ${good()}`, 'Authorization: Bearer x'];
      expect([await statusOf(right, wrong), await statusOf(wrong, right)]).toEqual([401, 401]);
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
