import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { connect } from 'node:net';
import { type Answer, Api } from '../support/api.js';
import { genuineKey, signed } from '../support/genuine-keys.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';

/*
 * The adversarial cases of tokens, and where each is shown. Files are journeys beside this one.
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
 * 21 somebody else's signature, none, all zero         access, forged
 * 22 r and s zero, or the order of the curve           here, signature
 * 23 the twin of a signature (n - s)                   here, signature
 * 24 junk, padding, spare bits in a signature          here, signature
 * 25 detached, JWE-shaped, empty parts                 here, shapes; access, with an access token
 * 26 sid of another user, of nobody                    here, claims
 * 27 the right generation with a wrong id              here, generation
 * 28 a generation to come                              here, generation
 * 29 generation 0 after twenty rotations               sessions, presented again
 * 30 used wins over expired, over a wrong scope        sessions, presented again
 * 31 another client's credentials, token still usable  sessions, refreshed; oauth2-forms, refusing
 * 32 another client's token at revoke                  oauth2-forms, revoking
 * 33 a token in the address or in the body             access, with an access token
 * 34 two Bearers, spaces, tab, case, no token          here, header; access
 * 35 a bad Bearer beside a good API key                access, with a Bearer beside an API key
 * 36 another service's token, its own keys             access, with an access token
 * 37 a key that was retired, replaced or leaked        signing-keys
 * 38 every route by every scope                        access, by scope
 * 39 workspace A's token on B, in bodies too           access, to somebody else's workspace
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
  let stranger: Credentials;
  let pair: TokenPair;
  let keys: Record<'access' | 'refresh', Awaited<ReturnType<typeof genuineKey>>>;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { MAX_SESSIONS_PER_USER: '1000' });
    api = new Api(service.baseUrl);
    [me, stranger] = await Promise.all([service.provision(), service.provision()]);
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
  const outcome = ({ status, body }: Answer) => (status === 200 ? '200' : `${status} ${body.message}`);

  async function expectInvalid(token: string, message = ACCESS_INVALID): Promise<void> {
    // A second time too: what was refused is not remembered as good.
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await withBearer(token);
      expect([outcome(answer), answer.body.error]).toEqual([`401 ${message}`, 'invalid_token']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  }

  async function expectInvalidRefresh(token: string): Promise<void> {
    const answer = await refresh(api, token);
    expect([outcome(answer), answer.body.error]).toEqual([`401 ${REFRESH_INVALID}`, 'invalid_grant']);
    // It names no session that could be ended, and breaks nothing there.
    const { clientId: client_id, clientSecret: client_secret } = me;
    expect((await api.post('/v1/api/oauth2/revoke', { token, client_id, client_secret })).status).toBe(200);
  }

  /** Both tokens still work: whatever was tried has ended nothing. */
  async function expectUntouched(): Promise<void> {
    expect((await withBearer(pair.access_token)).status).toBe(200);
    expect((await refresh(api, pair.refresh_token)).status).toBe(200);
  }

  /** My own token with other words in it, signed by the genuine key. */
  function altered(use: 'access' | 'refresh', claims: object | string, header: object = {}): string {
    const mine = decode(use === 'access' ? pair.access_token : pair.refresh_token);
    const said = typeof claims === 'string' ? claims : { ...mine.claims, ...claims };
    return signed(keys[use], { ...mine.header, ...header }, said);
  }

  it('signed by the genuine key gets in where it says what a token of ours says', async () => {
    expect((await withBearer(altered('access', {}))).status).toBe(200);
    expect((await refresh(api, altered('refresh', {}))).status).toBe(200);
  });

  it('of the other kind is refused on a form too, and ends nothing', async () => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: pair.access_token }).toString();
    const { status, body } = await api.post('/v1/api/oauth2/token', form, {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
    expect([status, body]).toEqual([400, { error: 'invalid_grant', error_description: REFRESH_INVALID }]);
    await expectUntouched();
  });

  describe('by its headers is refused', () => {
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

    it('and a chain of certificates that it brings along is not looked at', async () => {
      expect((await withBearer(altered('access', {}, { x5c: ['AAAA'], x5t: 'AAAA' }))).status).toBe(200);
    });
  });

  /** A genuine signature over strange claims cannot happen in life; it must be no fault of the service's either. */
  describe('by its claims is refused', () => {
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

    it('that stand there twice: the last one counts, and is held against the others', async () => {
      const mine = JSON.stringify(decode(pair.access_token).claims);
      const twice = (name: string, value: unknown) => `${mine.slice(0, -1)},"${name}":${JSON.stringify(value)}}`;
      await expectInvalid(altered('access', twice('sub', stranger.userId)), REVOKED);
      await expectInvalid(altered('access', twice('exp', 1)), ACCESS_EXPIRED);
    });

    it("with a session of somebody else's, or of nobody's", async () => {
      const theirs = decode((await signIn(api, stranger)).access_token).claims['sid'] as string;
      for (const sid of [theirs, randomUUID()]) {
        await expectInvalid(altered('access', { sid }), REVOKED);
        await expectInvalidRefresh(altered('refresh', { sid }));
      }
      await expectUntouched();
    });
  });

  describe('by time', () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

    it('is refused from the second on in which it expires', async () => {
      await expectInvalid(altered('access', { exp: inSeconds(0) }), ACCESS_EXPIRED);
      await expectInvalid(altered('access', { exp: inSeconds(-1) }), ACCESS_EXPIRED);
    });

    it('is refused where it was issued more than 30 s ahead, or is not valid yet', async () => {
      expect((await withBearer(altered('access', { iat: inSeconds(29) }))).status).toBe(200);
      await expectInvalid(altered('access', { iat: inSeconds(40) }));
      await expectInvalid(altered('access', { nbf: inSeconds(40) }));
      await expectInvalidRefresh(altered('refresh', { nbf: inSeconds(40) }));
    });
  });

  describe('by its signature', () => {
    const parts = (token: string) => token.split('.') as [string, string, string];
    const numbers = (r: bigint, s: bigint) =>
      Buffer.from([r, s].map((each) => each.toString(16).padStart(64, '0')).join(''), 'hex').toString('base64url');

    function resigned(token: string, change: (signature: string) => string): string {
      const [header, claims, signature] = parts(token);
      return `${header}.${claims}.${change(signature)}`;
    }

    /** The other signature that is as right: (r, n - s). */
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
    ])('is refused where it is the numbers %s and %s', async (r, s) => {
      await expectInvalid(resigned(pair.access_token, () => numbers(r, s)));
      await expectInvalidRefresh(resigned(pair.refresh_token, () => numbers(r, s)));
      await expectUntouched();
    });

    it.each<[string, (signature: string) => string]>([
      ['padding', (signature) => `${signature}==`],
      ['junk inside', (signature) => `${signature.slice(0, 40)}!${signature.slice(40)}`],
      ['junk behind', (signature) => `${signature}~`],
      ['a line break', (signature) => `${signature}%0A`],
      ['bytes too many', (signature) => `${signature}AAAA`],
      ['bytes too few', (signature) => signature.slice(0, -4)],
      ['the DER encoding', (signature) => `MEUCIQ${signature}`],
    ])('is refused with %s', async (_, change) => {
      await expectInvalid(resigned(pair.access_token, change));
      await expectInvalidRefresh(resigned(pair.refresh_token, change));
      await expectUntouched();
    });

    it('is the same token by its twin, and ends with it', async () => {
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

    it('does not escape the detection of reuse by its twin', async () => {
      const second = (await refresh(api, pair.refresh_token)).body.data as TokenPair;
      expect(outcome(await refresh(api, twin(pair.refresh_token)))).toBe(`401 ${USED}`);
      await expectInvalid(second.access_token, REVOKED);
      expect(outcome(await refresh(api, second.refresh_token))).toBe(`401 ${REVOKED}`);
    });

    it('is the same token whatever its spare bits are, and ends with it', async () => {
      const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      // Of the last of 86 characters two bits count.
      const spared = (token: string) => token.slice(0, -1) + digits[digits.indexOf(token.at(-1)!) ^ 5]!;
      const other = spared(pair.access_token);
      const second = (await refresh(api, spared(pair.refresh_token))).body.data as TokenPair;
      for (const token of [other, pair.access_token]) expect((await withBearer(token)).status).toBe(200);
      expect(outcome(await refresh(api, pair.refresh_token))).toBe(`401 ${USED}`);
      for (const token of [other, pair.access_token, second.access_token]) await expectInvalid(token, REVOKED);
    });
  });

  describe('by its shape is refused', () => {
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

  describe('by its size is refused', () => {
    it('before it is read, where its kid has two megabytes', async () => {
      const kid = 'k'.repeat(2 * 1024 * 1024);
      const bearer = await fetch(service.baseUrl + TOURS, {
        headers: { Authorization: `Bearer ${altered('access', {}, { kid })}` },
      });
      expect(bearer.status).toBe(431);
      expect((await refresh(api, altered('refresh', {}, { kid }))).status).toBe(413);
      await expectUntouched();
    });

    it('where its kid just fits the headers, or the body', async () => {
      const kid = 'k'.repeat(7_000);
      await expectInvalid(altered('access', {}, { kid }));
      await expectInvalidRefresh(altered('refresh', {}, { kid }));
    });
  });

  describe('by guessing a generation', () => {
    it('ends nothing with the right one and a wrong id', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { jti: randomUUID() }));
      await expectUntouched();
    });

    it('ends nothing with one that is yet to come', async () => {
      await expectInvalidRefreshOnly(altered('refresh', { gen: 1 }));
      await expectUntouched();
    });
  });

  /** As `expectInvalidRefresh`, of a token that names my own session, which a revocation would rightly end. */
  async function expectInvalidRefreshOnly(token: string): Promise<void> {
    expect(outcome(await refresh(api, token))).toBe(`401 ${REFRESH_INVALID}`);
  }

  describe('by its header', () => {
    const good = () => pair.access_token;

    it.each<[string, () => string, number]>([
      ['BEARER in capitals', () => `BEARER ${good()}`, 200],
      ['several spaces', () => `Bearer    ${good()}`, 200],
      ['a tab', () => `Bearer\t${good()}`, 200],
      ['spaces behind', () => `Bearer ${good()}   `, 200],
      ['no space', () => `Bearer${good()}`, 401],
      ['a comma and another', () => `Bearer ${good()}, Bearer ${good()}`, 401],
      ['quotes', () => `Bearer "${good()}"`, 401],
      ['a parameter name', () => `Bearer token=${good()}`, 401],
      ['another scheme', () => `Token ${good()}`, 401],
      ['nothing but spaces', () => 'Bearer    ', 401],
    ])('with %s', async (_, header, status) => {
      expect(await statusOf(`Authorization: ${header()}`)).toBe(status);
    });

    it('with two of them is decided by the first', async () => {
      const [right, wrong] = [`Authorization: Bearer ${good()}`, 'Authorization: Bearer x'];
      expect([await statusOf(right, wrong), await statusOf(wrong, right)]).toEqual([200, 401]);
    });

    /** Written on the wire as they are: `fetch` would put them in order. */
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
