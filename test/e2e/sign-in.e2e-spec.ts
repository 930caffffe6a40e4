import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { basic, decode, passwordGrant, signIn, type TokenPair } from '../support/tokens.js';

const SCOPE_REJECTED = 'The requested scope is invalid or unknown';
const CLIENT_REJECTED = 'Client authentication failed';

describe('signing in with client credentials', () => {
  let database: Database;
  let service: SharedService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl);
  });

  const expectRejection = (
    { status, body }: ApiResponse,
    expected: { status: number; error: string; message?: string },
  ) =>
    expect({ status, body }).toEqual({
      status: expected.status,
      body: expect.objectContaining({ ...expected }),
    });

  it('rejects scopes that the client loses while the sign-in waits for it', async () => {
    const operator = await service.operatorClient();
    const { clientId, clientSecret } = await operator.newClient(me.userId);
    const other = await database.connect();
    try {
      await other.query('BEGIN');
      await other.query(`UPDATE oauth_clients SET allowed_scopes = '{read:tours}' WHERE client_id = $1`, [clientId]);
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const signedIn = api.token(passwordGrant({ clientId, clientSecret }));
      await untilBlockedBy(rows[0]!.pid);
      await other.query('COMMIT');
      expectRejection(await signedIn, { status: 403, error: 'invalid_scope', message: SCOPE_REJECTED });
    } finally {
      await other.end();
    }
  });

  /** Waits until a connection waits for a lock of this one. */
  async function untilBlockedBy(pid: number): Promise<void> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
      const blocked = await database.query('SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [
        pid,
      ]);
      if (blocked.length > 0) return;
      await sleep(10);
    }
    throw new Error('Nothing waits for the lock.');
  }

  describe('by the password grant', () => {
    it('returns the five fields of a token response in the envelope', async () => {
      const { status, body } = await api.token(passwordGrant(me));
      expect(status).toBe(200);
      expect(body).toEqual({
        status: 200,
        message: expect.any(String),
        timestamp: expect.any(Number),
        data: {
          access_token: expect.any(String),
          token_type: 'Bearer',
          expires_in: 900,
          refresh_token: expect.any(String),
          scope: 'api',
        },
      });
      expect(Math.abs(body.timestamp - Date.now())).toBeLessThan(60_000);
    });

    it('issues an access token that a protected endpoint accepts', async () => {
      const { access_token } = await signIn(api, me);
      expect((await api.withToken(access_token).get('/v1/api/tours')).status).toBe(200);
    });

    it('sends Cache-Control: no-store with successes and errors', async () => {
      expect((await api.token(passwordGrant(me))).headers.get('cache-control')).toBe('no-store');
      const rejected = await api.token(passwordGrant({ ...me, clientSecret: 'wrong' }));
      expect(rejected.headers.get('cache-control')).toBe('no-store');
      expect((await api.post('/v1/api/oauth2/token', '{')).headers.get('cache-control')).toBe('no-store');
    });
  });

  describe('by a Basic header', () => {
    const grant = (headers: Record<string, string>, body: Record<string, unknown> = {}) =>
      api.token({ grant_type: 'password', ...body }, headers);

    it('works without credentials in the body', async () => {
      expect((await grant(basic(me.clientId, me.clientSecret))).status).toBe(200);
    });

    it('the Basic header takes precedence over credentials in the body, valid or not', async () => {
      const wrong = { client_id: me.clientId, client_secret: 'wrong' };
      expect((await grant(basic(me.clientId, me.clientSecret), wrong)).status).toBe(200);
      expect((await grant(basic(me.clientId, 'wrong'), passwordGrant(me))).status).toBe(401);
    });

    it('the Basic header is form-decoded (RFC 6749, section 2.3.1)', async () => {
      const percent = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
      expect((await grant(basic(percent(me.clientId), percent(me.clientSecret)))).status).toBe(200);
    });

    it('accepts the scheme in any letter case', async () => {
      const { Authorization } = basic(me.clientId, me.clientSecret);
      expect((await grant({ Authorization: Authorization.replace('Basic', 'bASIC') })).status).toBe(200);
    });

    it.each([
      ['nothing after the scheme', 'Basic'],
      ['no base64', 'Basic !!!'],
      ['no colon', `Basic ${Buffer.from('just-an-id').toString('base64')}`],
      ['a broken percent-encoding', `Basic ${Buffer.from('%zz:secret').toString('base64')}`],
    ])('a Basic header with %s is rejected, even with valid credentials in the body', async (_, Authorization) => {
      const answer = await grant({ Authorization }, passwordGrant(me));
      expectRejection(answer, { status: 401, error: 'invalid_client', message: CLIENT_REJECTED });
    });
  });

  describe('with wrong credentials', () => {
    const bodyOf = async (client: { clientId: string; clientSecret: string }) => {
      const { status, body } = await api.token(passwordGrant(client));
      const { timestamp, requestId, ...rest } = body;
      expect([typeof timestamp, typeof requestId]).toEqual(['number', 'string']);
      return { status, ...rest };
    };

    it('returns the same error whichever part is wrong', async () => {
      const other = await service.operator<Credentials>('client', 'create', '--user', me.userId);
      const rejected = { status: 401, error: 'invalid_client', message: CLIENT_REJECTED };
      const typo = me.clientSecret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
      expect(await bodyOf({ ...me, clientSecret: other.clientSecret })).toEqual(rejected);
      expect(await bodyOf({ ...me, clientSecret: typo })).toEqual(rejected);
      expect(await bodyOf({ ...me, clientSecret: '' })).toEqual(rejected);
      expect(await bodyOf({ ...me, clientId: me.clientSecret })).toEqual(rejected);
      expect(await bodyOf({ ...me, clientId: 'unknown\u0000' })).toEqual(rejected);
      expect(await bodyOf({ clientId: me.apiKey, clientSecret: me.apiKey })).toEqual(rejected);
    });

    it('rejects a disabled client', async () => {
      const client = await service.operator<Credentials>('client', 'create', '--user', me.userId);
      expect((await api.token(passwordGrant(client))).status).toBe(200);
      await service.operator('client', 'disable', client.clientId);
      expectRejection(await api.token(passwordGrant(client)), {
        status: 401,
        error: 'invalid_client',
        message: CLIENT_REJECTED,
      });
    });

    it('rejects a request without credentials', async () => {
      const answer = await api.token({ grant_type: 'password' });
      expectRejection(answer, { status: 401, error: 'invalid_client', message: CLIENT_REJECTED });
    });

    it('returns 400 if a credential is not a string', async () => {
      const { status, body } = await api.token({ ...passwordGrant(me), client_secret: 5 });
      expect(status).toBe(400);
      expect(body.details.errors).toEqual([expect.objectContaining({ field: 'client_secret' })]);
    });
  });

  describe('requesting scopes', () => {
    const ask = (scope: unknown, client: Pick<Credentials, 'clientId' | 'clientSecret'> = me) =>
      api.token({ ...passwordGrant(client), scope });
    const rejection = { status: 403, error: 'invalid_scope', message: SCOPE_REJECTED };

    it.each([
      [['api'], 'api'],
      [['read:tours'], 'read:tours'],
      [['write:projects', 'read:tours'], 'write:projects read:tours'],
      [['read:tours', 'read:tours'], 'read:tours'],
    ])('grants %j as "%s" in the response and in the token', async (scope, granted) => {
      const { status, body } = await ask(scope);
      expect(status).toBe(200);
      expect(body.data.scope).toBe(granted);
      expect(decode(body.data.access_token).claims['scope']).toBe(granted);
    });

    it.each([
      ['an empty list', []],
      ['an unknown scope', ['read:everything']],
      ['an unknown scope together with a valid one', ['read:tours', 'delete:users']],
      ['a scope in another letter case', ['API']],
      ['two scopes in one string', ['read:tours write:tours']],
    ])('rejects %s with the message of the specification', async (_, scope) => {
      expectRejection(await ask(scope), rejection);
    });

    it.each([
      ['text', 'api'],
      ['an object', { 0: 'api' }],
      ['numbers', [1]],
    ])('returns 400 for %s instead of a list', async (_, scope) => {
      expect((await ask(scope)).status).toBe(400);
    });

    it('grants the default for null', async () => {
      expect((await ask(null)).body.data.scope).toBe('api');
    });

    describe('for a client with limited scopes', () => {
      let narrow: Credentials;

      beforeAll(async () => {
        const scopes = ['--scope', 'write:tours', '--scope', 'read:projects'];
        narrow = await service.operator<Credentials>('client', 'create', '--user', me.userId, ...scopes);
      });

      it('grants the allowed scopes and those that they include', async () => {
        expect((await ask(['write:tours', 'read:projects'], narrow)).body.data.scope).toBe('write:tours read:projects');
        expect((await ask(['read:tours'], narrow)).body.data.scope).toBe('read:tours');
      });

      it.each([[['delete:tours']], [['write:projects']], [['api']], [['read:tours', 'read:users']]])(
        'rejects %j',
        async (scope) => expectRejection(await ask(scope, narrow), rejection),
      );

      it('rejects the default, which is api', async () => {
        expectRejection(await api.token(passwordGrant(narrow)), rejection);
      });
    });
  });

  describe('the access token', () => {
    let pair: TokenPair;

    beforeAll(async () => {
      pair = await signIn(api, me, ['read:tours', 'write:projects']);
    });

    it('the access token is a JWT of type at+jwt, signed with ES256 by a named key', () => {
      expect(decode(pair.access_token).header).toEqual({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: expect.stringMatching(/./),
      });
    });

    it('contains exactly the claims for issuer, audience, user, client, session, scope and time', () => {
      const { claims } = decode(pair.access_token);
      expect(claims).toEqual({
        iss: 'https://atrium.test',
        aud: 'https://atrium.test',
        sub: me.userId,
        client_id: me.clientId,
        sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        jti: expect.stringMatching(/./),
        scope: 'read:tours write:projects',
        iat: expect.any(Number),
        exp: claims['iat'] + 900,
      });
    });

    it('the access token has a different jti and sid for each sign-in', async () => {
      const again = await signIn(api, me);
      const [first, second] = [pair, again].map((each) => decode(each.access_token).claims);
      expect(second!['jti']).not.toBe(first!['jti']);
      expect(second!['sid']).not.toBe(first!['sid']);
    });

    it('the access token and the refresh token have different types and keys', () => {
      const access = decode(pair.access_token);
      const { header, claims } = decode(pair.refresh_token);
      expect(header).toEqual({ alg: 'ES256', typ: 'rt+jwt', kid: expect.stringMatching(/./) });
      expect(header['kid']).not.toBe(access.header['kid']);
      expect(claims).toMatchObject({
        aud: 'https://atrium.test/v1/api/oauth2/token',
        sub: me.userId,
        sid: access.claims['sid'],
        gen: 0,
        exp: claims['iat'] + 7 * 24 * 3600,
      });
    });
  });

  describe('with an invalid request', () => {
    it.each([
      ['is missing', {}, 'invalid_request'],
      ['is null', { grant_type: null }, 'invalid_request'],
      ['is empty', { grant_type: '' }, 'invalid_request'],
      ['is unknown', { grant_type: 'authorization_code' }, 'unsupported_grant_type'],
      ['is in another letter case', { grant_type: 'Password' }, 'unsupported_grant_type'],
      ['is the name of an object method', { grant_type: 'toString' }, 'unsupported_grant_type'],
    ])('returns 400 if grant_type %s', async (_, grant, error) => {
      expectRejection(await api.token({ ...passwordGrant(me), grant_type: undefined, ...grant }), {
        status: 400,
        error,
      });
    });

    it.each([
      ['no body', undefined],
      ['a list', '[]'],
      ['null', 'null'],
      ['text', '"password"'],
    ])('returns 400 if the body is %s', async (_, body) => {
      const answer = await api.post('/v1/api/oauth2/token', body, basic(me.clientId, me.clientSecret));
      expect(answer.status).toBe(400);
    });

    it('returns 400 and the name of an unknown field', async () => {
      const { status, body } = await api.token({ ...passwordGrant(me), username: 'me' });
      expect(status).toBe(400);
      expect(body.details.errors).toEqual([expect.objectContaining({ field: 'username', code: 'unknown_field' })]);
    });
  });
});
