import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { basic, decode, passwordGrant, signIn, type TokenPair } from '../support/tokens.js';

const SCOPE_REFUSED = 'The requested scope is invalid or unknown';
const CLIENT_REFUSED = 'Client authentication failed';

describe('signing in with client credentials', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { MAX_SESSIONS_PER_USER: '1000' });
    me = await service.provision();
    api = new Api(service.baseUrl);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const expectRefusal = ({ status, body }: Answer, expected: { status: number; error: string; message?: string }) =>
    expect({ status, body }).toEqual({
      status: expected.status,
      body: expect.objectContaining({ ...expected }),
    });

  describe('by the password grant', () => {
    it('answers with the five fields of a token response, in the envelope', async () => {
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

    it('gives a token that opens a protected endpoint', async () => {
      const { access_token } = await signIn(api, me);
      expect((await api.withToken(access_token).get('/v1/api/tours')).status).toBe(200);
    });

    it('tells caches to keep nothing, of a success and of a refusal', async () => {
      expect((await api.token(passwordGrant(me))).headers.get('cache-control')).toBe('no-store');
      const refused = await api.token(passwordGrant({ ...me, clientSecret: 'wrong' }));
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect((await api.post('/v1/api/oauth2/token', '{')).headers.get('cache-control')).toBe('no-store');
    });

    it('says how long the access token lives where the operator chose another time', async () => {
      const brief = await TestService.start(database, { ACCESS_TOKEN_TTL_S: '77' });
      const pair = await signIn(new Api(brief.baseUrl), me);
      const { claims } = decode(pair.access_token);
      expect(pair.expires_in).toBe(77);
      expect(claims['exp'] - claims['iat']).toBe(77);
      await brief.stop();
    });
  });

  describe('by a Basic header', () => {
    const grant = (headers: Record<string, string>, body: Record<string, unknown> = {}) =>
      api.token({ grant_type: 'password', ...body }, headers);

    it('works without credentials in the body', async () => {
      expect((await grant(basic(me.clientId, me.clientSecret))).status).toBe(200);
    });

    it('wins over credentials in the body, good or bad', async () => {
      const wrong = { client_id: me.clientId, client_secret: 'wrong' };
      expect((await grant(basic(me.clientId, me.clientSecret), wrong)).status).toBe(200);
      expect((await grant(basic(me.clientId, 'wrong'), passwordGrant(me))).status).toBe(401);
    });

    it('is form-decoded, as RFC 6749 has it encoded', async () => {
      const percent = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
      expect((await grant(basic(percent(me.clientId), percent(me.clientSecret)))).status).toBe(200);
    });

    it('has a scheme whose case does not matter', async () => {
      const { Authorization } = basic(me.clientId, me.clientSecret);
      expect((await grant({ Authorization: Authorization.replace('Basic', 'bASIC') })).status).toBe(200);
    });

    it.each([
      ['nothing after the scheme', 'Basic'],
      ['no base64', 'Basic !!!'],
      ['no colon', `Basic ${Buffer.from('just-an-id').toString('base64')}`],
      ['a broken percent-encoding', `Basic ${Buffer.from('%zz:secret').toString('base64')}`],
    ])('that has %s is refused, and the good credentials in the body are not looked at', async (_, Authorization) => {
      const answer = await grant({ Authorization }, passwordGrant(me));
      expectRefusal(answer, { status: 401, error: 'invalid_client', message: CLIENT_REFUSED });
    });
  });

  describe('with wrong credentials', () => {
    const bodyOf = async (client: { clientId: string; clientSecret: string }) => {
      const { status, body } = await api.token(passwordGrant(client));
      const { timestamp, requestId, ...rest } = body;
      expect([typeof timestamp, typeof requestId]).toEqual(['number', 'string']);
      return { status, ...rest };
    };

    it('gives one and the same answer, whatever is wrong about them', async () => {
      const other = await service.operator<Credentials>('client', 'create', '--user', me.userId);
      const refused = { status: 401, error: 'invalid_client', message: CLIENT_REFUSED };
      const typo = me.clientSecret.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
      expect(await bodyOf({ ...me, clientSecret: other.clientSecret })).toEqual(refused);
      expect(await bodyOf({ ...me, clientSecret: typo })).toEqual(refused);
      expect(await bodyOf({ ...me, clientSecret: '' })).toEqual(refused);
      expect(await bodyOf({ ...me, clientId: me.clientSecret })).toEqual(refused);
      expect(await bodyOf({ ...me, clientId: 'nobody\u0000' })).toEqual(refused);
      expect(await bodyOf({ clientId: me.apiKey, clientSecret: me.apiKey })).toEqual(refused);
    });

    it('does not know a client that was disabled', async () => {
      const client = await service.operator<Credentials>('client', 'create', '--user', me.userId);
      expect((await api.token(passwordGrant(client))).status).toBe(200);
      await service.operator('client', 'disable', client.clientId);
      expectRefusal(await api.token(passwordGrant(client)), {
        status: 401,
        error: 'invalid_client',
        message: CLIENT_REFUSED,
      });
    });

    it('refuses a request with no credentials at all', async () => {
      const answer = await api.token({ grant_type: 'password' });
      expectRefusal(answer, { status: 401, error: 'invalid_client', message: CLIENT_REFUSED });
    });

    it('is 400 where a credential is not text', async () => {
      const { status, body } = await api.token({ ...passwordGrant(me), client_secret: 5 });
      expect(status).toBe(400);
      expect(body.details.errors).toEqual([expect.objectContaining({ field: 'client_secret' })]);
    });
  });

  describe('asking for scopes', () => {
    const ask = (scope: unknown, client: Pick<Credentials, 'clientId' | 'clientSecret'> = me) =>
      api.token({ ...passwordGrant(client), scope });
    const refusal = { status: 403, error: 'invalid_scope', message: SCOPE_REFUSED };

    it.each([
      [['api'], 'api'],
      [['read:tours'], 'read:tours'],
      [['write:projects', 'read:tours'], 'write:projects read:tours'],
      [['read:tours', 'read:tours'], 'read:tours'],
    ])('%j is granted as "%s", in the answer and in the token', async (scope, granted) => {
      const { status, body } = await ask(scope);
      expect(status).toBe(200);
      expect(body.data.scope).toBe(granted);
      expect(decode(body.data.access_token).claims['scope']).toBe(granted);
    });

    it.each([
      ['an empty list', []],
      ['an unknown scope', ['read:everything']],
      ['an unknown scope beside a good one', ['read:tours', 'delete:users']],
      ['a scope of another case', ['API']],
      ['two scopes in one text', ['read:tours write:tours']],
    ])('%s is refused in the words of the specification', async (_, scope) => {
      expectRefusal(await ask(scope), refusal);
    });

    it.each([
      ['text', 'api'],
      ['an object', { 0: 'api' }],
      ['numbers', [1]],
    ])('%s where a list belongs is 400', async (_, scope) => {
      expect((await ask(scope)).status).toBe(400);
    });

    it('null asks for nothing, and is granted the default', async () => {
      expect((await ask(null)).body.data.scope).toBe('api');
    });

    describe('of a client that may not have everything', () => {
      let narrow: Credentials;

      beforeAll(async () => {
        const scopes = ['--scope', 'write:tours', '--scope', 'read:projects'];
        narrow = await service.operator<Credentials>('client', 'create', '--user', me.userId, ...scopes);
      });

      it('gives what it may have, and what that includes', async () => {
        expect((await ask(['write:tours', 'read:projects'], narrow)).body.data.scope).toBe('write:tours read:projects');
        expect((await ask(['read:tours'], narrow)).body.data.scope).toBe('read:tours');
      });

      it.each([[['delete:tours']], [['write:projects']], [['api']], [['read:tours', 'read:users']]])(
        'refuses %j',
        async (scope) => expectRefusal(await ask(scope, narrow), refusal),
      );

      it('refuses the default, which is api', async () => {
        expectRefusal(await api.token(passwordGrant(narrow)), refusal);
      });
    });
  });

  describe('the access token', () => {
    let pair: TokenPair;

    beforeAll(async () => {
      pair = await signIn(api, me, ['read:tours', 'write:projects']);
    });

    it('is a JWT of type at+jwt, signed with ES256 by a named key', () => {
      expect(decode(pair.access_token).header).toEqual({
        alg: 'ES256',
        typ: 'at+jwt',
        kid: expect.stringMatching(/./),
      });
    });

    it('names issuer, audience, user, client and session, and nothing else', () => {
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

    it('has an id of its own each time', async () => {
      const again = await signIn(api, me);
      const [first, second] = [pair, again].map((each) => decode(each.access_token).claims);
      expect(second!['jti']).not.toBe(first!['jti']);
      expect(second!['sid']).not.toBe(first!['sid']);
    });

    it('and its refresh token are two kinds, signed by two keys', () => {
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

  describe('by another grant', () => {
    it.each([
      ['is missing', {}, 'invalid_request'],
      ['is null', { grant_type: null }, 'invalid_request'],
      ['is empty', { grant_type: '' }, 'invalid_request'],
      ['is unknown', { grant_type: 'authorization_code' }, 'unsupported_grant_type'],
      ['is of another case', { grant_type: 'Password' }, 'unsupported_grant_type'],
      ['is a name every object has', { grant_type: 'toString' }, 'unsupported_grant_type'],
    ])('is 400 where grant_type %s', async (_, grant, error) => {
      expectRefusal(await api.token({ ...passwordGrant(me), grant_type: undefined, ...grant }), { status: 400, error });
    });

    it.each([
      ['no body', undefined],
      ['a list', '[]'],
      ['null', 'null'],
      ['text', '"password"'],
    ])('is 400 where the body is %s', async (_, body) => {
      const answer = await api.post('/v1/api/oauth2/token', body, basic(me.clientId, me.clientSecret));
      expect(answer.status).toBe(400);
    });

    it('is 400 where a field is unknown, and names it', async () => {
      const { status, body } = await api.token({ ...passwordGrant(me), username: 'me' });
      expect(status).toBe(400);
      expect(body.details.errors).toEqual([expect.objectContaining({ field: 'username', code: 'unknown_field' })]);
    });
  });
});
