import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiResponse, Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { measureElapsed } from '../support/elapsed.js';
import { TestDatabase, TestService } from '../support/service.js';
import { sendUnfinished } from '../support/unfinished-requests.js';
import { passwordGrant, refresh, signIn, type TokenPair } from '../support/tokens.js';
import { Tunnel } from '../support/tunnel.js';
import { until } from '../support/until.js';

const PROJECTS = '/v1/api/projects';
const MIB = 1024 * 1024;

describe('the HTTP API', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let pair: TokenPair;
  let anonymous: Api;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    // The log contains everything that the service can log.
    service = await TestService.start(database, {
      LOG_LEVEL: 'trace',
      CORS_ORIGINS: 'http://other.test, https://app.test',
    });
    anonymous = new Api(service.baseUrl);
    me = await service.provision();
    pair = await signIn(anonymous, me);
    api = anonymous.withToken(pair.access_token);
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const cw = () => `/v2/api/workspaces/${me.workspaceId}/cw`;
  const table = (name: string, type?: string) => ({
    ...(type ? { type } : {}),
    name,
    columns: [{ name: 'Code', type: 'text' }],
    items: [{ code: 'A' }, { code: 'B' }],
  });

  describe('successful responses', () => {
    it('returns the same envelope on every endpoint', async () => {
      const project = await api.post(PROJECTS, { name: 'Boiler house' });
      const tour = await api.post('/v1/api/tours', { projectId: project.body.data.id, title: 'Ground floor' });
      const other = await signIn(anonymous, me);
      const answers: Record<string, ApiResponse> = {
        token: await anonymous.token(passwordGrant(me)),
        refresh: await refresh(anonymous, other.refresh_token),
        logout: await api.withToken(other.access_token).post('/v1/api/oauth2/logout'),
        project,
        projects: await api.get(PROJECTS),
        oneProject: await api.get(`${PROJECTS}/${project.body.data.id}`),
        tour,
        tours: await api.get('/v1/api/tours'),
        oneTour: await api.get(`/v1/api/tours/${tour.body.data.id}`),
        locations: await api.post(`${cw()}/locations/bulk`, { locations: [table('Places')] }),
        assets: await api.post(`${cw()}/assets/bulk`, { assets: [table('Things')] }),
        lists: await api.post(`${cw()}/lists/bulk`, { lists: [table('Codes')] }),
        all: await api.post(`${cw()}/bulk`, { tables: [table('Codes', 'list')] }),
        items: await api.get(`${cw()}/lists/Codes/items`),
      };
      for (const [name, { status, body }] of Object.entries(answers)) {
        expect({ name, ok: status >= 200 && status < 300 }).toEqual({ name, ok: true });
        expect(Object.keys(body)).toEqual(['status', 'message', 'timestamp', 'data']);
        expect(body).toMatchObject({ status, message: expect.any(String), timestamp: expect.any(Number) });
        expect(Math.abs(body.timestamp - Date.now())).toBeLessThan(60_000);
      }
      expect([project.status, tour.status]).toEqual([201, 201]);
    });

    it('returns JSON in UTF-8 with nosniff and without X-Powered-By', async () => {
      const { headers } = await api.get(PROJECTS);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    });

    it('returns the security headers of browsers', async () => {
      const { headers } = await api.get(PROJECTS);
      const policy = headers.get('content-security-policy')!.split(';');
      for (const each of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'self'"])
        expect(policy).toContain(each);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    });

    it('returns Cache-Control no-store and Strict-Transport-Security', async () => {
      for (const path of [PROJECTS, '/v1/api/tours', `${cw()}/lists/Codes/items`]) {
        const { headers } = await api.get(path);
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{8}/);
      }
      // The page validates it by its ETag when it is loaded again.
      expect((await anonymous.get('/openapi.json')).headers.get('cache-control')).toBe('no-cache');
    });

    it.each([
      ['/', 200],
      ['/dcos', 404],
      ['/one//two', 404],
    ])(
      'returns a page to a browser at %s, with the status %i and links to the pages of the service',
      async (path, status) => {
        const url = service.baseUrl + path;
        const answer = await fetch(url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
        const html = await answer.text();
        const links = [...html.matchAll(/<a href="([^"]+)"><strong>([^<]+)/g)];
        expect(links.map(([, , title]) => title)).toEqual(['Read the guide', 'Try the API', 'Look at tables']);
        for (const [, link] of links) expect((await fetch(new URL(link!, url))).status).toBe(200);
      },
    );

    it.each(['/v1/api/projcts', '/v3/api//tours', '*'])(
      'returns JSON at %s, whatever the caller accepts',
      async (path) => {
        const { hostname, port } = new URL(service.baseUrl);
        const call = request({ hostname, port, path, headers: { Accept: 'text/html, image/gif, *; q=.2, */*; q=.2' } });
        const [answer] = (await once(call.end(), 'response')) as [IncomingMessage];
        answer.resume();
        expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
      },
    );

    it('quotes an unknown path as text', async () => {
      const answer = await fetch(`${service.baseUrl}/a'%3Cimg src=x>`, { headers: { Accept: 'text/html' } });
      expect([answer.status, await answer.text()]).toEqual([404, expect.not.stringContaining('<img')]);
    });

    it('has the icon that browsers request', async () => {
      const answer = await fetch(`${service.baseUrl}/favicon.ico`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    });

    it('returns the status of GET and no body for HEAD', async () => {
      expect(await api.send(PROJECTS, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    });
  });

  describe('errors', () => {
    const json = { 'Content-Type': 'application/json' };

    /** Expects the common envelope, the request ID of the header, and no internals such as stack traces or SQL. */
    function expectFailure({ status, headers, body }: ApiResponse, expected: { status: number; error: string }): void {
      const { details, ...rest } = body;
      expect(rest).toEqual({
        status,
        message: expect.stringMatching(/\S/),
        timestamp: expect.any(Number),
        error: expected.error,
        requestId: headers.get('x-request-id'),
      });
      expect(status).toBe(expected.status);
      if (details !== undefined) expect(typeof details).toBe('object');
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(JSON.stringify(body)).not.toMatch(/\bat \S+ \(|node_modules|\.js:\d|SELECT |INSERT |QueryFailed|stack/);
    }

    it.each([
      '/v1',
      '/v1/api',
      '/v1/api/nothing',
      '/v3/api/tours',
      '/v1/api/tours/a/b',
      '/%2e%2e/etc/passwd',
      '//',
      '/favicon.png',
    ])('returns 404 for the unknown path %s, with and without credentials', async (path) => {
      expectFailure(await anonymous.get(path), { status: 404, error: 'not_found' });
      expectFailure(await api.post(path, {}), { status: 404, error: 'not_found' });
    });

    it('returns 405 with an Allow header for an unsupported method', async () => {
      const deleted = await api.send(PROJECTS, { method: 'DELETE' });
      expectFailure(deleted, { status: 405, error: 'method_not_allowed' });
      expect(deleted.headers.get('allow')!.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);

      const got = await anonymous.get('/v1/api/oauth2/token');
      expectFailure(got, { status: 405, error: 'method_not_allowed' });
      expect(got.headers.get('allow')).toBe('POST');

      const put = await api.send(`${PROJECTS}/${randomUUID()}`, { method: 'PUT', body: {} });
      expectFailure(put, { status: 405, error: 'method_not_allowed' });
      expect(put.headers.get('allow')!.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH']);
    });

    it.each([
      ['GET', 'bulk', 'POST'],
      ['DELETE', 'bulk', 'POST'],
      ['PUT', 'imports/x', 'DELETE, GET, HEAD'],
    ])('returns 405 for %s cw/%s, which is not a table path', async (method, path, allowed) => {
      const answer = await api.send(`${cw()}/${path}`, { method });
      expectFailure(answer, { status: 405, error: 'method_not_allowed' });
      expect(answer.headers.get('allow')!.split(', ').sort().join(', ')).toBe(allowed);
    });

    it.each(['nothing', 'nothing/Assets', 'nothing/Assets/items/a'])(
      'returns 404 for cw/%s, which contains no entity',
      async (path) => {
        for (const method of ['GET', 'PUT', 'POST'])
          expectFailure(await api.send(`${cw()}/${path}`, { method }), { status: 404, error: 'not_found' });
      },
    );

    it.each([
      ['truncated', '{"name": "x"'],
      ['not JSON', 'name=x'],
      ['followed by more', '{} {}'],
      ['single-quoted', "{'name': 'x'}"],
      ['a bare word', 'null'],
      ['a number', '5'],
      ['NaN', '{"name": NaN}'],
      ['an object with the key __proto__', '{"name": "x", "__proto__": {"admin": true}}'],
      ['an object with the key constructor', '{"name": "x", "a": {"constructor": {}}}'],
      ['an object with a duplicate key', '{"name": "x", "n\\u0061me": "y"}'],
      ['nested 33 levels deep', `{"name": ${'['.repeat(33)}${']'.repeat(33)}}`],
      ['nested a million levels deep', '['.repeat(MIB - 1)],
    ])('returns 400 if the body is %s', async (_, body) => {
      expectFailure(await api.post(PROJECTS, body), { status: 400, error: 'malformed_json' });
    });

    it('returns 400 if the body is not UTF-8', async () => {
      const body = Buffer.concat([Buffer.from('{"name": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
      expectFailure(await api.post(PROJECTS, body), { status: 400, error: 'malformed_json' });
    });

    it.each([
      ['text/plain', { 'Content-Type': 'text/plain' }],
      ['XML', { 'Content-Type': 'application/xml' }],
      ['a form', { 'Content-Type': 'multipart/form-data; boundary=x' }],
      ['an invalid media type', { 'Content-Type': 'json' }],
      ['JSON in UTF-7', { 'Content-Type': 'application/json; charset=utf-7' }],
      ['compressed JSON', { ...json, 'Content-Encoding': 'gzip' }],
      ['JSON in an unknown content coding', { ...json, 'Content-Encoding': 'zip' }],
      ['JSON in a content coding named like a method', { ...json, 'Content-Encoding': 'constructor' }],
      ['JSON in a content coding named like an accessor', { ...json, 'Content-Encoding': '__proto__' }],
    ])('returns 415 if the body is %s', async (_, headers) => {
      expectFailure(await api.post(PROJECTS, '{"name":"x"}', headers), {
        status: 415,
        error: 'unsupported_media_type',
      });
    });

    it('returns 415 for a body without Content-Type', async () => {
      for (const kind of [[], ['Content-Type:']]) {
        const answer = await sendRaw(
          `POST ${PROJECTS} HTTP/1.1`,
          `Authorization: Bearer ${pair.access_token}`,
          ...kind,
          'Content-Length: 2',
          '',
          '{}',
        );
        expect(answer).toMatch(
          /^HTTP\/1\.1 415 [^]*The Content-Type is missing\. Send application\/json\."[^]*"unsupported_media_type"/,
        );
      }
    });

    it('returns 413 with limit and size if the body is too large', async () => {
      const body = JSON.stringify({ name: 'x', description: 'y'.repeat(MIB) });
      const answer = await api.post(PROJECTS, body);
      expectFailure(answer, { status: 413, error: 'too_large' });
      expect(answer.body.details).toEqual({ limit: MIB, actual: body.length });
    });

    it('returns 413 if a body to a public endpoint exceeds 16 KiB', async () => {
      const sized = (bytes: number) => {
        const body = JSON.stringify({ ...passwordGrant(me), scope: ['api'] });
        return anonymous.post('/v1/api/oauth2/token', body.padEnd(bytes));
      };
      const answer = await sized(16 * 1024 + 1);
      expectFailure(answer, { status: 413, error: 'too_large' });
      expect(answer.body.details).toEqual({ limit: 16 * 1024, actual: 16 * 1024 + 1 });
      expect((await sized(16 * 1024)).status).toBe(200);
    });

    it('returns 413 if a chunked body exceeds the limit while it is read', async () => {
      const chunk = `10000\r\n${'y'.repeat(0x10000)}\r\n`;
      const head = [
        `POST ${PROJECTS} HTTP/1.1`,
        `Authorization: Bearer ${pair.access_token}`,
        'Content-Type: application/json',
      ];
      const answer = await sendRaw(...head, 'Transfer-Encoding: chunked', '', `${chunk.repeat(17)}0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*"error":"too_large"/);
    });

    it.each(['/v1/api/projects/%', '/v1/api/projects/%zz', '/v1/api/projects/%E0%A4%A', '/v1/api/tours/%C3%28'])(
      'returns 400 if the path %s is not percent-encoded UTF-8',
      async (path) => {
        const answer = await api.get(path);
        expectFailure(answer, { status: 400, error: 'invalid_request' });
        expect(answer.body.message).toBe(`"${path.split('/').at(-1)}" in the path is not percent-encoded UTF-8.`);
      },
    );

    it.each(['x', '1', '%00', '0190a6de-7c4e-7b1a-9c3f', "';--"])('returns 400 if an ID is %j', async (id) => {
      for (const path of [PROJECTS, '/v1/api/tours']) {
        const answer = await api.get(`${path}/${id}`);
        expectFailure(answer, { status: 400, error: 'invalid_request' });
        expect(answer.body.details.errors).toEqual([
          { field: 'id', code: 'invalid_field', message: 'id must be a UUID.' },
        ]);
      }
    });

    it('returns 404 for a table name that no table can have, and 400 for one with NUL', async () => {
      for (const name of ['%F0%9F%92%A5', '%EF%BF%BE', '%20', "';--", 'x'.repeat(5000)]) {
        expectFailure(await api.get(`${cw()}/lists/${name}/items`), { status: 404, error: 'not_found' });
      }
      expectFailure(await api.get(`${cw()}/lists/a%00b/items`), { status: 400, error: 'invalid_request' });
    });

    it('returns the same envelope for every kind of error', async () => {
      expectFailure(await anonymous.get(PROJECTS), { status: 401, error: 'unauthenticated' });
      expectFailure(await anonymous.withToken('x').get(PROJECTS), { status: 401, error: 'invalid_token' });
      expectFailure(await anonymous.withKey('x').get(PROJECTS), { status: 401, error: 'invalid_api_key' });
      expectFailure(await anonymous.token({ grant_type: 'password' }), { status: 401, error: 'invalid_client' });
      expectFailure(await anonymous.token({}), { status: 400, error: 'invalid_request' });
      expectFailure(await api.post(PROJECTS, {}), { status: 400, error: 'invalid_request' });
      expectFailure(await api.get(`${PROJECTS}/${randomUUID()}`), { status: 404, error: 'not_found' });
      const row = { lists: [{ ...table('Faulty'), items: [{ code: 5, nonsense: 1 }] }] };
      expectFailure(await api.post(`${cw()}/lists/bulk`, row), { status: 422, error: expect.any(String) as never });
    });
  });

  describe('the request ID and the log', () => {
    const logged = () => lines(service).filter((line) => line['requestId'] !== undefined);

    it('uses the X-Request-Id of the caller in the header, in the error body and in the log', async () => {
      const id = `mine-${randomUUID()}`;
      const { headers, body } = await api.get(`${PROJECTS}/${randomUUID()}`, { 'X-Request-Id': id });
      expect([headers.get('x-request-id'), body.requestId]).toEqual([id, id]);
      const line = await until(() => logged().find((each) => each['requestId'] === id), Boolean);
      expect(line).toMatchObject({ level: 'info', req: { method: 'GET', path: expect.stringContaining(PROJECTS) } });
      expect(line!['msg']).toMatch(/^GET \/v1\/api\/projects\/\S+ 404 \d+ ms$/);
    });

    it('uses a new UUID if the caller sends no X-Request-Id', async () => {
      const ids = await Promise.all([1, 2, 3].map(async () => (await api.get(PROJECTS)).headers.get('x-request-id')));
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.each([
      ['spaces', 'two words'],
      ['a tab', 'a\tb'],
      ['129 characters', 'x'.repeat(129)],
      ['nothing', ''],
      ['other letters', 'é'],
    ])('uses a new UUID if the X-Request-Id contains %s', async (_, id) => {
      const { headers } = await api.get(PROJECTS, { 'X-Request-Id': id });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('logs requests without the query string, and no health checks', async () => {
      await anonymous.get('/health/ready');
      const { headers } = await api.get(`${PROJECTS}?limit=7&cursor=sentinel-in-a-query`);
      await until(() => logged().some((line) => line['requestId'] === headers.get('x-request-id')), Boolean);
      expect(service.output.join('')).not.toContain('sentinel-in-a-query');
      expect(logged().some((line) => String(line['msg']).includes('/health/'))).toBe(false);
    });

    it('logs no secret', async () => {
      const secrets = [me.clientSecret, me.apiKey, pair.access_token, pair.refresh_token];
      const [signature] = pair.access_token.split('.').slice(2);
      for (const secret of secrets) {
        await anonymous.token({ ...passwordGrant(me), client_secret: secret, refresh_token: secret });
        await anonymous.token({ grant_type: secret, [secret]: secret });
        await anonymous.post('/v1/api/oauth2/token', `{"client_secret": "${secret}"`);
        await anonymous.post('/v1/api/oauth2/token', secret);
        await anonymous.post('/v1/api/oauth2/token', `client_secret=${secret}`, { 'Content-Type': secret });
        await refresh(anonymous, secret);
        await anonymous.withKey(secret).get(`${PROJECTS}?access_token=${secret}`);
        await anonymous.withToken(secret).get(`${PROJECTS}?cursor=${secret}`);
        await anonymous.get(PROJECTS, { Authorization: `Basic ${secret}` });
        await anonymous.get(`${PROJECTS}/${secret}`);
        await anonymous.get(`/v1/api/${secret}`);
      }
      const { headers } = await api.get(PROJECTS);
      // The lines of the requests before have been written, too.
      await until(() => logged().some((line) => line['requestId'] === headers.get('x-request-id')), Boolean);
      const log = service.output.join('');
      expect(log).toContain('POST /v1/api/oauth2/token 401');
      for (const secret of [...secrets, signature!, 'a'.repeat(64), 'b'.repeat(64)]) expect(log).not.toContain(secret);
    });
  });

  describe('CORS', () => {
    const preflightHeaders = (Origin: string) => ({ Origin, 'Access-Control-Request-Method': 'POST' });
    const preflight = (origin: string) =>
      anonymous.send(PROJECTS, {
        method: 'OPTIONS',
        headers: { ...preflightHeaders(origin), 'Access-Control-Request-Headers': 'authorization,content-type' },
      });

    it('allows CORS for an origin of CORS_ORIGINS and exposes the headers of the API', async () => {
      const { status, headers } = await preflight('https://app.test');
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('https://app.test');
      expect(headers.get('access-control-allow-methods')).toContain('POST');
      expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type');

      for (const caller of [api, anonymous]) {
        const answer = await caller.get(PROJECTS, { Origin: 'https://app.test' });
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.test');
        expect(answer.headers.get('access-control-expose-headers')).toContain('X-Request-Id,Retry-After,RateLimit');
        expect(answer.headers.get('vary')).toContain('Origin');
      }
    });

    it('does not allow CORS for an origin that is not in CORS_ORIGINS', async () => {
      for (const origin of ['https://evil.test', 'http://app.test', 'null']) {
        expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
        const { headers } = await api.get(PROJECTS, { Origin: origin });
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    });
  });

  describe('the operations endpoints', () => {
    it('reports that the process is alive and ready', async () => {
      const live = await anonymous.get('/health/live', { 'X-Request-Id': 'probe-1' });
      expect(live).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect(live.headers.get('x-request-id')).toBe('probe-1');
      expect(live.headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(await anonymous.get('/health/ready')).toMatchObject({ status: 200, body: { status: 'ok' } });
    });

    it('reports liveness to pages of allowed origins, and to HEAD', async () => {
      const url = `${service.baseUrl}/health/live`;
      const fromPage = await fetch(url, { headers: { Origin: 'https://app.test' } });
      expect(fromPage.headers.get('access-control-allow-origin')).toBe('https://app.test');
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405);
    });

    it('counts requests by route pattern, rows by outcome, and database connections', async () => {
      const id = randomUUID();
      await api.get(`${PROJECTS}/${id}`);
      await api.get(`/nothing/${id}`);
      const before = await metrics();
      const created = await api.post(`${cw()}/lists/bulk`, { lists: [table('Counted')] });
      await api.post(`${cw()}/lists/bulk`, { lists: [table('Counted')] });
      await api.post(`${cw()}/batches/${created.body.data.batchId}/undo`, {});
      const { body } = await anonymous.get('/metrics');
      const queues = ['virtual_stagings', 'previews', 'indexes'].map(
        (name) => `job_queue_age_seconds{queue="${name}"}`,
      );
      // The metrics omit what the database does not return within a second.
      const after = await until(metrics, (samples) => queues.every((queue) => queue in samples));
      const rows = (outcome: string) => `atrium_rows_total{entity="list",outcome="${outcome}"}`;
      const increase = (name: string) => after[name]! - (before[name] ?? 0);

      expect(after['http_requests_total{method="GET",route="/v1/api/projects/:id",status="404"}']).toBeGreaterThan(0);
      expect(
        increase(
          'http_requests_total{method="POST",route="/v2/api/workspaces/:workspaceId/cw/lists/bulk",status="200"}',
        ),
      ).toBe(1);
      expect(['created', 'unchanged', 'deleted'].map((outcome) => increase(rows(outcome)))).toEqual([2, 2, 2]);
      expect(after['database_pool_connections{state="total"}']).toBeGreaterThan(0);
      expect(after['nodejs_eventloop_lag_seconds']).toBeGreaterThanOrEqual(0);
      for (const queue of queues) expect(after[queue]).toBeGreaterThanOrEqual(0);
      expect(body).toContain('http_request_duration_seconds_bucket');
      expect(body).not.toContain(id);
      expect(body).not.toContain(me.workspaceId);
    });

    async function metrics(): Promise<Record<string, number>> {
      const { body } = await anonymous.get('/metrics');
      const samples = String(body)
        .split('\n')
        .filter((line) => line && !line.startsWith('#'));
      return Object.fromEntries(
        samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
      );
    }
  });

  it.each([
    ['is not HTTP', 400, 'invalid_request', 'hello\r\n\r\n'],
    ['has an invalid header', 400, 'invalid_request', 'GET /health HTTP/1.1\r\nHost: a\r\nX y: 1\r\n\r\n'],
    ['has headers of 20 KiB', 431, 'too_large', `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_480)}\r\n\r\n`],
  ])('returns an error with its request ID for a request that %s', async (_, status, error, request) => {
    const { answer } = await sendUnfinished(service.baseUrl, request);
    const [head, body] = answer.split('\r\n\r\n') as [string, string];
    const reported = JSON.parse(body) as Record<string, unknown>;
    expect(reported).toMatchObject({ status, error, message: expect.any(String), timestamp: expect.any(Number) });
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain(`X-Request-Id: ${reported.requestId as string}`);
    await until(() => service.output.join('').includes(reported.requestId as string), Boolean);
  });

  it('returns 431 to a caller that sends headers of two megabytes before it reads', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString())).pause();
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\nX: ');
    for (let sent = 0; sent < 32; sent++) {
      socket.write(piece);
      await sleep(10);
    }
    socket.end('\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 431 [^]*"error":"too_large"/);
  });

  /** Sends these lines over TCP; resolves to the raw response. */
  function sendRaw(...request: string[]): Promise<string> {
    const { port } = new URL(service.baseUrl);
    const [first, ...rest] = request;
    return new Promise((settle, fail) => {
      let answer = '';
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write([first, 'Host: atrium.test', 'Connection: close', ...rest].join('\r\n'));
      });
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.once('error', fail).once('close', () => settle(answer));
    });
  }
});

describe('the service without a database connection', () => {
  let database: TestDatabase;
  let tunnel: Tunnel;
  let service: TestService;
  let api: Api;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
    tunnel = await Tunnel.to(database);
    service = await TestService.start(database, { DATABASE_URL: tunnel.url });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await service?.stop();
    await tunnel?.close();
    await database?.drop();
  });

  async function expectUnavailable(): Promise<void> {
    const calls = [
      api.get(PROJECTS),
      api.post(PROJECTS, { name: 'x' }),
      api.get(`/v2/api/workspaces/${me.workspaceId}/cw/lists/Codes/items`),
      api.token(passwordGrant(me)),
    ];
    for (const { status, headers, body } of await Promise.all(calls)) {
      expect({ status, error: body.error }).toEqual({ status: 503, error: 'database_unavailable' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await api.get('/health/ready')).status).toBe(503);
    expect((await api.get('/health/live')).status).toBe(200);
  }

  async function expectAvailableWithin(ms: number): Promise<void> {
    const elapsed = measureElapsed();
    await until(
      () => api.get('/health/ready'),
      ({ status }) => status === 200,
    );
    // A busy machine delays timers.
    expect(elapsed()).toBeLessThan(ms + 3_000);
    expect((await api.get(PROJECTS)).status).toBe(200);
    expect((await api.post(PROJECTS, { name: 'After' })).status).toBe(201);
  }

  it('returns 503 without a database and is alive but not ready, and recovers with the database', async () => {
    expect((await api.get(PROJECTS)).status).toBe(200);
    await tunnel.close();
    await expectUnavailable();
    await tunnel.open();
    await expectAvailableWithin(2_000);
  });

  it('returns 503 if PostgreSQL runs but rejects connections to the database, and recovers', async () => {
    const other = await TestDatabase.create();
    const name = new URL(tunnel.url).pathname.slice(1);
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await other.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await expectUnavailable();
    await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    await expectAvailableWithin(2_000);
    await other.drop();
  });

  it('logs database errors without the parameters of statements', () => {
    const log = service.output.join('');
    expect(log).not.toContain(me.clientSecret);
    expect(log).not.toContain(me.apiKey);
    expect(log).not.toMatch(/unhandled/i);
  });
});

/** The log entries so far. */
function lines(service: TestService): Record<string, unknown>[] {
  return service.output
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
