import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { type AccessToken, ClientCredentials, type ModuleOptions, ResourceOwnerPassword } from 'simple-oauth2';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';

/** Unmodified OAuth 2.0 clients from npm, used as their documentation shows. */
describe('standard OAuth 2.0 clients', () => {
  let database: TestDatabase;
  let service: TestService;
  let strict: TestService;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
    [service, strict] = await Promise.all([
      TestService.startPublic(database, { MAX_SESSIONS_PER_USER: '1000' }),
      TestService.startPublic(database, { MAX_SESSIONS_PER_USER: '1000', RATE_LIMIT_TOKEN: '5/60/1800' }),
    ]);
    me = await service.provision();
  });

  afterAll(async () => {
    await Promise.all([service?.stop(), strict?.stop()]);
    await database?.drop();
  });

  const reads = async (accessToken: string) =>
    (await new Api(service.baseUrl).withToken(accessToken).get('/v1/api/tours')).status;

  describe.each([
    ['by default', () => undefined],
    ['by Basic', openid.ClientSecretBasic],
    ['in the body', openid.ClientSecretPost],
  ])('openid-client, its credentials %s', (how, authentication) => {
    let client: openid.Configuration;

    beforeAll(async () => {
      client = await discover();
    });

    /** Configured only with the address of the service, the client ID and the secret. */
    function discover({ baseUrl } = service, secret = me.clientSecret, clientId = me.clientId) {
      return openid.discovery(new URL(baseUrl), clientId, { client_secret: secret }, authentication(secret), {
        algorithm: 'oauth2',
        // oxlint-disable-next-line typescript/no-deprecated -- meant for production; the test has no TLS
        execute: [openid.allowInsecureRequests],
      });
    }

    const signIn = (scope?: string) =>
      openid.genericGrantRequest(client, 'password', scope === undefined ? {} : { scope });
    const tours = (accessToken: string) =>
      openid.fetchProtectedResource(client, accessToken, new URL('/v1/api/tours', service.baseUrl), 'GET');

    it('discovers the service, signs in, reads, refreshes and revokes', async () => {
      const first = await signIn('read:tours read:projects');
      expect(first).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'read:tours read:projects' });
      expect((await tours(first.access_token)).status).toBe(200);

      const second = await openid.refreshTokenGrant(client, first.refresh_token!, { scope: 'read:tours' });
      expect(second).toMatchObject({ token_type: 'bearer', scope: 'read:tours', refresh_token: expect.any(String) });
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect((await tours(second.access_token)).status).toBe(200);

      await expect(openid.tokenRevocation(client, second.refresh_token!)).resolves.toBeUndefined();
      await expect(tours(second.access_token)).rejects.toMatchObject({
        code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
        status: 401,
        cause: [{ scheme: 'bearer', parameters: expect.objectContaining({ error: 'invalid_token' }) }],
      });
    });

    it('signs in by client_credentials, without a refresh token', async () => {
      const granted = await openid.clientCredentialsGrant(client, { scope: 'read:tours' });
      expect(granted).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'read:tours' });
      expect(granted.refresh_token).toBeUndefined();
      expect((await tours(granted.access_token)).status).toBe(200);
      await openid.tokenRevocation(client, granted.access_token, { token_type_hint: 'access_token' });
      expect(await reads(granted.access_token)).toBe(401);
    });

    it('gets a token that a resource server verifies with the discovered metadata', async () => {
      const { issuer, jwks_uri: keys } = client.serverMetadata();
      const { access_token: token } = await openid.clientCredentialsGrant(client);
      const verified = await jwtVerify(token, createRemoteJWKSet(new URL(keys!)), {
        issuer,
        audience: issuer,
        typ: 'at+jwt',
      });
      expect(verified.payload).toMatchObject({ sub: me.userId, client_id: me.clientId, scope: 'api' });
    });

    it('reports a wrong secret: as a Basic challenge if the header was sent, otherwise as an error body', async () => {
      const outsider = await discover(service, 'wss_wrong');
      for (const request of [
        () => openid.clientCredentialsGrant(outsider),
        () => openid.genericGrantRequest(outsider, 'password', {}),
        () => openid.tokenRevocation(outsider, 'a.b.c'),
      ]) {
        const failure = await failureOf(request());
        if (how === 'by Basic') {
          expect(failure).toBeInstanceOf(openid.WWWAuthenticateChallengeError);
          expect(failure).toMatchObject({
            status: 401,
            cause: [{ scheme: 'basic', parameters: { realm: 'Atrium', charset: 'UTF-8' } }],
          });
          // The library reports the challenge first; the error body is available too.
          expect(await failure.response.json()).toEqual({
            error: 'invalid_client',
            error_description: 'Client authentication failed',
          });
        } else {
          expectRejection(failure, 401, 'invalid_client', 'Client authentication failed');
        }
      }
    });

    it('reports the reuse of a refresh token, and that its session was revoked', async () => {
      const first = await signIn();
      const second = await openid.refreshTokenGrant(client, first.refresh_token!);
      const used = await failureOf(openid.refreshTokenGrant(client, first.refresh_token!));
      expectRejection(used, 400, 'invalid_grant', 'Refresh token has already been used');
      const ended = await failureOf(openid.refreshTokenGrant(client, second.refresh_token!));
      expectRejection(ended, 400, 'invalid_grant', 'The session has been revoked');
    });

    it('reports that a session was revoked', async () => {
      const pair = await signIn();
      await openid.tokenRevocation(client, pair.access_token);
      const failure = await failureOf(openid.refreshTokenGrant(client, pair.refresh_token!));
      expectRejection(failure, 400, 'invalid_grant', 'The session has been revoked');
    });

    it('reports an unknown scope', async () => {
      const message = 'The requested scope is invalid or unknown';
      expectRejection(await failureOf(signIn('read:minds')), 400, 'invalid_scope', message);
    });

    it('reports too many attempts, with Retry-After', async () => {
      const otherUser = await strict.provision();
      const eager = await discover(strict, otherUser.clientSecret, otherUser.clientId);
      for (let attempt = 0; attempt < 5; attempt++) await openid.clientCredentialsGrant(eager);
      const failure = await failureOf(openid.clientCredentialsGrant(eager));
      expectRejection(failure, 429, 'too_many_requests');
      expect(Number(failure.response.headers.get('retry-after'))).toBeGreaterThan(1_790);
    });

    /** Checks the fields of the error of the library. */
    function expectRejection(failure: any, status: number, error: string, message: unknown = expect.any(String)): void {
      expect(failure).toBeInstanceOf(openid.ResponseBodyError);
      const { status: seen, error: code, error_description: description } = failure as openid.ResponseBodyError;
      expect([seen, code, description]).toEqual([status, error, message]);
    }
  });

  describe.each(['header', 'body'] as const)('simple-oauth2, its credentials in the %s', (authorizationMethod) => {
    function options(more: ModuleOptions['options'] = {}, { baseUrl } = service, client = me): ModuleOptions {
      return {
        client: { id: client.clientId, secret: client.clientSecret },
        auth: { tokenHost: baseUrl, tokenPath: '/v1/api/oauth2/token', revokePath: '/v1/api/oauth2/revoke' },
        options: { authorizationMethod, ...more },
      };
    }

    /** The library requires a name and a password; the service ignores them. */
    const PERSON = { username: 'person', password: 'something' };
    const signIn = (scope?: string[]) => new ResourceOwnerPassword(options()).getToken({ ...PERSON, scope: scope! });
    const accessTokenOf = ({ token }: AccessToken) => token['access_token'] as string;

    it('signs in by password, reads, knows when the token expires, refreshes and revokes both tokens', async () => {
      const first = await signIn(['read:tours', 'read:projects']);
      expect(first.token).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'read:tours read:projects' });
      expect([first.expired(), first.expired(901)]).toEqual([false, true]);
      expect(await reads(accessTokenOf(first))).toBe(200);

      const second = await first.refresh({ scope: ['read:tours'] });
      expect(second.token).toMatchObject({ scope: 'read:tours', refresh_token: expect.any(String) });
      expect(await reads(accessTokenOf(second))).toBe(200);

      await second.revokeAll();
      expect(await reads(accessTokenOf(second))).toBe(401);
    });

    it.each(['access_token', 'refresh_token'] as const)('revokes by only the %s', async (kind) => {
      const pair = await signIn();
      await pair.revoke(kind);
      expect(await reads(accessTokenOf(pair))).toBe(401);
      expect(await rejectionOf(pair.refresh())).toMatchObject(
        rejected(400, 'invalid_grant', 'The session has been revoked'),
      );
    });

    it('signs in by client credentials, without a refresh token', async () => {
      const granted = await new ClientCredentials(options()).getToken({});
      expect(Object.keys(granted.token).sort()).toEqual([
        'access_token',
        'expires_at',
        'expires_in',
        'scope',
        'token_type',
      ]);
      expect(await reads(accessTokenOf(granted))).toBe(200);
      await granted.revoke('access_token');
    });

    it('reports what was wrong', async () => {
      const outsider = options({}, service, { ...me, clientSecret: 'wss_wrong' });
      const unknown = await rejectionOf(new ClientCredentials(outsider).getToken({}));
      expect(unknown).toMatchObject(rejected(401, 'invalid_client', 'Client authentication failed'));
      expect(unknown.challenge).toEqual(
        authorizationMethod === 'header' ? expect.stringMatching(/^Basic /) : undefined,
      );

      expect(await rejectionOf(signIn(['read:minds']))).toMatchObject(
        rejected(400, 'invalid_scope', 'The requested scope is invalid or unknown'),
      );

      const pair = await signIn();
      await pair.refresh();
      expect(await rejectionOf(pair.refresh())).toMatchObject(
        rejected(400, 'invalid_grant', 'Refresh token has already been used'),
      );
    });

    it('reports too many attempts', async () => {
      const otherUser = await strict.provision();
      const eager = new ClientCredentials(options({}, strict, otherUser));
      for (let attempt = 0; attempt < 5; attempt++) await eager.getToken({});
      expect(await rejectionOf(eager.getToken({}))).toMatchObject(
        rejected(429, 'too_many_requests', expect.any(String)),
      );
    });

    /**
     * With `bodyFormat: 'json'` it sends the JSON of the specification; it does not know the envelope of the response.
     */
    describe('configured to send JSON', () => {
      const byJson = () => new ResourceOwnerPassword(options({ bodyFormat: 'json' }));

      it('gets the envelope, and its token is in `data`', async () => {
        const { token } = await byJson().getToken({} as typeof PERSON);
        expect(token).toMatchObject({ status: 200, data: { token_type: 'Bearer', refresh_token: expect.any(String) } });
        expect(token['access_token']).toBeUndefined();
        expect(await reads((token['data'] as Record<string, string>)['access_token']!)).toBe(200);
      });

      it('gets the error body of the service', async () => {
        const byCredentials = new ClientCredentials(options({ bodyFormat: 'json' }));
        for (const [request, status, error] of [
          [() => byJson().getToken(PERSON), 400, 'invalid_request'],
          [() => byCredentials.getToken({}), 400, 'unsupported_grant_type'],
        ] as const) {
          const { payload } = await rejectionOf(request());
          expect(payload).toMatchObject({ status, error, message: expect.any(String), requestId: expect.any(String) });
        }
      });
    });

    const rejected = (status: number, error: string, message: unknown) => ({
      status,
      payload: { error, error_description: message },
    });

    /** The relevant fields of the error of the library, which is a Boom. */
    async function rejectionOf(request: Promise<unknown>) {
      const { output, data } = await failureOf(request);
      return {
        status: output.statusCode as number,
        payload: data.payload as unknown,
        challenge: data.headers['www-authenticate'] as string | undefined,
      };
    }
  });
});

/** The error of a request that must fail. */
async function failureOf(request: Promise<unknown>): Promise<any> {
  return request.then(
    () => Promise.reject(new Error('It did not fail.')),
    (failure: unknown) => failure,
  );
}
