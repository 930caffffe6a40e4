import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { LIMITED_SESSIONS, type SharedService, shareService } from '../support/shared-services.js';
import { basic, decode, passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';

const TOKEN = '/v1/api/oauth2/token';
const REVOKE = '/v1/api/oauth2/revoke';

/** The OAuth 2.0 endpoints with forms, which use the bodies of RFC 6749 and RFC 7009. */
describe('OAuth 2.0 by forms', () => {
  let database: Database;
  let service: SharedService;
  let api: Api;
  let me: Credentials;
  let otherUser: Credentials;
  const openedTokens: string[] = [];

  beforeAll(async () => {
    ({ service, database } = await shareService(LIMITED_SESSIONS));
    api = new Api(service.baseUrl);
    [me, otherUser] = [await service.provision(), await service.provision()];
  });

  afterEach(async () => {
    for (const token of openedTokens.splice(0)) await api.withToken(token).post('/v1/api/oauth2/logout');
  });

  function send(path: string, form: string | Record<string, string>, headers: Record<string, string> = {}) {
    const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
    return api.post(path, body, { 'Content-Type': 'application/x-www-form-urlencoded', ...headers });
  }

  async function token(form: string | Record<string, string>, headers?: Record<string, string>): Promise<ApiResponse> {
    const answer = await send(TOKEN, form, headers);
    if (answer.status === 200) openedTokens.push(answer.body.access_token as string);
    return answer;
  }

  const mine = () => ({ client_id: me.clientId, client_secret: me.clientSecret });
  const mineBasic = () => basic(me.clientId, me.clientSecret);
  const reads = async (accessToken: string) => (await api.withToken(accessToken).get('/v1/api/tours')).status;

  describe('signing in', () => {
    it('returns the fields of a token response without the envelope', async () => {
      const { status, headers, body } = await token({ grant_type: 'password', ...mine() });
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body).toEqual({
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token: expect.any(String),
        scope: 'api',
      });
      expect(await reads(body.access_token)).toBe(200);
    });

    it('prefers the Basic header to the body and ignores unknown parameters', async () => {
      const form = { grant_type: 'password', username: 'me', password: 'x', client_id: 'y', client_secret: 'z' };
      expect((await token(form, mineBasic())).status).toBe(200);
    });

    it('separates scopes by spaces and grants the default for an empty scope', async () => {
      const asked = await token({ grant_type: 'password', scope: 'read:tours  write:projects', ...mine() });
      expect(asked.body.scope).toBe('read:tours write:projects');
      expect((await token({ grant_type: 'password', scope: '', ...mine() })).body.scope).toBe('api');
    });

    it('ignores parameters named like object members', async () => {
      const form = `grant_type=password&constructor=1&prototype=2&__proto__=3&${new URLSearchParams(mine()).toString()}`;
      expect((await token(form)).status).toBe(200);
    });

    it('accepts a charset in the Content-Type', async () => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8' };
      expect((await token({ grant_type: 'password', ...mine() }, headers)).status).toBe(200);
    });
  });

  describe('by client_credentials', () => {
    it('opens a session without a refresh token, which expires with its access token', async () => {
      const sentAt = Date.now() / 1000;
      const { status, body } = await token({ grant_type: 'client_credentials' }, mineBasic());
      const receivedAt = Date.now() / 1000;
      expect({ status, names: Object.keys(body as object).sort() }).toEqual({
        status: 200,
        names: ['access_token', 'expires_in', 'scope', 'token_type'],
      });
      expect(await reads(body.access_token)).toBe(200);
      const { claims } = decode(body.access_token as string);
      const [session] = await database.query<{ ends: number }>(
        'SELECT extract(epoch FROM refresh_expires_at)::float8 AS ends FROM sessions WHERE id = $1',
        [claims['sid']],
      );
      // Both times are of the moment when the session was opened; that of the token has whole seconds.
      for (const ends of [session!.ends, claims['exp'] as number]) {
        expect(ends).toBeGreaterThan(sentAt + 900 - 1);
        expect(ends).toBeLessThan(receivedAt + 900 + 1);
      }
    });

    it('counts towards the limit of ten sessions while it is active', async () => {
      for (let count = 0; count < 10; count++) {
        expect((await token({ grant_type: 'client_credentials' }, mineBasic())).status).toBe(200);
      }
      const rejected = await token({ grant_type: 'client_credentials' }, mineBasic());
      expect(rejected.status).toBe(400);
      expect(rejected.body).toEqual({
        error: 'invalid_grant',
        error_description: 'Maximum number of active sessions exceeded',
      });
    });

    it('the grant client_credentials is rejected in JSON, which allows only the grants of the specification', async () => {
      const { status, body } = await api.token({ ...passwordGrant(me), grant_type: 'client_credentials' });
      expect([status, body.error]).toEqual([400, 'unsupported_grant_type']);
    });
  });

  describe('refreshing', () => {
    it('rotates the token, and one session continues across forms and JSON', async () => {
      const pair = (await token({ grant_type: 'password', ...mine() })).body as TokenPair;
      const second = await token({ grant_type: 'refresh_token', refresh_token: pair.refresh_token });
      expect(second.status).toBe(200);
      const third = await refresh(api, second.body.refresh_token as string);
      expect(third.status).toBe(200);
      expect(decode(third.body.data.access_token as string).claims['sid']).toBe(
        decode(pair.access_token).claims['sid'],
      );
    });

    it('may narrow the scope', async () => {
      const pair = (await token({ grant_type: 'password', ...mine() })).body as TokenPair;
      const form = { grant_type: 'refresh_token', refresh_token: pair.refresh_token, scope: 'read:tours' };
      expect((await token(form)).body.scope).toBe('read:tours');
    });
  });

  /** The table of messages, statuses and codes in design/auth.md. */
  describe('errors', () => {
    it('a wrong secret returns 401 invalid_client, with a Basic challenge only if an Authorization header was sent', async () => {
      const wrong = { client_id: me.clientId, client_secret: otherUser.clientSecret };
      const inBody = await send(TOKEN, { grant_type: 'password', ...wrong });
      expect(inBody.status).toBe(401);
      expect(inBody.body).toEqual({ error: 'invalid_client', error_description: 'Client authentication failed' });
      expect(inBody.headers.get('www-authenticate')).toBeNull();
      expect(inBody.headers.get('cache-control')).toBe('no-store');
      for (const header of [basic(me.clientId, 'wrong'), { Authorization: 'Basic !!!' }]) {
        const byHeader = await send(TOKEN, { grant_type: 'password', ...mine() }, header);
        expect([byHeader.status, byHeader.body.error]).toEqual([401, 'invalid_client']);
        expect(byHeader.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
      }
      const asJson = await api.token({ grant_type: 'password' }, basic(me.clientId, 'wrong'));
      expect([asJson.status, asJson.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
    });

    it.each([
      ['no grant', '', 400, 'invalid_request'],
      ['an unknown grant', 'grant_type=authorization_code', 400, 'unsupported_grant_type'],
      ['a parameter twice', 'grant_type=password&grant_type=password', 400, 'invalid_request'],
      ['a refresh without a token', 'grant_type=refresh_token', 400, 'invalid_request'],
      ['an invalid refresh token', 'grant_type=refresh_token&refresh_token=a.b.c', 400, 'invalid_grant'],
      ['too many parameters', `grant_type=password${'&a=1'.repeat(200)}`, 400, 'invalid_request'],
      ['no credentials', 'grant_type=password', 401, 'invalid_client'],
      ['U+0000 for credentials', 'grant_type=password&client_id=%00&client_secret=%00', 401, 'invalid_client'],
      ['more than 16 KiB', `grant_type=${'a'.repeat(17_000)}`, 413, 'invalid_request'],
    ])('a form with %s is rejected', async (_, form, status, error) => {
      const answer = await send(TOKEN, form === '' ? 'scope=api' : form);
      expect([answer.status, answer.body]).toEqual([status, { error, error_description: expect.any(String) }]);
      expect(answer.body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    });

    it('an unknown scope returns 400 invalid_scope', async () => {
      const { status, body } = await send(TOKEN, { grant_type: 'password', scope: 'api nonsense', ...mine() });
      expect([status, body]).toEqual([
        400,
        { error: 'invalid_scope', error_description: 'The requested scope is invalid or unknown' },
      ]);
    });

    it('a reused refresh token and its revoked session return 400 invalid_grant with different messages', async () => {
      const pair = (await token({ grant_type: 'password', ...mine() })).body as TokenPair;
      const form = { grant_type: 'refresh_token', refresh_token: pair.refresh_token };
      const second = await token(form);
      const used = await send(TOKEN, form);
      expect([used.status, used.body]).toEqual([
        400,
        { error: 'invalid_grant', error_description: 'Refresh token has already been used' },
      ]);
      const ended = await send(TOKEN, { ...form, refresh_token: second.body.refresh_token });
      expect([ended.status, ended.body]).toEqual([
        400,
        { error: 'invalid_grant', error_description: 'The session has been revoked' },
      ]);
    });

    it("another client's credentials with a refresh token are rejected and do not consume the token", async () => {
      const pair = (await token({ grant_type: 'password', ...mine() })).body as TokenPair;
      const form = { grant_type: 'refresh_token', refresh_token: pair.refresh_token };
      const rejected = await send(TOKEN, form, basic(otherUser.clientId, otherUser.clientSecret));
      expect([rejected.status, rejected.body.error]).toEqual([400, 'invalid_grant']);
      expect((await token(form, mineBasic())).status).toBe(200);
    });

    it('a body that is neither JSON nor a form returns 415 with the accepted types', async () => {
      const { status, body } = await api.post(TOKEN, 'grant_type=password', { 'Content-Type': 'text/plain' });
      expect([status, body.message]).toEqual([
        415,
        'The Content-Type "text/plain" is not accepted here. Send application/json or application/x-www-form-urlencoded.',
      ]);
    });

    it('JSON with an unquoted secret returns 400 and does not repeat the secret', async () => {
      const { status, body } = await api.post(TOKEN, `{"grant_type":"password","client_secret":${me.clientSecret}}`);
      expect([status, body.error]).toEqual([400, 'malformed_json']);
      expect(body.message).toContain('wss_…');
      expect(body.message).not.toContain(me.clientSecret.slice(0, 6));
    });

    it('a form returns 415 on a route that accepts only JSON', async () => {
      const { status, body } = await send('/v1/api/projects', 'name=x', { 'X-API-Key': me.apiKey });
      expect([status, body.error]).toEqual([415, 'unsupported_media_type']);
    });
  });

  describe('revoking (RFC 7009)', () => {
    const revoke = (tokenOf: string, headers = mineBasic(), more: Record<string, string> = {}) =>
      send(REVOKE, { token: tokenOf, ...more }, headers);

    it.each(['access_token', 'refresh_token'] as const)(
      'revokes the session of both tokens by the %s',
      async (kind) => {
        const pair = await signIn(api, me);
        const { status, headers, body } = await revoke(pair[kind], mineBasic(), { token_type_hint: kind });
        expect([status, headers.get('cache-control'), body]).toEqual([200, 'no-store', {}]);
        expect(await reads(pair.access_token)).toBe(401);
        expect((await refresh(api, pair.refresh_token)).body.message).toBe('The session has been revoked');
      },
    );

    it('accepts credentials in the body, and JSON, which returns the envelope', async () => {
      const [first, second] = [await signIn(api, me), await signIn(api, me)];
      expect((await send(REVOKE, { token: first.access_token, ...mine() })).status).toBe(200);
      const json = await api.post(REVOKE, { token: second.access_token, ...mine() });
      expect([json.status, json.body]).toEqual([200, expect.objectContaining({ status: 200, data: {} })]);
      expect(await Promise.all([first, second].map((pair) => reads(pair.access_token)))).toEqual([401, 401]);
    });

    it('succeeds for a revoked or invalid token', async () => {
      const pair = await signIn(api, me);
      for (const none of [pair.refresh_token, pair.refresh_token, 'nonsense', 'a.b.c']) {
        expect((await revoke(none)).status).toBe(200);
      }
    });

    it('revokes the session of a consumed refresh token without treating it as reuse', async () => {
      const [pair, other] = [await signIn(api, me), await signIn(api, me)];
      const second = (await refresh(api, pair.refresh_token)).body.data as TokenPair;
      expect((await revoke(pair.refresh_token)).status).toBe(200);
      expect(await reads(second.access_token)).toBe(401);
      expect(await reads(other.access_token)).toBe(200);
      openedTokens.push(other.access_token);
    });

    it('a revocation is rejected without credentials, with wrong ones, and without a token', async () => {
      const pair = await signIn(api, me);
      openedTokens.push(pair.access_token);
      const rejected = [
        await send(REVOKE, { token: pair.access_token }),
        await revoke(pair.access_token, basic(me.clientId, 'wrong')),
        await send(REVOKE, {}, mineBasic()),
      ];
      expect(rejected.map(({ status, body }) => [status, body.error])).toEqual([
        [401, 'invalid_client'],
        [401, 'invalid_client'],
        [400, 'invalid_request'],
      ]);
      expect(await reads(pair.access_token)).toBe(200);
    });

    it("is rejected for another client's token, which stays valid", async () => {
      const pair = await signIn(api, me);
      openedTokens.push(pair.access_token);
      const { status, body } = await revoke(pair.access_token, basic(otherUser.clientId, otherUser.clientSecret));
      expect([status, body]).toEqual([
        400,
        { error: 'invalid_grant', error_description: 'The token was issued to another client' },
      ]);
      expect(await reads(pair.access_token)).toBe(200);
    });
  });
});
