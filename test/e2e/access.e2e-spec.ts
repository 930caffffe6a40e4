import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';

/** The table of section 5: what each scope grants, hierarchy and all. */
const GRANTS: Record<string, RegExp> = {
  api: /./,
  'read:tours': /^read:tours$/,
  'write:tours': /^(read|write):tours$/,
  'delete:tours': /^(read|write|delete):tours$/,
  'read:projects': /^read:projects$/,
  'write:projects': /^(read|write):projects$/,
  'delete:projects': /^(read|write|delete):projects$/,
  'read:users': /^read:users$/,
  'write:users': /^(read|write):users$/,
  'read:analytics': /^read:analytics$/,
  'read:workspaces': /^read:workspaces$/,
  'write:workspaces': /^(read|write):workspaces$/,
};

/** Routes that are open to everybody; any other is protected. */
const OPEN = [
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-authorization-server',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
  'GET /v1/public/attachments/{id}',
  'GET /v1/public/attachments/{id}/thumbnail',
  'POST /v1/api/oauth2/revoke',
  'POST /v1/api/oauth2/token',
  'POST /v1/public/saveThread',
  'POST /v1/public/saveThreadMessage',
];

/** Routes about the caller's own session, for which any scope will do. */
const OF_ANY_CALLER = [
  'DELETE /v1/api/sessions/{id}',
  'DELETE /v1/api/users/me/invitations/{id}',
  'GET /v1/api/sessions',
  'GET /v1/api/users/me/invitations',
  'POST /v1/api/oauth2/logout',
  'POST /v1/api/users/me/invitations/{id}/accept',
];

/** Are about the caller in person: an API key, which is bound to one workspace, answers no invitations. */
const OF_PERSONS = OF_ANY_CALLER.filter((name) => name.includes('/invitations'));

/** Looks at an API key and at nothing else (section 4.3). */
const OF_KEYS = ['POST /v1/api/notes/erp/webhook'];

const TOURS = '/v1/api/tours';

interface Route {
  method: string;
  path: string;
  /** The scopes it needs; empty where any caller will do. */
  scopes: string[];
  open: boolean;
  /** Does it look at keys alone? */
  ofKeys: boolean;
  /** Does it take a query? */
  takesQuery: boolean;
}

describe('access', () => {
  let database: TestDatabase;
  let service: TestService;
  let api: Api;
  let me: Credentials;
  let stranger: Credentials;
  let pair: TokenPair;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { MAX_SESSIONS_PER_USER: '1000' });
    api = new Api(service.baseUrl);
    [me, stranger] = await Promise.all([service.provision(), service.provision()]);
    pair = await signIn(api, me);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const withBearer = (token: string, at = api) => at.withToken(token).get(TOURS);

  function expectRefused(
    { status, headers, body }: Answer,
    error: string,
    message: unknown = expect.any(String),
  ): void {
    expect({ status, error: body.error, message: body.message }).toEqual({ status: 401, error, message });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  }

  const expectInvalidToken = (answer: Answer, message = 'The access token is invalid') => {
    expectRefused(answer, 'invalid_token', message);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  };

  describe('without credentials', () => {
    it('is refused, and told how to authenticate', async () => {
      const answer = await api.get(TOURS);
      expectRefused(answer, 'unauthenticated');
      // RFC 6750, section 3.1: no error code where no credentials were sent.
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    });

    it('is refused on every protected route, and on no open one', async () => {
      const all = await routes();
      expect(all.filter(isOpen).map(nameOf).sort()).toEqual(OPEN);
      for (const route of all) {
        const { status } = await call(route);
        expect({ ...route, unauthenticated: status === 401 }).toEqual({ ...route, unauthenticated: !isOpen(route) });
      }
    });

    it('is refused before the body is looked at, whatever is in it', async () => {
      for (const body of ['{ not json', '[]', '']) expectRefused(await api.post(TOURS, body), 'unauthenticated');
      expectRefused(await api.post(TOURS, '<xml/>', { 'Content-Type': 'text/xml' }), 'unauthenticated');
      expectRefused(await api.post(TOURS, Buffer.alloc(60 * 1024 * 1024)), 'unauthenticated');
    });

    it('is refused while the body has yet to be sent', async () => {
      const path = `/v2/api/workspaces/${me.workspaceId}/cw/bulk`;
      const answer = await answerTo(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40000000\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    });
  });

  describe('with an access token', () => {
    it('is granted', async () => {
      expect((await withBearer(pair.access_token)).status).toBe(200);
      expect((await api.get(TOURS, { Authorization: `bEARER ${pair.access_token}` })).status).toBe(200);
    });

    it.each([
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Bearer a.b.c',
      'Bearer ..',
      'Bearer null',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
    ])('is refused where the header is %j', async (Authorization) =>
      expectInvalidToken(await api.get(TOURS, { Authorization })),
    );

    it('is refused where the token stands in the address or the body', async () => {
      expectRefused(await api.get(`${TOURS}?access_token=${pair.access_token}`), 'unauthenticated');
      expectRefused(await api.post(TOURS, { access_token: pair.access_token }), 'unauthenticated');
    });

    it('is refused with a refresh token in its place, and the other way round', async () => {
      expectInvalidToken(await withBearer(pair.refresh_token));
      const { status, body } = await refresh(api, pair.access_token);
      expect({ status, message: body.message }).toEqual({
        status: 401,
        message: 'The refresh token is invalid or expired',
      });
      expect((await withBearer(pair.access_token)).status).toBe(200);
    });

    it('is refused on a session that nobody ever opened', async () => {
      const other = await TestDatabase.create();
      const sibling = await TestService.start(other);
      // A service of its own: the same issuer and secrets, but other keys and sessions.
      expectInvalidToken(await withBearer(pair.access_token, new Api(sibling.baseUrl)));
      await sibling.stop();
      await other.drop();
    });

    it('is refused where another address issued it, though signed with the same key', async () => {
      const elsewhere = await TestService.start(database, {
        PUBLIC_URL: 'https://elsewhere.test',
        MAX_SESSIONS_PER_USER: '1000',
      });
      const foreign = await signIn(new Api(elsewhere.baseUrl), me);
      expect(decode(foreign.access_token).header['kid']).toBe(decode(pair.access_token).header['kid']);
      expectInvalidToken(await withBearer(foreign.access_token));
      const { status, body } = await refresh(api, foreign.refresh_token);
      expect({ status, message: body.message }).toEqual({
        status: 401,
        message: 'The refresh token is invalid or expired',
      });
      await elsewhere.stop();
    });
  });

  describe('with a forged access token', () => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const es256 = (key: KeyObject) => (text: string) =>
      sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    const hs256 = (secret: string) => (text: string) => createHmac('sha256', secret).update(text).digest();
    const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

    /** My own token with another header, other claims and another signature. */
    function forge(header: object, claims: object, signature: (text: string) => Buffer): string {
      const mine = decode(pair.access_token);
      const text = `${encode({ ...mine.header, ...header })}.${encode({ ...mine.claims, ...claims })}`;
      return `${text}.${signature(text).toString('base64url')}`;
    }

    const genuine = () => Buffer.from(pair.access_token.split('.')[2]!, 'base64url');

    it.each(['none', 'None', 'NONE', '', 'ES384', 'RS256', 'PS256', 'EdDSA'])(
      'is refused with the algorithm %j',
      async (alg) => {
        expectInvalidToken(await withBearer(forge({ alg }, {}, () => Buffer.alloc(0))));
        expectInvalidToken(await withBearer(forge({ alg }, {}, genuine)));
      },
    );

    it('is refused where the public key is used as the secret of HS256', async () => {
      const keys = await database.query<{ public_key: string }>('SELECT public_key FROM signing_keys');
      expect(keys).toHaveLength(4);
      for (const { public_key } of keys) {
        for (const secret of [public_key, public_key.trim()]) {
          expectInvalidToken(await withBearer(forge({ alg: 'HS256' }, {}, hs256(secret))));
          expectInvalidToken(await withBearer(forge({ alg: 'ES256' }, {}, hs256(secret))));
        }
      }
    });

    it('is refused where a claim was changed under the genuine signature', async () => {
      expectInvalidToken(await withBearer(forge({}, { sub: stranger.userId }, genuine)));
      expectInvalidToken(await withBearer(forge({}, { exp: 4_000_000_000 }, genuine)));
    });

    it.each(['JWT', 'jwt', 'at+JWT2', 'rt+jwt', '', null, 5])('is refused where typ is %j', async (typ) => {
      expectInvalidToken(await withBearer(forge({ typ }, {}, genuine)));
    });

    it('is refused where somebody else signed it, in any way', async () => {
      expectInvalidToken(await withBearer(forge({}, {}, es256(own.privateKey))));
      expectInvalidToken(
        await withBearer(forge({ alg: 'RS256' }, {}, (text) => sign('sha256', Buffer.from(text), rsa.privateKey))),
      );
      expectInvalidToken(await withBearer(forge({}, {}, () => Buffer.alloc(64))));
      expectInvalidToken(await withBearer(forge({}, {}, () => Buffer.alloc(0))));
    });

    it.each([
      'unknown',
      randomUUID(),
      '../../../../etc/passwd',
      '/dev/null',
      "' OR '1'='1",
      "x' UNION SELECT 'key",
      '__proto__',
      'constructor',
      '\u0000',
      '',
      null,
      0,
      ['a'],
      {},
    ])('is refused where kid is %j', async (kid) => {
      expectInvalidToken(await withBearer(forge({ kid }, {}, es256(own.privateKey))));
      expectInvalidToken(await withBearer(forge({ kid }, {}, genuine)));
    });

    it('is refused where it brings its own key along, which nobody fetches', async () => {
      let fetched = 0;
      const port = await freePort();
      const server = createServer((_, response) => response.end(String(++fetched))).listen(port, '127.0.0.1');
      const url = `http://127.0.0.1:${port}/keys`;
      const jwk = own.publicKey.export({ format: 'jwk' });
      for (const header of [{ jwk }, { jku: url }, { x5u: url }, { jwk, jku: url, kid: 'mine' }]) {
        expectInvalidToken(await withBearer(forge(header, {}, es256(own.privateKey))));
      }
      await sleep(50);
      expect(fetched).toBe(0);
      server.close();
    });
  });

  describe('with an API key', () => {
    const withKey = (apiKey: string) => api.withKey(apiKey).get(TOURS);
    const expectNoKey = (answer: Answer) =>
      expectRefused(answer, 'invalid_api_key', 'The API key is invalid or has been revoked');

    it('is granted', async () => {
      expect((await withKey(me.apiKey)).status).toBe(200);
    });

    it('is refused where it is empty, mistyped, of another kind or of no service', async () => {
      const last = me.apiKey.at(-1) === 'x' ? 'y' : 'x';
      const middle = me.apiKey[20] === 'x' ? 'y' : 'x';
      const wrong = [
        '',
        'x',
        me.apiKey.slice(0, -1),
        me.apiKey.slice(0, -1) + last,
        me.apiKey.slice(0, 20) + middle + me.apiKey.slice(21),
        `${me.apiKey}x`,
        me.clientSecret,
        me.clientSecret.replace('wss_', 'wsk_'),
        pair.access_token,
      ];
      for (const apiKey of wrong) expectNoKey(await withKey(apiKey));
    });

    it("is refused where the key is another service's", async () => {
      const other = await TestService.start(database, { CREDENTIAL_PEPPER: 'c'.repeat(64) });
      expectNoKey(await new Api(other.baseUrl).withKey(me.apiKey).get(TOURS));
      await other.stop();
    });

    it('is refused where it stands in the address', async () => {
      expectRefused(await api.get(`${TOURS}?api_key=${me.apiKey}&X-API-Key=${me.apiKey}`), 'unauthenticated');
    });

    it('is granted beside a Basic header, which is for the token endpoint', async () => {
      expect((await api.withKey(me.apiKey).get(TOURS, { Authorization: 'Basic eDp5' })).status).toBe(200);
    });

    it('is bound to its workspace, though its user is a member of another', async () => {
      const { id } = await service.operator<{ id: string }>('workspace', 'create', '--name', 'Second');
      const workspaces = ['--workspace', me.workspaceId, '--workspace', id];
      const user = await service.operator<{ id: string }>(
        'user',
        'create',
        '--email',
        'two@example.com',
        ...workspaces,
      );
      const key = await service.operator<{ apiKey: string }>('api-key', 'create', '--user', user.id, '--workspace', id);
      const inWorkspace = async (workspaceId: string) =>
        (await api.withKey(key.apiKey).get(`${TOURS}?workspaceId=${workspaceId}`)).status;
      expect([await inWorkspace(id), await inWorkspace(me.workspaceId)]).toEqual([200, 404]);
    });
  });

  describe('with a Bearer beside an API key', () => {
    const both = (token: string, apiKey: string) =>
      api.with({ 'X-API-Key': apiKey }).get(TOURS, { Authorization: `Bearer ${token}` });

    it('is decided by the Bearer alone', async () => {
      expect((await both(pair.access_token, 'nonsense')).status).toBe(200);
      expectInvalidToken(await both('nonsense', me.apiKey));
      const narrow = await signIn(api, me, ['read:projects']);
      expect((await both(narrow.access_token, me.apiKey)).status).toBe(403);
    });

    it('is refused where the Bearer has expired', async () => {
      const hasty = await TestService.start(database, { ACCESS_TOKEN_TTL_S: '1', MAX_SESSIONS_PER_USER: '1000' });
      const { access_token } = await signIn(new Api(hasty.baseUrl), me);
      await hasty.stop();
      await sleep(1_100);
      expectInvalidToken(await both(access_token, me.apiKey), 'The access token has expired');
    });
  });

  describe('by scope', () => {
    it('is what the table of the specification says, on every route', async () => {
      const protectedRoutes = (await routes()).filter((route) => !route.open);
      expect(protectedRoutes.length).toBeGreaterThan(10);
      const ofAnyCaller = protectedRoutes.filter(({ scopes }) => scopes.length === 0);
      expect(ofAnyCaller.map(nameOf).sort()).toEqual(OF_ANY_CALLER);
      expect(protectedRoutes.filter(({ ofKeys }) => ofKeys).map(nameOf)).toEqual(OF_KEYS);
      const seen: string[] = [];
      const expected: string[] = [];
      for (const scope of Object.keys(GRANTS)) {
        const { access_token } = await signIn(api, me, [scope]);
        for (const route of protectedRoutes) {
          // A logout would end the session that the next routes are called with.
          if (route.path.endsWith('/logout')) continue;
          if (route.ofKeys) {
            // Whatever the scope: a token is as good as nothing.
            expect((await call(route, api.withToken(access_token))).status).toBe(401);
            continue;
          }
          const { status, headers, body } = await call(route, api.withToken(access_token));
          const [needed] = route.scopes;
          const what = `${scope}: ${route.method} ${route.path}`;
          seen.push(`${what} ${status === 403 ? `${body.error}; ${headers.get('www-authenticate')}` : 'granted'}`);
          const refusal = `insufficient_scope; Bearer error="insufficient_scope", scope="${needed}"`;
          const granted = needed === undefined || route.scopes.some((each) => GRANTS[scope]!.test(each));
          expected.push(`${what} ${granted ? 'granted' : refusal}`);
          expect([401, 405, 500, 503]).not.toContain(status);
        }
      }
      expect(seen).toEqual(expected);
      // None passes because nothing was asked of it: each scope but api is refused somewhere.
      const refused = Object.keys(GRANTS).filter((scope) =>
        seen.some((each) => each.startsWith(`${scope}: `) && !each.endsWith(' granted')),
      );
      expect(refused).toEqual(Object.keys(GRANTS).filter((scope) => scope !== 'api'));
    });

    it('is enough with one scope of several', async () => {
      const { access_token } = await signIn(api, me, ['read:users', 'delete:tours']);
      const caller = api.withToken(access_token);
      expect((await caller.get(TOURS)).status).toBe(200);
      expect((await caller.get('/v1/api/projects')).status).toBe(403);
    });

    it('never stands in the way of an API key, which has none, nor of a logout', async () => {
      for (const route of (await routes()).filter((each) => !each.open)) {
        const { status } = await call(route, api.withKey(me.apiKey));
        if (OF_PERSONS.includes(nameOf(route))) expect(status).toBe(403);
        else expect([401, 403]).not.toContain(status);
      }
      const narrow = await signIn(api, me, ['read:analytics']);
      expect((await api.withToken(narrow.access_token).post('/v1/api/oauth2/logout')).status).toBe(200);
    });
  });

  describe("to somebody else's workspace", () => {
    const surfaces = (workspaceId: string): [string, string, unknown?][] => [
      ['POST', `/v2/api/workspaces/${workspaceId}/cw/lists/bulk`, { lists: [table] }],
      ['POST', `/v2/api/workspaces/${workspaceId}/cw/bulk`, { tables: [{ type: 'list', ...table }] }],
      ['GET', `/v2/api/workspaces/${workspaceId}/cw/lists/Priorities/items`],
      ['GET', `/v1/api/tours?workspaceId=${workspaceId}`],
      ['GET', `/v1/api/projects?workspaceId=${workspaceId}`],
      ['POST', '/v1/api/projects', { name: 'Intruder', workspaceId }],
    ];
    const table = { name: 'Priorities', columns: [{ name: 'PRIOK', type: 'text' }], items: [{ priok: '1' }] };

    async function answers(caller: Api, workspaceId: string) {
      const all = await Promise.all(
        surfaces(workspaceId).map(([method, path, body]) => caller.send(path, { method, body })),
      );
      return all.map(({ body: { timestamp, requestId, ...rest } }) => ({
        known: [typeof timestamp, typeof requestId],
        ...rest,
      }));
    }

    it('answers exactly as to one that does not exist, and writes nothing', async () => {
      for (const caller of [api.withToken(pair.access_token), api.withKey(me.apiKey)]) {
        const foreign = await answers(caller, stranger.workspaceId);
        expect(new Set(foreign.map((each) => each.status))).toEqual(new Set([404]));
        expect(foreign).toEqual(await answers(caller, randomUUID()));
      }
      const owner = api.withKey(stranger.apiKey);
      expect((await owner.get('/v1/api/projects')).body.data.items).toEqual([]);
      expect((await owner.get(`/v2/api/workspaces/${stranger.workspaceId}/cw/lists/Priorities/items`)).status).toBe(
        404,
      );
    });

    it.each(['nonsense', '..', '%00', "'; DROP TABLE users --", '%F0%9F%92%A5'])(
      'is 404 where its id is %j',
      async (id) => {
        const path = `/v2/api/workspaces/${id === '..' ? '%2e%2e%2f' : id}/cw/lists/Priorities/items`;
        expect((await api.withKey(me.apiKey).get(path)).status).toBe(404);
      },
    );

    it("is one's own whatever the case of its id", async () => {
      const path = `/v2/api/workspaces/${me.workspaceId.toUpperCase()}/cw/lists/bulk`;
      expect((await api.withKey(me.apiKey).post(path, { lists: [table] })).status).toBe(201);
    });
  });

  describe('with a query', () => {
    const expectRefusal = ({ status, body }: Answer, name: string) =>
      expect({ name, status, error: body.error, details: body.details }).toEqual({
        name,
        status: 400,
        error: 'invalid_request',
        details: {
          total: 1,
          errors: [{ field: 'dryRun', code: 'unknown_field', message: 'dryRun is not known here' }],
        },
      });

    const callerOf = (route: Route) => (route.ofKeys ? api.withKey(me.apiKey) : api.withToken(pair.access_token));

    /** Health and metrics are asked by anybody's tools; RFC 6749, section 3.2: the token endpoint ignores what it does not know. */
    const isLenient = ({ path }: Route) => !/^\/v\d/.test(path) || /\/oauth2\/(token|revoke)$/.test(path);

    it('is refused by every route that takes none, before it does anything', async () => {
      const strict = (await routes()).filter((route) => !route.takesQuery && !isLenient(route));
      expect(strict.length).toBeGreaterThan(50);
      for (const route of strict) expectRefusal(await call(route, callerOf(route), '?dryRun=true'), nameOf(route));
      // A logout was among them, and did not happen.
      expect((await withBearer(pair.access_token)).status).toBe(200);
    });

    it('is not looked at where nobody knows the caller, or he may not', async () => {
      const { access_token } = await signIn(api, me, ['read:analytics']);
      for (const query of ['?dryRun=true', '?key=%ff%fe']) {
        for (const route of (await routes()).filter((each) => each.scopes.length > 0 && !each.ofKeys)) {
          const narrow = route.scopes.includes('read:analytics') ? 400 : 403;
          const answers = [await call(route, api, query), await call(route, api.withToken(access_token), query)];
          expect([nameOf(route), ...answers.map(({ status }) => status)]).toEqual([nameOf(route), 401, narrow]);
        }
      }
    });

    it('is refused by every route where it is no percent-encoded UTF-8', async () => {
      for (const route of await routes()) {
        const { status, body } = await call(route, callerOf(route), '?key=%ff%fe&dryRun=true');
        const message = '"key=%ff%fe" in the query is not percent-encoded UTF-8.';
        expect([nameOf(route), status, body.message ?? body.error_description]).toEqual([nameOf(route), 400, message]);
      }
    });

    it('is ignored by the endpoints of OAuth 2.0, by discovery and by health', async () => {
      for (const route of (await routes()).filter((each) => isLenient(each) && !/oauth2/.test(each.path))) {
        expect([nameOf(route), (await call(route, api, '?dryRun=true')).status]).toEqual([nameOf(route), 200]);
      }
      const body = { grant_type: 'password', client_id: me.clientId, client_secret: me.clientSecret };
      const { status, body: granted } = await api.post('/v1/api/oauth2/token?audience=atrium', body);
      expect(status).toBe(200);
      const token = { token: granted.data.refresh_token, client_id: me.clientId, client_secret: me.clientSecret };
      expect((await api.post('/v1/api/oauth2/revoke?x=1', token)).status).toBe(200);
    });
  });

  it('is decided in the order of caller, scope, workspace, body', async () => {
    const path = `/v2/api/workspaces/${stranger.workspaceId}/cw/lists/bulk`;
    const readOnly = await signIn(api, me, ['read:workspaces']);
    const tooLarge = Buffer.alloc(60 * 1024 * 1024);
    for (const body of ['{ not json', tooLarge]) {
      expect((await api.post(path, body)).status).toBe(401);
      expect((await api.withToken(readOnly.access_token).post(path, body)).status).toBe(403);
      expect((await api.withToken(pair.access_token).post(path, body)).status).toBe(404);
    }
    const mine = path.replace(stranger.workspaceId, me.workspaceId);
    expect((await api.withToken(pair.access_token).post(mine, '{ not json')).status).toBe(400);
    expect((await api.withToken(pair.access_token).post(mine, tooLarge)).status).toBe(413);
  });

  /** Every route of the interface description, with the scope that its security names. */
  async function routes(): Promise<Route[]> {
    const { body } = await api.get('/openapi.json');
    const operations = body.paths as Record<
      string,
      Record<string, { security?: Record<string, string[]>[]; parameters?: { in: string }[] }>
    >;
    return Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [], parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        scopes: [...new Set(security.flatMap((each) => Object.values(each).flat()))],
        open: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
        ofKeys: security.length > 0 && security.every((each) => 'apiKey' in each),
        takesQuery: parameters.some((each) => each.in === 'query'),
      })),
    );
  }

  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  const isOpen = (route: Route) => OPEN.includes(nameOf(route));

  /** Calls the route in the caller's own workspace, without a body and about things that do not exist. */
  const call = ({ method, path }: Route, caller = api, query = '') =>
    caller.send(
      path
        .replace('{workspaceId}', me.workspaceId)
        .replace('{table}', 'nothing')
        .replace(/\{\w+\}/g, randomUUID()) + query,
      { method },
    );

  /** What comes back on the wire to a request that ends where it is cut. */
  function answerTo(request: string): Promise<string> {
    return new Promise((settle, fail) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () => socket.write(request));
      socket.once('error', fail).once('data', (chunk: Buffer) => {
        settle(chunk.toString());
        socket.destroy();
      });
    });
  }
});
