import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import type { Database } from '../support/database.js';
import { resolveShared } from '../support/openapi.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { decode, refresh, signIn, type TokenPair } from '../support/tokens.js';

/** The table of section 5: the scopes that each scope grants, including the hierarchy. */
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

/** Public routes; all others are protected. */
const OPEN = [
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
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

/** Any token ends its own session; only the scope `api` ends others. */
const OTHER_SESSION = 'DELETE /v1/api/sessions/{id}';

/**
 * Routes about the caller's own sessions and invitations: they accept any scope, but no API key, which is bound to one
 * workspace.
 */
const CALLER_ROUTES = [
  'DELETE /v1/api/sessions/{id}',
  'DELETE /v1/api/users/me/invitations/{id}',
  'GET /v1/api/sessions',
  'GET /v1/api/users/me/invitations',
  'POST /v1/api/oauth2/logout',
  'POST /v1/api/users/me/invitations/{id}/accept',
];

/** Accepts only an API key (section 4.3). */
const KEY_ROUTES = ['POST /v1/api/notes/erp/webhook'];

const TOURS = '/v1/api/tours';

interface Route {
  method: string;
  path: string;
  /** The required scopes; empty if any caller is allowed. */
  scopes: string[];
  open: boolean;
  /** Whether it accepts only API keys. */
  onlyKeys: boolean;
  /** Whether it has query parameters. */
  takesQuery: boolean;
}

/** An operation of the OpenAPI document. */
interface Documented {
  description: string;
  security?: Record<string, string[]>[];
  parameters?: { in: string }[];
}

/** The scopes that `Scope: …` at the end of a description names. */
/** The code of an error, also of one in the form of OData. */
function codeOf({ error }: { error: string | { code: string } }): string {
  return typeof error === 'string' ? error : error.code;
}

function scopesOf(description: string): string[] {
  const [, names = ''] = /Scope: (.*)\.$/.exec(description) ?? [];
  return [...names.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope!);
}

describe('access', () => {
  let database: Database;
  let service: SharedService;
  let api: Api;
  let me: Credentials;
  let outsider: Credentials;
  let pair: TokenPair;

  beforeAll(async () => {
    ({ database, service } = await shareService());
    api = new Api(service.baseUrl);
    [me, outsider] = await Promise.all([service.provision(), service.provision()]);
    pair = await signIn(api, me);
  });

  const withBearer = (token: string, instance = api) => instance.withToken(token).get(TOURS);

  function expectRejected(
    { status, headers, body }: ApiResponse,
    error: string,
    message: unknown = expect.any(String),
  ): void {
    expect({ status, error: body.error, message: body.message }).toEqual({ status: 401, error, message });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  }

  const expectInvalidToken = (answer: ApiResponse, message = 'The access token is invalid. Sign in again.') => {
    expectRejected(answer, 'invalid_token', message);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
  };

  describe('without credentials', () => {
    it('rejects a request without credentials with a challenge', async () => {
      const answer = await api.get(TOURS);
      expectRejected(answer, 'unauthenticated');
      // RFC 6750, section 3.1: no error code without credentials.
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    });

    it('every protected route rejects a request without credentials; no public one does', async () => {
      const all = await routes();
      expect(all.filter(isOpen).map(nameOf).sort()).toEqual(OPEN);
      for (const route of all) {
        const { status } = await call(route);
        expect({ ...route, unauthenticated: status === 401 }).toEqual({ ...route, unauthenticated: !isOpen(route) });
      }
    });

    it('rejects a request without credentials before the body is read, whatever it contains', async () => {
      for (const body of ['{ not json', '[]', '']) expectRejected(await api.post(TOURS, body), 'unauthenticated');
      expectRejected(await api.post(TOURS, '<xml/>', { 'Content-Type': 'text/xml' }), 'unauthenticated');
      expectRejected(await api.post(TOURS, Buffer.alloc(60 * 1024 * 1024)), 'unauthenticated');
    });

    it('rejects a request without credentials before the body is sent', async () => {
      const path = `/v2/api/workspaces/${me.workspaceId}/cw/bulk`;
      const answer = await sendRaw(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 40000000\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    });
  });

  describe('with an access token', () => {
    it('accepts an access token with the scheme in any letter case', async () => {
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
    ])('rejects the Authorization header %j', async (Authorization) =>
      expectInvalidToken(await api.get(TOURS, { Authorization })),
    );

    it('rejects an access token in the URL or the body', async () => {
      expectRejected(await api.get(`${TOURS}?access_token=${pair.access_token}`), 'unauthenticated');
      expectRejected(await api.post(TOURS, { access_token: pair.access_token }), 'unauthenticated');
    });

    it('rejects a refresh token as access token and an access token as refresh token', async () => {
      expectInvalidToken(await withBearer(pair.refresh_token));
      const { status, body } = await refresh(api, pair.access_token);
      expect({ status, message: body.message }).toEqual({
        status: 401,
        message: 'The refresh token is invalid or expired',
      });
      expect((await withBearer(pair.access_token)).status).toBe(200);
    });

    it('rejects an access token whose session another service opened', async () => {
      const other = await TestDatabase.create();
      const sibling = await TestService.start(other);
      // A separate service with the same issuer and secrets, but other keys and sessions.
      expectInvalidToken(await withBearer(pair.access_token, new Api(sibling.baseUrl)));
      await sibling.stop();
      await other.drop();
    });

    it('rejects an access token of another issuer, even if the same key signed it', async () => {
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

    /** The caller's token with another header, other claims and another signature. */
    function forge(header: object, claims: object, signature: (text: string) => Buffer): string {
      const mine = decode(pair.access_token);
      const text = `${encode({ ...mine.header, ...header })}.${encode({ ...mine.claims, ...claims })}`;
      return `${text}.${signature(text).toString('base64url')}`;
    }

    const genuine = () => Buffer.from(pair.access_token.split('.')[2]!, 'base64url');

    it.each(['none', 'None', 'NONE', '', 'ES384', 'RS256', 'PS256', 'EdDSA'])(
      'rejects a forged access token with the algorithm %j',
      async (alg) => {
        expectInvalidToken(await withBearer(forge({ alg }, {}, () => Buffer.alloc(0))));
        expectInvalidToken(await withBearer(forge({ alg }, {}, genuine)));
      },
    );

    it('rejects an access token signed by HS256 with the public key as secret', async () => {
      const keys = await database.query<{ public_key: string }>('SELECT public_key FROM signing_keys');
      expect(keys).toHaveLength(4);
      for (const { public_key } of keys) {
        for (const secret of [public_key, public_key.trim()]) {
          expectInvalidToken(await withBearer(forge({ alg: 'HS256' }, {}, hs256(secret))));
          expectInvalidToken(await withBearer(forge({ alg: 'ES256' }, {}, hs256(secret))));
        }
      }
    });

    it('rejects an access token if a claim was changed under the genuine signature', async () => {
      expectInvalidToken(await withBearer(forge({}, { sub: outsider.userId }, genuine)));
      expectInvalidToken(await withBearer(forge({}, { exp: 4_000_000_000 }, genuine)));
    });

    it.each(['JWT', 'jwt', 'at+JWT2', 'rt+jwt', '', null, 5])(
      'rejects an access token with the typ %j',
      async (typ) => {
        expectInvalidToken(await withBearer(forge({ typ }, {}, genuine)));
      },
    );

    it('rejects an access token with a signature of another key or an empty one', async () => {
      expectInvalidToken(await withBearer(forge({}, {}, es256(own.privateKey))));
      expectInvalidToken(
        await withBearer(forge({ alg: 'RS256' }, {}, (text) => sign('sha256', Buffer.from(text), rsa.privateKey))),
      );
      expectInvalidToken(await withBearer(forge({}, {}, () => Buffer.alloc(64))));
      expectInvalidToken(await withBearer(forge({}, {}, () => Buffer.alloc(0))));
    });

    // Concurrently, because an unknown kid waits for the next read of the keys.
    it('rejects an access token with an unknown or malformed kid', async () => {
      const kids = [
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
      ];
      const tokens = kids.flatMap((kid) => [forge({ kid }, {}, es256(own.privateKey)), forge({ kid }, {}, genuine)]);
      for (const answer of await Promise.all(tokens.map((token) => withBearer(token)))) expectInvalidToken(answer);
    });

    it('rejects an access token with a key or key URL in its header, and does not fetch the URL', async () => {
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
    const expectNoKey = (answer: ApiResponse) =>
      expectRejected(answer, 'invalid_api_key', 'The API key is invalid, has expired or has been revoked');

    it('accepts an API key', async () => {
      expect((await withKey(me.apiKey)).status).toBe(200);
    });

    it('rejects an API key that is empty, mistyped or of another kind', async () => {
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

    it('rejects an API key of another service', async () => {
      const other = await TestService.start(database, { CREDENTIAL_PEPPER: 'c'.repeat(64) });
      expectNoKey(await new Api(other.baseUrl).withKey(me.apiKey).get(TOURS));
      await other.stop();
    });

    it('rejects an API key in the URL', async () => {
      expectRejected(await api.get(`${TOURS}?api_key=${me.apiKey}&X-API-Key=${me.apiKey}`), 'unauthenticated');
    });

    it('accepts an API key together with a Basic header, which is only for the token endpoint', async () => {
      expect((await api.withKey(me.apiKey).get(TOURS, { Authorization: 'Basic eDp5' })).status).toBe(200);
    });

    it('limits an API key to its workspace, even if its user is a member of another', async () => {
      const { id } = await service.operator<{ id: string }>(
        'workspace',
        'create',
        '--name',
        'Second of the access tests',
      );
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

  describe('with a Bearer token and an API key', () => {
    const both = (token: string, apiKey: string) =>
      api.with({ 'X-API-Key': apiKey }).get(TOURS, { Authorization: `Bearer ${token}` });

    it('uses only the Bearer token if a request also has an API key', async () => {
      expect((await both(pair.access_token, 'nonsense')).status).toBe(200);
      expectInvalidToken(await both('nonsense', me.apiKey));
      const narrow = await signIn(api, me, ['read:projects']);
      expect((await both(narrow.access_token, me.apiKey)).status).toBe(403);
    });
  });

  describe('by scope', () => {
    it('every route requires the scopes of the table in the specification', async () => {
      const protectedRoutes = (await routes()).filter((route) => !route.open);
      expect(protectedRoutes.length).toBeGreaterThan(10);
      const callerRoutes = protectedRoutes.filter(({ scopes }) => scopes.length === 0);
      expect(callerRoutes.map(nameOf).sort()).toEqual(CALLER_ROUTES);
      expect(protectedRoutes.filter(({ onlyKeys }) => onlyKeys).map(nameOf)).toEqual(KEY_ROUTES);
      const seen: string[] = [];
      const expected: string[] = [];
      for (const scope of Object.keys(GRANTS)) {
        const { access_token } = await signIn(api, me, [scope]);
        for (const route of protectedRoutes) {
          // A logout would revoke the session of the following requests.
          if (route.path.endsWith('/logout')) continue;
          if (route.onlyKeys) {
            // A token is ignored, whatever its scope.
            expect((await call(route, api.withToken(access_token))).status).toBe(401);
            continue;
          }
          const { status, headers, body } = await call(route, api.withToken(access_token));
          const [needed] = nameOf(route) === OTHER_SESSION ? ['api'] : route.scopes;
          const what = `${scope}: ${route.method} ${route.path}`;
          seen.push(`${what} ${status === 403 ? `${codeOf(body)}; ${headers.get('www-authenticate')}` : 'granted'}`);
          const rejection = `insufficient_scope; Bearer error="insufficient_scope", scope="${needed}"`;
          const granted = needed === undefined || [needed, ...route.scopes].some((each) => GRANTS[scope]!.test(each));
          expected.push(`${what} ${granted ? 'granted' : rejection}`);
          expect([401, 405, 500, 503]).not.toContain(status);
        }
      }
      expect(seen).toEqual(expected);
      // Each scope except api is rejected by some route, so no scope passes only for lack of a check.
      const rejected = Object.keys(GRANTS).filter((scope) =>
        seen.some((each) => each.startsWith(`${scope}: `) && !each.endsWith(' granted')),
      );
      expect(rejected).toEqual(Object.keys(GRANTS).filter((scope) => scope !== 'api'));
    });

    it('a route with several scopes requires only one of them', async () => {
      const { access_token } = await signIn(api, me, ['read:users', 'delete:tours']);
      const caller = api.withToken(access_token);
      expect((await caller.get(TOURS)).status).toBe(200);
      expect((await caller.get('/v1/api/projects')).status).toBe(403);
    });

    it('scopes do not restrict an API key, which has none, or a logout', async () => {
      for (const route of (await routes()).filter((each) => !each.open)) {
        const { status } = await call(route, api.withKey(me.apiKey));
        if (CALLER_ROUTES.includes(nameOf(route))) expect(status).toBe(401);
        else expect([401, 403]).not.toContain(status);
      }
      const narrow = await signIn(api, me, ['read:analytics']);
      expect((await api.withToken(narrow.access_token).post('/v1/api/oauth2/logout')).status).toBe(200);
    });
  });

  describe("to another user's workspace", () => {
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

    it('another workspace returns the same as one that does not exist, and nothing is written', async () => {
      for (const caller of [api.withToken(pair.access_token), api.withKey(me.apiKey)]) {
        const foreign = await answers(caller, outsider.workspaceId);
        expect(new Set(foreign.map((each) => each.status))).toEqual(new Set([404]));
        expect(foreign).toEqual(await answers(caller, randomUUID()));
      }
      const owner = api.withKey(outsider.apiKey);
      expect((await owner.get('/v1/api/projects')).body.data.items).toEqual([]);
      expect((await owner.get(`/v2/api/workspaces/${outsider.workspaceId}/cw/lists/Priorities/items`)).status).toBe(
        404,
      );
    });

    it.each(['nonsense', '..', '%00', "'; DROP TABLE users --", '%F0%9F%92%A5'])(
      'returns 404 for the workspace ID %j',
      async (id) => {
        const path = `/v2/api/workspaces/${id === '..' ? '%2e%2e%2f' : id}/cw/lists/Priorities/items`;
        expect((await api.withKey(me.apiKey).get(path)).status).toBe(404);
      },
    );

    it('a member has access to a workspace with its ID in any letter case', async () => {
      const path = `/v2/api/workspaces/${me.workspaceId.toUpperCase()}/cw/lists/bulk`;
      expect((await api.withKey(me.apiKey).post(path, { lists: [table] })).status).toBe(201);
    });
  });

  describe('with a query', () => {
    const expectRejection = ({ status, body }: ApiResponse, name: string) =>
      expect({ name, status, error: body.error, details: body.details }).toEqual({
        name,
        status: 400,
        error: 'invalid_request',
        details: {
          total: 1,
          errors: [{ field: 'dryRun', code: 'unknown_field', message: '"dryRun" is not a known field. Omit it.' }],
        },
      });

    const callerOf = (route: Route) => (route.onlyKeys ? api.withKey(me.apiKey) : api.withToken(pair.access_token));

    /**
     * Health and metrics are called by third-party tools. The token endpoint ignores unknown parameters (RFC 6749,
     * section 3.2).
     */
    const isLenient = ({ path }: Route) => !/^\/v\d/.test(path) || /\/oauth2\/(token|revoke)$/.test(path);

    it('every route without query parameters rejects a query before it does anything', async () => {
      const strict = (await routes()).filter((route) => !route.takesQuery && !isLenient(route));
      expect(strict.length).toBeGreaterThan(50);
      for (const route of strict) expectRejection(await call(route, callerOf(route), '?dryRun=true'), nameOf(route));
      // One of them is the logout, which did not happen.
      expect((await withBearer(pair.access_token)).status).toBe(200);
    });

    it('a query is validated only after authentication and authorization', async () => {
      const { access_token } = await signIn(api, me, ['read:analytics']);
      for (const query of ['?dryRun=true', '?key=%ff%fe']) {
        for (const route of (await routes()).filter((each) => each.scopes.length > 0 && !each.onlyKeys)) {
          const narrow = route.scopes.includes('read:analytics') ? 400 : 403;
          const answers = [await call(route, api, query), await call(route, api.withToken(access_token), query)];
          expect([nameOf(route), ...answers.map(({ status }) => status)]).toEqual([nameOf(route), 401, narrow]);
        }
      }
    });

    it('every route rejects a query that is not percent-encoded UTF-8', async () => {
      for (const route of await routes()) {
        const { status, body } = await call(route, callerOf(route), '?key=%ff%fe&dryRun=true');
        const message = '"key=%ff%fe" in the query is not percent-encoded UTF-8.';
        const { message: received = body.error_description ?? body.error.message } = body;
        expect([nameOf(route), status, received]).toEqual([nameOf(route), 400, message]);
      }
    });

    it('the endpoints of OAuth 2.0, discovery and health ignore a query', async () => {
      // The feed of OData has rules of its own, in a suite of its own.
      for (const route of (await routes()).filter((each) => isLenient(each) && !/oauth2|odata/.test(each.path))) {
        expect([nameOf(route), (await call(route, api, '?dryRun=true')).status]).toEqual([nameOf(route), 200]);
      }
      const body = { grant_type: 'password', client_id: me.clientId, client_secret: me.clientSecret };
      const { status, body: granted } = await api.post('/v1/api/oauth2/token?audience=atrium', body);
      expect(status).toBe(200);
      const token = { token: granted.data.refresh_token, client_id: me.clientId, client_secret: me.clientSecret };
      expect((await api.post('/v1/api/oauth2/revoke?x=1', token)).status).toBe(200);
    });
  });

  it('a request is validated in the order caller, scope, workspace, body', async () => {
    const path = `/v2/api/workspaces/${outsider.workspaceId}/cw/lists/bulk`;
    const readOnly = await signIn(api, me, ['read:workspaces']);
    const tooLarge = Buffer.alloc(60 * 1024 * 1024);
    for (const body of ['{ not json', tooLarge]) {
      expect((await api.post(path, body)).status).toBe(401);
      expect((await api.withToken(readOnly.access_token).post(path, body)).status).toBe(403);
      expect((await api.withToken(pair.access_token).post(path, body)).status).toBe(404);
    }
    const mine = path.replace(outsider.workspaceId, me.workspaceId);
    expect((await api.withToken(pair.access_token).post(mine, '{ not json')).status).toBe(400);
    expect((await api.withToken(pair.access_token).post(mine, tooLarge)).status).toBe(413);
  });

  /** Every route of the OpenAPI document, with the scopes that its description names. */
  async function routes(): Promise<Route[]> {
    const { body } = await api.get('/openapi.json');
    const { paths: operations } = resolveShared(body) as {
      paths: Record<string, Record<string, Documented>>;
    };
    return Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { description, security = [], parameters = [] }]) => ({
        method: method.toUpperCase(),
        path,
        scopes: scopesOf(description),
        open: security.length === 0 || security.some((each) => Object.keys(each).length === 0),
        onlyKeys: security.length > 0 && security.every((each) => 'apiKey' in each),
        takesQuery: parameters.some((each) => each.in === 'query'),
      })),
    );
  }

  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  const isOpen = (route: Route) => OPEN.includes(nameOf(route));

  /** Calls the route in the workspace of `me`, without a body and with IDs that do not exist. */
  const call = ({ method, path }: Route, caller = api, query = '') =>
    caller.send(
      path
        .replace('{workspaceId}', me.workspaceId)
        .replace('{entity}', 'lists')
        .replace('{table}', 'nothing')
        .replace(/\{\w+\}/g, randomUUID()) + query,
      { method },
    );

  /** The raw response to an incomplete request. */
  function sendRaw(request: string): Promise<string> {
    return new Promise((settle, fail) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1', () => socket.write(request));
      socket.once('error', fail).once('data', (chunk: Buffer) => {
        settle(chunk.toString());
        socket.destroy();
      });
    });
  }
});
