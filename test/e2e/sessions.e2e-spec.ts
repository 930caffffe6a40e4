import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { basic, passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

const FULL = 'Maximum number of active sessions exceeded';
const USED = 'Refresh token has already been used';
const REVOKED = 'The session has been revoked';
const ACCESS_EXPIRED = 'The access token has expired';
const REFRESH_INVALID = 'The refresh token is invalid or expired';

/** Longer than the second for which the tokens of the hasty services live. */
const OVER_A_SECOND_MS = 1_100;

/** The state table of the specification, section 3. */
describe('a session', () => {
  let database: TestDatabase;
  let services: TestService[];
  let api: Api;
  /** Another instance on the same database. */
  let elsewhere: Api;
  /** Instances on the same database whose access tokens, or refresh tokens, live for one second. */
  let hastyAccess: Api;
  let hastyRefresh: Api;
  let me: Credentials;
  let somebody: Credentials;
  /** A second client of mine. */
  let another: Credentials;
  const opened: TokenPair[] = [];

  beforeAll(async () => {
    database = await TestDatabase.create();
    const first = await TestService.start(database);
    const others: Record<string, string>[] = [{}, { ACCESS_TOKEN_TTL_S: '1' }, { REFRESH_TOKEN_TTL_S: '1' }];
    services = [first, ...(await Promise.all(others.map((settings) => TestService.start(database, settings))))];
    [api, elsewhere, hastyAccess, hastyRefresh] = services.map((service) => new Api(service.baseUrl)) as [
      Api,
      Api,
      Api,
      Api,
    ];
    [me, somebody] = await Promise.all([first.provision(), first.provision()]);
    another = await newClient();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pair) => logout(pair)));
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
  });

  /** Signs in; the session ends with the test. */
  async function enter(
    at = api,
    client: Pick<Credentials, 'clientId' | 'clientSecret'> = me,
    scope?: string[],
  ): Promise<TokenPair> {
    const pair = await signIn(at, client, scope);
    opened.push(pair);
    return pair;
  }

  async function next(token: string, beside: Record<string, unknown> = {}, at = api): Promise<TokenPair> {
    const { status, body } = await refresh(at, token, beside);
    expect({ status, message: body.message }).toEqual({ status: 200, message: expect.any(String) });
    opened.push(body.data as TokenPair);
    return body.data as TokenPair;
  }

  const logout = (pair: TokenPair) => api.withToken(pair.access_token).post('/v1/api/oauth2/logout');
  const read = (pair: TokenPair, at = api) => at.withToken(pair.access_token).get('/v1/api/tours');
  const newClient = () => operator<Credentials>('client', 'create', '--user', me.userId);
  const operator = <T>(...command: string[]) => services[0]!.operator<T>(...command);

  const expectRefusal = (answer: Answer, status: number, error: string, message: string) =>
    expect({ status: answer.status, error: answer.body.error, message: answer.body.message }).toEqual({
      status,
      error,
      message,
    });

  /** The session is over on both instances, for the access token and for the refresh token. */
  async function expectRevoked(pair: TokenPair): Promise<void> {
    for (const at of [api, elsewhere]) {
      const refused = await read(pair, at);
      expectRefusal(refused, 401, 'invalid_token', REVOKED);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expectRefusal(await refresh(at, pair.refresh_token), 401, 'invalid_grant', REVOKED);
    }
  }

  const expectAlive = async (pair: TokenPair) => expect((await read(pair)).status).toBe(200);

  describe('of ten', () => {
    it('opens, and the eleventh does not', async () => {
      for (let count = 0; count < 9; count++) await enter();
      // A sign-in that fails takes no place.
      expect((await api.token(passwordGrant(me, ['nonsense']))).status).toBe(403);
      expect((await api.token(passwordGrant({ ...me, clientSecret: 'wrong' }))).status).toBe(401);
      await enter(elsewhere);
      expectRefusal(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
      expectRefusal(await elsewhere.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
      await expectAlive(opened[0]!);
    });

    it('counts for its user, whichever client it came by, and for nobody else', async () => {
      for (let count = 0; count < 10; count++) await enter(api, count < 5 ? me : another);
      expectRefusal(await api.token(passwordGrant(another)), 403, 'invalid_grant', FULL);
      await enter(api, somebody);
    });

    it('makes room when it is logged out', async () => {
      for (let count = 0; count < 10; count++) await enter();
      await logout(opened[3]!);
      await enter();
      expectRefusal(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
    });

    it('stays one session however often it is refreshed', async () => {
      for (let count = 0; count < 9; count++) await enter();
      let pair = await enter();
      for (let count = 0; count < 5; count++) pair = await next(pair.refresh_token);
      await expectAlive(pair);
      expectRefusal(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
    });

    it('makes room when it expires', async () => {
      for (let count = 0; count < 10; count++) await signIn(hastyRefresh, me);
      await sleep(OVER_A_SECOND_MS);
      await enter();
    });

    it('makes room when an operator resets the user', async () => {
      for (let count = 0; count < 10; count++) await enter();
      expect(await operator<unknown[]>('session', 'list', '--user', me.userId)).toHaveLength(10);
      await operator('session', 'reset', '--user', me.userId);
      await expectRevoked(opened[0]!);
      await enter();
    });
  });

  describe('that is refreshed', () => {
    it('goes on with a new pair', async () => {
      const first = await enter();
      const second = await next(first.refresh_token);
      expect(Object.keys(second).sort()).toEqual([
        'access_token',
        'expires_in',
        'refresh_token',
        'scope',
        'token_type',
      ]);
      expect(second).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'api' });
      expect(second.access_token).not.toBe(first.access_token);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      await expectAlive(second);
      await expectAlive(await next(second.refresh_token, {}, elsewhere));
    });

    it('needs no client credentials, and takes the right ones in the body or as Basic', async () => {
      const first = await enter();
      const second = await next(first.refresh_token, { client_id: me.clientId, client_secret: me.clientSecret });
      const body = { grant_type: 'refresh_token', refresh_token: second.refresh_token };
      expect((await api.token(body, basic(me.clientId, me.clientSecret))).status).toBe(200);
    });

    it('may narrow its scope for one access token, and has all of it again next time', async () => {
      const first = await enter(api, me, ['write:tours', 'read:projects']);
      const narrow = await next(first.refresh_token, { scope: ['read:tours'] });
      expect(narrow.scope).toBe('read:tours');
      expect((await api.withToken(narrow.access_token).get('/v1/api/projects')).status).toBe(403);
      const wide = await next(narrow.refresh_token);
      expect(wide.scope).toBe('write:tours read:projects');
      expect((await api.withToken(wide.access_token).get('/v1/api/projects')).status).toBe(200);
    });

    it.each([[['api']], [['delete:tours']], [['write:tours', 'read:users']], [[]], [['nonsense']]])(
      'may not widen its scope to %j, and its token still works',
      async (scope) => {
        const { refresh_token } = await enter(api, me, ['write:tours']);
        const refused = await refresh(api, refresh_token, { scope });
        expectRefusal(refused, 403, 'invalid_scope', 'The requested scope is invalid or unknown');
        expect((await next(refresh_token)).scope).toBe('write:tours');
      },
    );

    it("is not to be had with another client's credentials, or with wrong ones, and its token still works", async () => {
      const { refresh_token } = await enter();
      const others = { client_id: somebody.clientId, client_secret: somebody.clientSecret };
      expectRefusal(await refresh(api, refresh_token, others), 401, 'invalid_grant', REFRESH_INVALID);
      const wrong = { client_id: me.clientId, client_secret: somebody.clientSecret };
      expectRefusal(await refresh(api, refresh_token, wrong), 401, 'invalid_client', 'Client authentication failed');
      await next(refresh_token);
    });

    it('asks for the refresh token', async () => {
      for (const token of [{}, { refresh_token: '' }, { refresh_token: null }]) {
        const { status, body } = await api.token({ grant_type: 'refresh_token', ...token });
        expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
      }
    });

    it.each(['nonsense', 'a.b.c', '..', 'eyJhbGciOiJub25lIn0.e30.'])('does not go on with %j', async (token) => {
      expectRefusal(await refresh(api, token), 401, 'invalid_grant', REFRESH_INVALID);
    });

    it('does not go on with a token of which a character is another', async () => {
      const { refresh_token } = await enter();
      const at = refresh_token.length - 20;
      const other = refresh_token[at] === 'A' ? 'B' : 'A';
      const altered = refresh_token.slice(0, at) + other + refresh_token.slice(at + 1);
      expectRefusal(await refresh(api, altered), 401, 'invalid_grant', REFRESH_INVALID);
      await next(refresh_token);
    });
  });

  describe('whose used refresh token is presented again', () => {
    it('ends, with all sessions of its user, on every instance', async () => {
      const first = await enter();
      const second = await next(first.refresh_token);
      const byAnotherClient = await enter(elsewhere, another);
      const ofSomebodyElse = await enter(api, somebody);

      expectRefusal(await refresh(elsewhere, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(second);
      await expectRevoked(byAnotherClient);
      await expectAlive(ofSomebodyElse);
      expect(await operator('session', 'list', '--user', me.userId)).toEqual([]);
    });

    it('says so each time, also once it has ended', async () => {
      const first = await enter();
      const second = await next(first.refresh_token);
      await logout(second);
      expectRefusal(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      expectRefusal(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      expectRefusal(await refresh(api, second.refresh_token), 401, 'invalid_grant', REVOKED);
    });

    it('ends after twenty refreshes too', async () => {
      const first = await enter();
      const other = await enter();
      let last = first;
      for (let count = 0; count < 20; count++) last = await next(last.refresh_token);
      expectRefusal(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(last);
      await expectRevoked(other);
    });

    it('ends also where the token has expired meanwhile: used wins over expired', async () => {
      const first = await enter(hastyRefresh);
      await next(first.refresh_token, {}, hastyRefresh);
      const other = await enter();
      await sleep(OVER_A_SECOND_MS);
      expectRefusal(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(other);
    });

    it('ends also where the request asks for a scope that it may not have', async () => {
      const first = await enter(api, me, ['read:tours']);
      const second = await next(first.refresh_token);
      expectRefusal(await refresh(api, first.refresh_token, { scope: ['api'] }), 401, 'invalid_grant', USED);
      await expectRevoked(second);
    });

    it('leaves room for signing in anew', async () => {
      for (let count = 0; count < 10; count++) await enter();
      await next(opened[0]!.refresh_token);
      expectRefusal(await refresh(api, opened[0]!.refresh_token), 401, 'invalid_grant', USED);
      for (let count = 0; count < 10; count++) await enter();
    });
  });

  describe('that ends', () => {
    it('by logout works no more, and answers so in the envelope', async () => {
      const pair = await enter();
      const other = await enter();
      const { status, body } = await logout(pair);
      expect({ status, body }).toEqual({
        status: 200,
        body: { status: 200, message: expect.any(String), timestamp: expect.any(Number), data: null },
      });
      await expectRevoked(pair);
      expectRefusal(await logout(pair), 401, 'invalid_token', REVOKED);
      await expectAlive(other);
    });

    it('is not the business of an API key, which has none', async () => {
      const { status, body } = await api.withKey(me.apiKey).post('/v1/api/oauth2/logout');
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
    });

    it("by a rotation of its client's credentials works no more; the new secret signs in and the old one does not", async () => {
      const client = await newClient();
      const pair = await enter(api, client);
      const ofAnotherClient = await enter();
      const rotated = await operator<Credentials>('client', 'rotate', client.clientId);
      await expectRevoked(pair);
      await expectAlive(ofAnotherClient);
      expect((await api.token(passwordGrant(client))).status).toBe(401);
      expect(rotated.clientId).toBe(client.clientId);
      await enter(elsewhere, rotated);
    });

    it('by disabling its client works no more', async () => {
      const client = await newClient();
      const pair = await enter(elsewhere, client);
      await operator('client', 'disable', client.clientId);
      await expectRevoked(pair);
      expect((await elsewhere.token(passwordGrant(client))).status).toBe(401);
    });
  });

  describe('whose access token has expired', () => {
    it('says so, and goes on with its refresh token', async () => {
      const pair = await enter(hastyAccess);
      expect(pair.expires_in).toBe(1);
      await sleep(OVER_A_SECOND_MS);
      const refused = await read(pair);
      expectRefusal(refused, 401, 'invalid_token', ACCESS_EXPIRED);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      await expectAlive(await next(pair.refresh_token));
    });
  });

  describe('whose refresh token has expired', () => {
    it('asks to sign in again, and is not taken for a thief', async () => {
      const other = await enter();
      const { refresh_token } = await enter(hastyRefresh);
      await sleep(OVER_A_SECOND_MS);
      for (const at of [api, elsewhere])
        expectRefusal(await refresh(at, refresh_token), 401, 'invalid_grant', REFRESH_INVALID);
      await expectAlive(other);
    });

    it('has its time anew with every refresh', async () => {
      const first = await enter(hastyRefresh);
      await sleep(700);
      const second = await next(first.refresh_token, {}, hastyRefresh);
      await sleep(700);
      await next(second.refresh_token);
    });
  });

  it('has nothing to do with an API key, which works until it is revoked, and then on no instance', async () => {
    const { id, apiKey } = await operator<{ id: string; apiKey: string }>(
      ...['api-key', 'create', '--user', me.userId, '--workspace', me.workspaceId],
    );
    for (const at of [api, elsewhere]) expect((await at.withKey(apiKey).get('/v1/api/tours')).status).toBe(200);
    await operator('api-key', 'revoke', id);
    for (const at of [api, elsewhere]) {
      const message = 'The API key is invalid or has been revoked';
      expectRefusal(await at.withKey(apiKey).get('/v1/api/tours'), 401, 'invalid_api_key', message);
    }
  });
});
