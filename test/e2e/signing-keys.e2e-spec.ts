import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { type ApiResponse, Api } from '../support/api.js';
import { Operator } from '../support/operator.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';
import { until } from '../support/until.js';

const JWKS = '/.well-known/jwks.json';
const METADATA = '/.well-known/oauth-authorization-server';
const ISSUER = 'https://atrium.test';

/**
 * The default of SIGNING_KEY_RELOAD_S. The operator CLI reports it: within this time all instances apply a rotation.
 */
const DEFAULT_RELOAD_S = 30;
/** The setting of the instances that apply a rotation during the tests. */
const RELOAD_S = 2;
/** Minimum interval between two reads of the keys that tokens or readers of the published keys can cause. */
const READ_INTERVAL_MS = 2_000;

interface Key {
  kid: string;
  use: 'access' | 'refresh';
  state: 'next' | 'active' | 'retired';
  createdAt: Date;
  activatedAt: Date | null;
  retiredAt: Date | null;
  verifyUntil: Date | null;
}

describe('signing keys', () => {
  let database: TestDatabase;
  let services: TestService[];
  let api: Api;
  /** Another instance on the same database. */
  let elsewhere: Api;
  /** Instances that read the keys every RELOAD_S seconds; the others do so seldom. */
  let reloading: Api[];
  let me: Credentials;
  let otherUser: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.createEmpty();
    // Concurrently, on an empty database.
    const often = { SIGNING_KEY_RELOAD_S: String(RELOAD_S) };
    services = await Promise.all([{}, {}, often, often].map((settings) => TestService.start(database, settings)));
    [api, elsewhere, ...reloading] = services.map((service) => new Api(service.baseUrl)) as [Api, Api, Api, Api];
    [me, otherUser] = await Promise.all([services[0]!.provision(), services[0]!.provision()]);
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
  });

  const operator = () => services[0]!.operatorClient();
  /** The output of `operator key list`, without a process. */
  const list = () =>
    database.query<Key>(`SELECT kid, use, state, created_at AS "createdAt", activated_at AS "activatedAt",
      retired_at AS "retiredAt", verify_until AS "verifyUntil" FROM signing_keys ORDER BY use, created_at, kid`);
  const rotate = async (atOnce = false) => (await operator()).rotateKeys(atOnce);
  const only = (keys: Key[], use: Key['use'], state: Key['state']) => {
    const found = keys.filter((key) => key.use === use && key.state === state);
    expect(found).toHaveLength(1);
    return found[0]!;
  };

  const read = (token: string, instance = api) => instance.withToken(token).get('/v1/api/tours');
  const kidOf = (token: string) => decode(token).header['kid'] as string;
  const outcome = ({ status, body }: ApiResponse) => [status, body.message];
  const published = async (instance = api) =>
    (await instance.get(JWKS)).body.keys.map(({ kid }: { kid: string }) => kid);

  /** Tokens that are signed with the current keys, by an instance that has just read them. */
  async function signInWithCurrentKeys(client: Credentials): Promise<TokenPair> {
    const { kid } = only(await list(), 'access', 'next');
    await until(
      () => published(reloading[0]),
      (kids: string[]) => kids.includes(kid),
    );
    return signIn(reloading[0]!, client);
  }

  it('one active key and one next key per use exist, even if instances start concurrently', async () => {
    const keys = await list();
    expect(keys).toHaveLength(4);
    for (const use of ['access', 'refresh'] as const) {
      const time = expect.any(Date);
      const untouched = { use, kid: expect.any(String), createdAt: time, retiredAt: null, verifyUntil: null };
      expect(only(keys, use, 'active')).toEqual({ ...untouched, state: 'active', activatedAt: time });
      expect(only(keys, use, 'next')).toEqual({ ...untouched, state: 'next', activatedAt: null });
    }
    for (const instance of [api, elsewhere]) {
      const { access_token, refresh_token } = await signIn(instance, me);
      expect(kidOf(access_token)).toBe(only(keys, 'access', 'active').kid);
      expect(kidOf(refresh_token)).toBe(only(keys, 'refresh', 'active').kid);
    }
  });

  describe('publication of signing keys', () => {
    it('publishes the keys that verify access tokens, without private keys', async () => {
      const keys = await list();
      for (const instance of [api, elsewhere]) {
        const { status, headers, body } = await instance.get(JWKS);
        const number = expect.stringMatching(/^[\w-]{43}$/);
        const jwk = (kid: string) => ({ kty: 'EC', crv: 'P-256', x: number, y: number, kid, use: 'sig', alg: 'ES256' });
        const expected = [jwk(only(keys, 'access', 'active').kid), jwk(only(keys, 'access', 'next').kid)];
        expect({ status, body }).toEqual({ status: 200, body: { keys: expected } });
        expect(headers.get('content-type')).toMatch(/^application\/json/);
        expect(headers.get('cache-control')).toBe('public, max-age=300');
        expect(headers.get('access-control-allow-origin')).toBe('*');
      }
    });

    it('another service can verify an access token with the published keys, but no refresh token or other audience', async () => {
      const keySet = createRemoteJWKSet(new URL(api.baseUrl + JWKS));
      const claims = { issuer: ISSUER, audience: ISSUER, typ: 'at+jwt', algorithms: ['ES256'] };
      const pair = await signIn(api, me, ['read:tours']);
      const { payload, protectedHeader } = await jwtVerify(pair.access_token, keySet, claims);
      expect(payload).toMatchObject({ sub: me.userId, client_id: me.clientId, scope: 'read:tours' });
      expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
      await expect(jwtVerify(pair.refresh_token, keySet)).rejects.toThrow('no applicable key');
      await expect(jwtVerify(pair.access_token, keySet, { ...claims, audience: 'another' })).rejects.toThrow('"aud"');
    });

    it('publishes the authorization server metadata for clients', async () => {
      const { status, headers, body } = await api.get(METADATA);
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          issuer: ISSUER,
          token_endpoint: `${ISSUER}/v1/api/oauth2/token`,
          revocation_endpoint: `${ISSUER}/v1/api/oauth2/revoke`,
          jwks_uri: `${ISSUER}${JWKS}`,
          scopes_supported: expect.arrayContaining(['api', 'read:tours', 'write:workspaces']),
          response_types_supported: [],
          grant_types_supported: ['password', 'client_credentials', 'refresh_token'],
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
          revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
          service_documentation: `${ISSUER}/docs`,
        },
      });
      expect(headers.get('cache-control')).toBe('public, max-age=300');
      expect(headers.get('access-control-allow-origin')).toBe('*');
    });
  });

  describe('after a rotation', () => {
    let before: Key[];
    let pair: TokenPair;
    let used: TokenPair;

    beforeAll(async () => {
      before = await list();
      pair = await signIn(api, me);
      used = await signIn(elsewhere, otherUser);
      expect((await refresh(api, used.refresh_token)).status).toBe(200);
      const signing = await rotate();
      expect(signing).toEqual({
        access: only(before, 'access', 'next').kid,
        refresh: only(before, 'refresh', 'next').kid,
      });
    });

    it('a rotation moves each signing key to its next state', async () => {
      const after = await list();
      expect(after).toHaveLength(6);
      for (const use of ['access', 'refresh'] as const) {
        const [was, is] = [only(before, use, 'active'), only(after, use, 'retired')];
        expect(is).toEqual({ ...was, state: 'retired', retiredAt: expect.any(Date), verifyUntil: is.verifyUntil });
        expect(only(after, use, 'active')).toMatchObject({ kid: only(before, use, 'next').kid });
        expect(only(after, use, 'active').activatedAt).toEqual(is.retiredAt);
        expect(before.map(({ kid }) => kid)).not.toContain(only(after, use, 'next').kid);
        // Lifetime of an access token plus five minutes; no limit for refresh tokens, whose reuse is detected at any
        // time.
        const verifiesMs = is.verifyUntil && is.verifyUntil.getTime() - is.retiredAt!.getTime();
        expect(verifiesMs).toBe(use === 'access' ? (900 + 300) * 1000 : null);
      }
    });

    it('a rotation signs with the former next key, which every instance already knows', async () => {
      const { access_token, refresh_token } = await signInWithCurrentKeys(me);
      expect(kidOf(access_token)).toBe(only(before, 'access', 'next').kid);
      expect(kidOf(refresh_token)).toBe(only(before, 'refresh', 'next').kid);
      for (const instance of [api, elsewhere]) expect((await read(access_token, instance)).status).toBe(200);
      const next = await refresh(elsewhere, refresh_token);
      expect((await read(next.body.data.access_token)).status).toBe(200);
    });

    it('earlier tokens remain valid after a rotation', async () => {
      for (const instance of [api, elsewhere]) expect((await read(pair.access_token, instance)).status).toBe(200);
      const next = await refresh(elsewhere, pair.refresh_token);
      expect((await read(next.body.data.access_token)).status).toBe(200);
      expect((await refresh(api, next.body.data.refresh_token)).status).toBe(200);
    });

    it('the reuse of an earlier refresh token is detected after a rotation', async () => {
      const message = 'Refresh token has already been used';
      expect(outcome(await refresh(api, used.refresh_token))).toEqual([401, message]);
      expect(outcome(await refresh(elsewhere, used.refresh_token))).toEqual([401, message]);
      expect(outcome(await read(used.access_token))).toEqual([401, 'The session has been revoked']);
    });

    it('publishes retired keys after a rotation', async () => {
      const keys = (await list()).filter(({ use }) => use === 'access').map(({ kid }) => kid);
      await sleep(READ_INTERVAL_MS);
      for (const instance of [api, elsewhere]) expect(await published(instance)).toEqual(keys);
      const keySet = createRemoteJWKSet(new URL(elsewhere.baseUrl + JWKS));
      expect((await jwtVerify(pair.access_token, keySet)).payload.sub).toBe(me.userId);
    });

    it('an instance reads a signing key that it does not know yet', async () => {
      // Twice, so that the active and the next key are newer than the last read of the instances.
      await rotate();
      await rotate();
      const { access_token, refresh_token } = await signInWithCurrentKeys(me);
      for (const instance of [api, elsewhere]) expect((await read(access_token, instance)).status).toBe(200);
      expect((await refresh(elsewhere, refresh_token)).status).toBe(200);
      // Instances that have read the keys sign with them.
      expect(kidOf((await signIn(api, me)).access_token)).toBe(kidOf(access_token));
      expect((await read(pair.access_token)).status).toBe(200);
    });
  });

  it('one active key and one next key exist after five concurrent rotations', async () => {
    await (await operator()).reset(me.userId);
    const before = await list();
    const signing = await Promise.all(Array.from({ length: 5 }, () => rotate()));
    const after = await list();
    expect(after).toHaveLength(before.length + 10);
    for (const use of ['access', 'refresh'] as const) {
      expect(signing.map((each) => each[use])).toContain(only(after, use, 'active').kid);
      only(after, use, 'next');
    }
    expect(new Set(signing.map(({ access }) => access)).size).toBe(5);
    const { access_token } = await signInWithCurrentKeys(me);
    // The instances read the keys less than two seconds ago, and accept the token anyway.
    for (const instance of [api, elsewhere]) expect((await read(access_token, instance)).status).toBe(200);
  });

  describe('in the operator CLI', () => {
    let cli: Operator;

    beforeAll(() => {
      cli = new Operator(services[0]!.env);
    });

    it('the operator CLI lists signing keys without key material', async () => {
      const [keys, table] = await Promise.all([cli.json<Key[]>('key', 'list'), cli.text('key', 'list')]);
      expect(keys).toEqual(JSON.parse(JSON.stringify(await list())));
      const shown = ['activatedAt', 'createdAt', 'kid', 'retiredAt', 'state', 'use', 'verifyUntil'];
      for (const key of keys) expect(Object.keys(key).sort()).toEqual(shown);
      expect(table).toMatch(/^KEY +USE +STATE +CREATED +VALID UNTIL/);
      for (const { kid } of keys) expect(table).toContain(kid);
      expect(table).not.toMatch(/PRIVATE|PUBLIC/);
    });

    it('the operator CLI reports when running instances apply a rotation', async () => {
      expect(await cli.text('key', 'rotate')).toMatch(
        new RegExp(`within ${DEFAULT_RELOAD_S} seconds\\. Earlier tokens remain valid\\.`),
      );
    });

    it('a rotation with another ENCRYPTION_KEY changes no key, and the error names the setting', async () => {
      const before = await list();
      for (const options of [[], ['--at-once']]) {
        const wrong = cli.with({ ENCRYPTION_KEY: 'c'.repeat(64) });
        const { code, stderr } = await wrong.run('key', 'rotate', ...options);
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringMatching(/^error: ENCRYPTION_KEY: [^\n]*\n$/),
        });
      }
      expect(await list()).toEqual(before);
    });
  });

  describe('after a leak', () => {
    let pair: TokenPair;
    let before: Key[];
    let signing: { access: string; refresh: string };

    /** Reactivates the sessions, so that tokens are rejected only because of their keys. */
    const reviveSessions = () => database.query('UPDATE sessions SET revoked_at = NULL, revoked_reason = NULL');

    beforeAll(async () => {
      await (await operator()).reset(me.userId);
      before = await list();
      pair = await signIn(api, me);
      for (let count = 0; count < 9; count++) await signIn(elsewhere, me);
      signing = await rotate(true);
    });

    it('an immediate rotation replaces all keys, and the old ones verify nothing', async () => {
      const after = await list();
      for (const use of ['access', 'refresh'] as const) {
        expect(only(after, use, 'active').kid).toBe(signing[use]);
        for (const state of ['active', 'next'] as const)
          expect(before.map(({ kid }) => kid)).not.toContain(only(after, use, state).kid);
      }
      const retired = after.filter(({ state }) => state === 'retired');
      expect(retired.map(({ kid }) => kid).sort()).toEqual(before.map(({ kid }) => kid).sort());
      for (const { verifyUntil } of retired) expect(verifyUntil!.getTime()).toBeLessThanOrEqual(Date.now());
    });

    it('an immediate rotation revokes every session, and revoked sessions do not count towards the limit', async () => {
      for (const instance of [api, elsewhere]) expect((await read(pair.access_token, instance)).status).toBe(401);
      expect((await refresh(api, pair.refresh_token)).status).toBe(401);
      expect(await database.query('SELECT id FROM sessions WHERE revoked_at IS NULL')).toEqual([]);
      const renewed = await signInWithCurrentKeys(me);
      expect([kidOf(renewed.access_token), kidOf(renewed.refresh_token)]).toEqual([signing.access, signing.refresh]);
      for (const instance of [api, elsewhere]) expect((await read(renewed.access_token, instance)).status).toBe(200);
    });

    it('every running instance drops leaked keys within the reported time', async () => {
      // A second replacement, so that no instance has read the keys for another reason.
      const lost = await signIn(api, me);
      const { access } = await rotate(true);
      await sleep((RELOAD_S + 2) * 1000);
      await reviveSessions();
      for (const instance of reloading) {
        // At once, because a lookup of an unknown key can wait for two seconds.
        const tokens = [pair, lost];
        const reads = await Promise.all(tokens.map(({ access_token }) => read(access_token, instance)));
        const refreshes = await Promise.all(tokens.map(({ refresh_token }) => refresh(instance, refresh_token)));
        for (const answer of reads)
          expect(outcome(answer)).toEqual([401, 'The access token is invalid. Sign in again.']);
        const invalid = [401, 'The refresh token is invalid or expired'];
        for (const answer of refreshes) expect(outcome(answer)).toEqual(invalid);
        const renewed = await signIn(instance, otherUser);
        expect(kidOf(renewed.access_token)).toBe(access);
        expect(await published(instance)).toHaveLength(2);
      }
    });
  });

  describe('a flood of tokens with unknown keys', () => {
    beforeAll(async () => {
      // Only one instance still reads the keys; every read from now on is counted.
      await Promise.all(services.splice(1).map((service) => service.stop()));
      await database.query(`CREATE SEQUENCE times_read;
        ALTER TABLE signing_keys RENAME TO stored_keys;
        CREATE VIEW signing_keys AS
          WITH read AS MATERIALIZED (SELECT nextval('times_read')) SELECT stored_keys.* FROM stored_keys, read`);
    });

    const timesRead = async () =>
      Number((await database.query<{ n: string }>(`SELECT nextval('times_read') - 1 AS n`))[0]!.n);

    it('tokens with unknown keys make the service read its keys at most once per two seconds', async () => {
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const token = (typ: string) =>
        `${encode({ alg: 'ES256', typ, kid: randomUUID() })}.${encode({ iss: ISSUER, aud: ISSUER })}.AAAA`;
      const startedAt = Date.now();
      const statuses = new Set<number>();
      // Each round waits for the next read, so 200 tokens are sent in 2 rounds.
      for (let round = 0; round < 2; round++) {
        const flood = Array.from({ length: 100 }, () => api.withToken(token('at+jwt')).get('/v1/api/tours'));
        for (const { status } of await Promise.all([...flood, api.get(JWKS)])) statuses.add(status);
      }
      // Reads for publication have a separate limit, and the periodic reload may add one read.
      const allowed = 2 * Math.ceil((Date.now() - startedAt) / READ_INTERVAL_MS) + 3;
      const seen = await timesRead();
      expect(seen).toBeGreaterThan(0);
      expect(seen).toBeLessThanOrEqual(allowed);
      expect([...statuses].sort()).toEqual([200, 401]);
    });
  });
});
