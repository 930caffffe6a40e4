import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { basic, decode, passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

const FULL = 'Maximum number of active sessions exceeded';
const USED = 'Refresh token has already been used';
const REVOKED = 'The session has been revoked';
const ACCESS_EXPIRED = 'The access token has expired';
const REFRESH_INVALID = 'The refresh token is invalid or expired';

/** Longer than the lifetime of the access tokens of an instance. */
const OVER_A_SECOND_MS = 1_100;

/** Seconds after which a session expires that the second instance has opened or refreshed. */
const REFRESH_TTL_S = 3_600;

/** The state table of the specification, section 3. */
describe('a session', () => {
  let database: TestDatabase;
  let services: TestService[];
  let api: Api;
  /** Another instance on the same database, whose sessions expire after `REFRESH_TTL_S`. */
  let elsewhere: Api;
  /** An instance on the same database with access tokens that expire after one second. */
  let shortAccess: Api;
  let me: Credentials;
  let otherUser: Credentials;
  /** A second client of the user `me`. */
  let another: Credentials;
  const opened: TokenPair[] = [];

  beforeAll(async () => {
    database = await TestDatabase.create();
    const first = await TestService.start(database);
    const others: Record<string, string>[] = [
      { REFRESH_TOKEN_TTL_S: String(REFRESH_TTL_S) },
      { ACCESS_TOKEN_TTL_S: '1' },
    ];
    services = [first, ...(await Promise.all(others.map((settings) => TestService.start(database, settings))))];
    [api, elsewhere, shortAccess] = services.map((service) => new Api(service.baseUrl)) as [Api, Api, Api];
    [me, otherUser] = await Promise.all([first.provision(), first.provision()]);
    another = await newClient();
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((pair) => logout(pair)));
  });

  afterAll(async () => {
    await Promise.all((services ?? []).map((service) => service.stop()));
    await database?.drop();
  });

  /** Signs in; the session is revoked after the test. */
  async function openSession(
    instance = api,
    client: Pick<Credentials, 'clientId' | 'clientSecret'> = me,
    scope?: string[],
  ): Promise<TokenPair> {
    const pair = await signIn(instance, client, scope);
    opened.push(pair);
    return pair;
  }

  async function next(token: string, parameters: Record<string, unknown> = {}, instance = api): Promise<TokenPair> {
    const { status, body } = await refresh(instance, token, parameters);
    expect({ status, message: body.message }).toEqual({ status: 200, message: expect.any(String) });
    opened.push(body.data as TokenPair);
    return body.data as TokenPair;
  }

  /** Lets the session end earlier by these seconds, as if they had passed. */
  const age = ({ access_token }: TokenPair, seconds: number) =>
    database.query(
      'UPDATE sessions SET refresh_expires_at = refresh_expires_at - make_interval(secs => $1) WHERE id = $2',
      [seconds, decode(access_token).claims['sid']],
    );

  const logout = (pair: TokenPair) => api.withToken(pair.access_token).post('/v1/api/oauth2/logout');
  const read = (pair: TokenPair, instance = api) => instance.withToken(pair.access_token).get('/v1/api/tours');
  const newClient = () => operator<Credentials>('client', 'create', '--user', me.userId);
  const operator = <T>(...command: string[]) => services[0]!.operator<T>(...command);

  const expectRejection = (answer: ApiResponse, status: number, error: string, message: string) =>
    expect({ status: answer.status, error: answer.body.error, message: answer.body.message }).toEqual({
      status,
      error,
      message,
    });

  /** Both instances reject the access token and the refresh token. */
  async function expectRevoked(pair: TokenPair): Promise<void> {
    for (const instance of [api, elsewhere]) {
      const rejected = await read(pair, instance);
      expectRejection(rejected, 401, 'invalid_token', REVOKED);
      expect(rejected.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      expectRejection(await refresh(instance, pair.refresh_token), 401, 'invalid_grant', REVOKED);
    }
  }

  const expectAlive = async (pair: TokenPair) => expect((await read(pair)).status).toBe(200);

  describe('within the limit of ten', () => {
    it('opens ten sessions, and returns 403 for the eleventh on every instance', async () => {
      for (let count = 0; count < 9; count++) await openSession();
      // A failed sign-in does not count towards the limit.
      expect((await api.token(passwordGrant(me, ['nonsense']))).status).toBe(403);
      expect((await api.token(passwordGrant({ ...me, clientSecret: 'wrong' }))).status).toBe(401);
      await openSession(elsewhere);
      expectRejection(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
      expectRejection(await elsewhere.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
      await expectAlive(opened[0]!);
    });

    it('counts the sessions of a user across all clients, and not for other users', async () => {
      for (let count = 0; count < 10; count++) await openSession(api, count < 5 ? me : another);
      expectRejection(await api.token(passwordGrant(another)), 403, 'invalid_grant', FULL);
      await openSession(api, otherUser);
    });

    it('the session limit does not count a session after a logout', async () => {
      for (let count = 0; count < 10; count++) await openSession();
      await logout(opened[3]!);
      await openSession();
      expectRejection(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
    });

    it('counts one session after several refreshes', async () => {
      for (let count = 0; count < 9; count++) await openSession();
      let pair = await openSession();
      for (let count = 0; count < 5; count++) pair = await next(pair.refresh_token);
      await expectAlive(pair);
      expectRejection(await api.token(passwordGrant(me)), 403, 'invalid_grant', FULL);
    });

    it('the session limit does not count a session after it has expired', async () => {
      for (let count = 0; count < 10; count++) await age(await openSession(elsewhere), REFRESH_TTL_S);
      await openSession();
    });

    it('counts no session after the operator resets the user', async () => {
      for (let count = 0; count < 10; count++) await openSession();
      expect(await operator<unknown[]>('session', 'list', '--user', me.userId)).toHaveLength(10);
      await operator('session', 'reset', '--user', me.userId);
      await expectRevoked(opened[0]!);
      await openSession();
    });
  });

  describe('that is refreshed', () => {
    it('returns a new token pair for a refresh', async () => {
      const first = await openSession();
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

    it('refreshes without client credentials, or with the correct ones in the body or as Basic header', async () => {
      const first = await openSession();
      const second = await next(first.refresh_token, { client_id: me.clientId, client_secret: me.clientSecret });
      const body = { grant_type: 'refresh_token', refresh_token: second.refresh_token };
      expect((await api.token(body, basic(me.clientId, me.clientSecret))).status).toBe(200);
    });

    it('narrows the scope of one access token, and grants all scopes again at the next refresh', async () => {
      const first = await openSession(api, me, ['write:tours', 'read:projects']);
      const narrow = await next(first.refresh_token, { scope: ['read:tours'] });
      expect(narrow.scope).toBe('read:tours');
      expect((await api.withToken(narrow.access_token).get('/v1/api/projects')).status).toBe(403);
      const wide = await next(narrow.refresh_token);
      expect(wide.scope).toBe('write:tours read:projects');
      expect((await api.withToken(wide.access_token).get('/v1/api/projects')).status).toBe(200);
    });

    it.each([[['api']], [['delete:tours']], [['write:tours', 'read:users']], [[]], [['nonsense']]])(
      'rejects the wider scope %j and does not consume the token',
      async (scope) => {
        const { refresh_token } = await openSession(api, me, ['write:tours']);
        const rejected = await refresh(api, refresh_token, { scope });
        expectRejection(rejected, 403, 'invalid_scope', 'The requested scope is invalid or unknown');
        expect((await next(refresh_token)).scope).toBe('write:tours');
      },
    );

    it("rejects another client's or wrong credentials and does not consume the token", async () => {
      const { refresh_token } = await openSession();
      const others = { client_id: otherUser.clientId, client_secret: otherUser.clientSecret };
      expectRejection(await refresh(api, refresh_token, others), 401, 'invalid_grant', REFRESH_INVALID);
      const wrong = { client_id: me.clientId, client_secret: otherUser.clientSecret };
      expectRejection(await refresh(api, refresh_token, wrong), 401, 'invalid_client', 'Client authentication failed');
      await next(refresh_token);
    });

    it('returns 400 for a refresh without a refresh token', async () => {
      for (const token of [{}, { refresh_token: '' }, { refresh_token: null }]) {
        const { status, body } = await api.token({ grant_type: 'refresh_token', ...token });
        expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
      }
    });

    it.each(['nonsense', 'a.b.c', '..', 'eyJhbGciOiJub25lIn0.e30.'])('rejects the refresh token %j', async (token) => {
      expectRejection(await refresh(api, token), 401, 'invalid_grant', REFRESH_INVALID);
    });

    it('rejects a refresh token with one changed character', async () => {
      const { refresh_token } = await openSession();
      const at = refresh_token.length - 20;
      const other = refresh_token[at] === 'A' ? 'B' : 'A';
      const altered = refresh_token.slice(0, at) + other + refresh_token.slice(at + 1);
      expectRejection(await refresh(api, altered), 401, 'invalid_grant', REFRESH_INVALID);
      await next(refresh_token);
    });
  });

  describe('whose used refresh token is presented again', () => {
    it('revokes all sessions of the user on every instance after reuse', async () => {
      const first = await openSession();
      const second = await next(first.refresh_token);
      const byAnotherClient = await openSession(elsewhere, another);
      const ofOtherUser = await openSession(api, otherUser);

      expectRejection(await refresh(elsewhere, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(second);
      await expectRevoked(byAnotherClient);
      await expectAlive(ofOtherUser);
      expect(await operator('session', 'list', '--user', me.userId)).toEqual([]);
    });

    it('reports reuse each time, even after the session was revoked', async () => {
      const first = await openSession();
      const second = await next(first.refresh_token);
      await logout(second);
      expectRejection(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      expectRejection(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      expectRejection(await refresh(api, second.refresh_token), 401, 'invalid_grant', REVOKED);
    });

    it('detects reuse of a token that is twenty generations old', async () => {
      const first = await openSession();
      const other = await openSession();
      let last = first;
      for (let count = 0; count < 20; count++) last = await next(last.refresh_token);
      expectRejection(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(last);
      await expectRevoked(other);
    });

    it('detects reuse of an expired token: reuse takes precedence over expiry', async () => {
      const first = await openSession(elsewhere);
      await next(first.refresh_token, {}, elsewhere);
      const other = await openSession();
      await age(first, REFRESH_TTL_S);
      expectRejection(await refresh(api, first.refresh_token), 401, 'invalid_grant', USED);
      await expectRevoked(other);
    });

    it('detects reuse in a request with an invalid scope', async () => {
      const first = await openSession(api, me, ['read:tours']);
      const second = await next(first.refresh_token);
      expectRejection(await refresh(api, first.refresh_token, { scope: ['api'] }), 401, 'invalid_grant', USED);
      await expectRevoked(second);
    });

    it('the session limit does not count a session that was revoked because of reuse', async () => {
      for (let count = 0; count < 10; count++) await openSession();
      await next(opened[0]!.refresh_token);
      expectRejection(await refresh(api, opened[0]!.refresh_token), 401, 'invalid_grant', USED);
      for (let count = 0; count < 10; count++) await openSession();
    });
  });

  describe('that is revoked', () => {
    it('rejects its tokens after a logout, which returns the envelope', async () => {
      const pair = await openSession();
      const other = await openSession();
      const { status, body } = await logout(pair);
      expect({ status, body }).toEqual({
        status: 200,
        body: { status: 200, message: expect.any(String), timestamp: expect.any(Number), data: {} },
      });
      await expectRevoked(pair);
      expectRejection(await logout(pair), 401, 'invalid_token', REVOKED);
      await expectAlive(other);
    });

    it('returns 401 for a logout with an API key, which has no session', async () => {
      const { status, body } = await api.withKey(me.apiKey).post('/v1/api/oauth2/logout');
      expect({ status, error: body.error }).toEqual({ status: 401, error: 'unauthenticated' });
    });

    it('rejects its tokens after a rotation of the client secret; only the new secret signs in', async () => {
      const client = await newClient();
      const pair = await openSession(api, client);
      const ofAnotherClient = await openSession();
      const rotated = await operator<Credentials>('client', 'rotate', client.clientId);
      await expectRevoked(pair);
      await expectAlive(ofAnotherClient);
      expect((await api.token(passwordGrant(client))).status).toBe(401);
      expect(rotated.clientId).toBe(client.clientId);
      await openSession(elsewhere, rotated);
    });

    it('rejects its tokens after its client is disabled', async () => {
      const client = await newClient();
      const pair = await openSession(elsewhere, client);
      await operator('client', 'disable', client.clientId);
      await expectRevoked(pair);
      expect((await elsewhere.token(passwordGrant(client))).status).toBe(401);
    });
  });

  describe('whose access token has expired', () => {
    it('reports the lifetime that the operator has configured in expires_in and in the token', async () => {
      const pair = await openSession(shortAccess);
      const { claims } = decode(pair.access_token);
      expect([pair.expires_in, claims['exp'] - claims['iat']]).toEqual([1, 1]);
    });

    it('is rejected, even if the request also has a valid API key', async () => {
      const { access_token } = await openSession(shortAccess);
      await sleep(OVER_A_SECOND_MS);
      const both = { Authorization: `Bearer ${access_token}`, 'X-API-Key': me.apiKey };
      expectRejection(await api.get('/v1/api/tours', both), 401, 'invalid_token', ACCESS_EXPIRED);
    });

    it('reports that the access token has expired, and can be refreshed', async () => {
      const pair = await openSession(shortAccess);
      expect(pair.expires_in).toBe(1);
      await sleep(OVER_A_SECOND_MS);
      const rejected = await read(pair);
      expectRejection(rejected, 401, 'invalid_token', ACCESS_EXPIRED);
      expect(rejected.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
      await expectAlive(await next(pair.refresh_token));
    });
  });

  describe('whose refresh token has expired', () => {
    it('reports an expired refresh token as expired and not as reused', async () => {
      const other = await openSession();
      const pair = await openSession(elsewhere);
      await age(pair, REFRESH_TTL_S);
      for (const instance of [api, elsewhere])
        expectRejection(await refresh(instance, pair.refresh_token), 401, 'invalid_grant', REFRESH_INVALID);
      await expectAlive(other);
    });

    it('extends the session with every refresh', async () => {
      const first = await openSession(elsewhere);
      await age(first, 0.9 * REFRESH_TTL_S);
      const second = await next(first.refresh_token, {}, elsewhere);
      await age(second, 0.9 * REFRESH_TTL_S);
      await next(second.refresh_token);
    });
  });

  it('does not affect an API key, which every instance accepts until it is revoked', async () => {
    const { id, apiKey } = await operator<{ id: string; apiKey: string }>(
      ...['api-key', 'create', '--user', me.userId, '--workspace', me.workspaceId],
    );
    for (const instance of [api, elsewhere])
      expect((await instance.withKey(apiKey).get('/v1/api/tours')).status).toBe(200);
    await operator('api-key', 'revoke', id);
    for (const instance of [api, elsewhere]) {
      const message = 'The API key is invalid, has expired or has been revoked';
      expectRejection(await instance.withKey(apiKey).get('/v1/api/tours'), 401, 'invalid_api_key', message);
    }
  });
});
