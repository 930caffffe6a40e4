import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { type Credentials, unknownCredential } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

const ADDRESS = '203.0.113.7';

type Line = Record<string, unknown>;

describe('the log of requests', () => {
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { TRUST_PROXY: '127.0.0.1/32' });
    me = await service.provision();
  });

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const lines = (): Line[] =>
    service.output
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line);

  /** Sends a request with an ID. @returns its line. */
  async function lineOf(send: (api: Api) => Promise<unknown>, headers: Record<string, string> = {}): Promise<Line> {
    const requestId = randomUUID();
    await send(new Api(service.baseUrl, { 'X-Request-Id': requestId, 'X-Forwarded-For': ADDRESS, ...headers }));
    return until(() => Promise.resolve(lines().find((line) => line['requestId'] === requestId)));
  }

  it('has no error for a part of OData that the feed does not support, and not the options of a body', async () => {
    const path = `/odata/v4/${me.workspaceId}/$batch`;
    const batch = await lineOf((api) => api.post(path, '', { 'Content-Type': 'text/plain' }), {
      'X-API-Key': me.apiKey,
    });
    expect([batch['status'], batch['level']]).toEqual([501, 'info']);
    const query = `/odata/v4/${me.workspaceId}/assets_None/$query`;
    const line = await lineOf((api) => api.post(query, "$filter=name eq 'Secret'", { 'Content-Type': 'text/plain' }), {
      'X-API-Key': me.apiKey,
    });
    expect([line['status'], line['req']]).toEqual([404, { method: 'POST', path: query }]);
    expect(JSON.stringify(line)).not.toContain('Secret');
  });

  it('has status, route, caller, workspace and address of a request with an API key', async () => {
    const line = await lineOf((api) => api.get('/v1/api/projects?limit=5'), { 'X-API-Key': me.apiKey });
    expect(line).toEqual({
      level: 'info',
      time: expect.any(String),
      requestId: expect.any(String),
      req: { method: 'GET', path: '/v1/api/projects' },
      route: '/v1/api/projects',
      status: 200,
      userId: me.userId,
      apiKeyId: expect.stringMatching(/^[\da-f-]{36}$/),
      workspaceId: me.workspaceId,
      address: ADDRESS,
      responseTime: expect.any(Number),
      msg: expect.stringMatching(/^GET \/v1\/api\/projects 200 \d+ ms$/),
    });
  });

  it('has the client and the session of an access token', async () => {
    const { headers } = await new Api(service.baseUrl).signIn(me);
    const line = await lineOf((api) => api.get('/v1/api/projects'), headers);
    const caller = { userId: me.userId, clientId: me.clientId, sessionId: expect.stringMatching(/^[\da-f-]{36}$/) };
    expect(line).toMatchObject({ status: 200, ...caller, workspaceId: me.workspaceId });
    expect(line).not.toHaveProperty('apiKeyId');
  });

  it('has the pattern of the route, the workspace of the path, and the caller of one that is not theirs', async () => {
    const other = randomUUID();
    const line = await lineOf((api) => api.get(`/v2/api/workspaces/${other}/notes`), { 'X-API-Key': me.apiKey });
    const route = '/v2/api/workspaces/:workspaceId/notes';
    expect(line).toMatchObject({ status: 404, error: 'not_found', route, workspaceId: other, userId: me.userId });
  });

  it('finds rejected credentials and missing scopes by status and code', async () => {
    const anonymous = await lineOf((api) => api.get('/v1/api/projects'));
    const unknownKey = await lineOf((api) => api.get('/v1/api/projects'), { 'X-API-Key': unknownCredential('wsk_') });
    const secret = unknownCredential('wsc_');
    const signIn = await lineOf((api) =>
      api.token({ grant_type: 'password', client_id: secret, client_secret: secret }),
    );
    const { headers } = await new Api(service.baseUrl).signIn(me, ['read:projects']);
    const missingScope = await lineOf((api) => api.post('/v1/api/projects', { name: 'Rejected' }), headers);
    const rejected = lines().filter(({ status }) => status === 401 || status === 403);
    expect(rejected).toEqual([anonymous, unknownKey, signIn, missingScope]);
    expect(rejected.map(({ status, error, route, userId }) => ({ status, error, route, userId }))).toEqual([
      { status: 401, error: 'unauthenticated', route: '/v1/api/projects' },
      { status: 401, error: 'invalid_api_key', route: '/v1/api/projects' },
      { status: 401, error: 'invalid_client', route: '/v1/api/oauth2/token' },
      { status: 403, error: 'insufficient_scope', route: '/v1/api/projects', userId: me.userId },
    ]);
    for (const { address } of rejected) expect(address).toBe(ADDRESS);
    expect(JSON.stringify(lines())).not.toContain(secret);
    expect(JSON.stringify(lines())).not.toContain(me.apiKey);
  });

  it('has no route and no caller of an unknown path, and marks a response that its caller did not await', async () => {
    const unknown = await lineOf((api) => api.get('/nowhere'));
    expect(unknown).toMatchObject({ status: 404, error: 'not_found', address: ADDRESS });
    expect(Object.keys(unknown)).not.toEqual(expect.arrayContaining(['route']));
    const keys = `/v2/api/workspaces/${me.workspaceId}/api-keys`;
    const owner = await new Api(service.baseUrl).signIn(me);
    const { id, apiKey } = (await owner.post(keys, { name: 'Aborted' })).body.data as { id: string; apiKey: string };
    const isUsed = async () => (await owner.get(`${keys}/${id}`)).body.data.lastUsedAt !== null;
    const aborted = await lineOf(
      async ({ headers }) => {
        const { hostname, port } = new URL(service.baseUrl);
        // The body never arrives.
        const sent = request({ hostname, port, path: '/v1/api/projects', method: 'POST', headers });
        sent.on('error', () => undefined).setHeader('Content-Type', 'application/json');
        sent.setHeader('Content-Length', 2).write('{');
        await until(isUsed);
        sent.destroy();
      },
      { 'X-API-Key': apiKey },
    );
    expect(aborted).toMatchObject({ isAborted: true, route: '/v1/api/projects', userId: me.userId, address: ADDRESS });
    // No status was sent.
    expect(aborted).not.toHaveProperty('status');
    expect(unknown).not.toHaveProperty('isAborted');
  });

  it('has no internal error if callers disconnect before their body is read', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const body = '{"title":"Ground floor"}';
    const head = [`PATCH /v1/api/tours/${randomUUID()} HTTP/1.1`, 'Host: atrium', `X-API-Key: ${me.apiKey}`];
    const sent = [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n');
    const isReported = () => lines().some(({ error }) => error === 'incomplete_body' || error === 'internal_error');
    // The time until the service reads the body varies.
    for (let round = 0; round < 500 && !isReported(); round++) {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(sent);
      await sleep(1 + (round % 6));
      socket.destroy();
    }
    expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
    expect(isReported()).toBe(true);
  });

  it('has status and address of a request that could not be read', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const closed = once(socket.end('nonsense\r\n\r\n').resume(), 'close');
    const line = await until(() =>
      Promise.resolve(lines().find(({ req, reason }) => req === undefined && reason !== undefined)),
    );
    expect(line).toMatchObject({ status: 400, error: 'invalid_request', address: '127.0.0.1' });
    // Without a reset: the caller receives the response.
    await closed;
  });
});
