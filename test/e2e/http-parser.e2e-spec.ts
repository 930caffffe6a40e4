import { once } from 'node:events';
import { connect } from 'node:net';
import { Api } from '../support/api.js';
import { until } from '../support/until.js';
import { type SharedService, shareService } from '../support/shared-services.js';

/** Answers that Node would send without a body, or in another form. */
describe('requests that do not reach a route', () => {
  let service: SharedService;

  beforeAll(async () => {
    ({ service } = await shareService());
  });

  const get = (...headers: string[]) => ['GET /v1/api/projects HTTP/1.1', 'Connection: close', ...headers];

  it.each<[string, string[], number, string]>([
    ['an unknown Expect', get('Host: x', 'Expect: nonsense'), 417, 'invalid_request'],
    ['no Host', get(), 400, 'invalid_request'],
    ['two Hosts', get('Host: x', 'Host: y'), 400, 'invalid_request'],
    ['two tokens', get('Host: x', 'Authorization: Bearer x', 'Authorization: Bearer y'), 401, 'invalid_token'],
    ['CONNECT', ['CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'], 405, 'method_not_allowed'],
    ['long headers', get('Host: x', `X-Long: ${'x'.repeat(20_000)}`), 431, 'too_large'],
    ['a broken request line', ['GET  HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['a space before the colon', get('Host: x', 'Accept : */*'), 400, 'invalid_request'],
    ['another version', ['GET / HTTP/3.0', 'Host: x'], 400, 'invalid_request'],
    ['two lengths', get('Host: x', 'Content-Length: 1', 'Content-Length: 2'), 400, 'invalid_request'],
    ['a length and chunks', get('Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked'), 400, 'invalid_request'],
    ['an absolute URL without a valid host', ['GET http://[/v1 HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['a URL with a user name', ['GET http://a@x/v1 HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['a URL of another scheme', ['GET ftp://x/health/live HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['an absolute URL without Host', ['GET http://x/ HTTP/1.1', 'Connection: close'], 400, 'invalid_request'],
    ['a "#" in the query', ['GET /health/live?a=A#1&b=2 HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['a "#" in an absolute URL', ['GET http://x/health/live?a=A#1&b=2 HTTP/1.1', 'Host: x'], 400, 'invalid_request'],
    ['an unknown upgrade', get('Host: x', 'Upgrade: nonsense'), 401, 'unauthenticated'],
  ])('have the usual error body: %s', async (_, lines, status, error) => {
    const { headers, body } = await sendRaw([...lines, '', ''].join('\r\n'));
    expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toEqual({
      status,
      message: expect.stringMatching(/^[A-Z].*\.$/),
      timestamp: expect.any(Number),
      error,
      requestId: expect.stringMatching(/./),
    });
    const { requestId } = JSON.parse(body) as { requestId: string };
    expect(headers).toContain(`X-Request-Id: ${requestId}`);
  });

  it('do not end the service if the connection of CONNECT is reset', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    for (const state of ['sent', 'answered', 'ended'] as const) {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      await once(socket, 'connect');
      socket.write('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n');
      if (state !== 'sent') await once(socket, 'data');
      if (state === 'ended') await once(socket, 'end');
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
    expect(service.output.join('')).not.toContain('uncaughtException');
  });

  it.each([
    ['http://other.example/health/live', 200],
    ['HTTPS://other.example:8443/health/live', 200],
    ['http://other.example/health/../health/live', 404],
    ['http://other.example//health/live', 404],
    ['http://other.example/v1/api/projects?q=/import', 401],
  ])('have the path of an absolute URL: %s', async (target, status) => {
    const { headers } = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('are executed one after the other if they are pipelined, and not if their connection ends before', async () => {
    const { apiKey, workspaceId } = await service.provision();
    const api = new Api(service.baseUrl).withKey(apiKey);
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = (line: string, id: string) =>
      `${line} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nX-Request-Id: ${id}\r\n`;
    const create = (name: string, id: string) => {
      const body = JSON.stringify({ name });
      const type = 'Content-Type: application/json';
      return `${head('POST /v1/api/projects', id)}${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const wait = `${head(`GET /v2/api/workspaces/${workspaceId}/events?wait=55&types=note.*`, `${apiKey.slice(-8)}-wait`)}\r\n`;
    socket.write(create('First', 'first') + create('Second', 'second') + wait + create('Third', 'third'));
    let received = '';
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received += String(chunk);
      if (received.match(/X-Request-Id: (first|second)/g)?.length === 2) break;
    }
    const lines = received.match(/HTTP\/1.1 \d+ \w+|X-Request-Id: \w+/g);
    const created = ['first', 'second'].flatMap((id) => ['HTTP/1.1 201 Created', `X-Request-Id: ${id}`]);
    expect(lines).toEqual(created);
    socket.resetAndDestroy();
    const logged = () => service.output.join('').includes(`${apiKey.slice(-8)}-wait`);
    await until(() => Promise.resolve(logged()), Boolean);
    const { body } = await api.get('/v1/api/projects');
    expect(body.data.items.map(({ name }: { name: string }) => name).sort()).toEqual(['First', 'Second']);
  });

  it('are answered after the responses to complete requests before them', async () => {
    const { apiKey } = await service.provision();
    const body = JSON.stringify({ name: 'Before' });
    const head = `POST /v1/api/projects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json`;
    const create = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { headers, body: rest } = await sendRaw(`${create}${create}no request\r\n\r\n`);
    expect(`${headers}${rest}`.match(/HTTP\/1.1 \d+ \w+/g)).toEqual([
      'HTTP/1.1 201 Created',
      'HTTP/1.1 201 Created',
      'HTTP/1.1 400 Bad',
    ]);
  });

  it('return 405 for TRACE', async () => {
    const { headers, body } = await sendRaw('TRACE /v1/api/projects HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1.1 405 /);
    expect(JSON.parse(body)).toMatchObject({ error: 'method_not_allowed' });
  });

  it('have the ID that the caller sent', async () => {
    const { body } = await sendRaw([...get('Host: x', 'Expect: x', 'X-Request-Id: mine'), '', ''].join('\r\n'));
    expect(JSON.parse(body)).toMatchObject({ requestId: 'mine' });
  });

  it('has the form of OData below its path', async () => {
    const { body } = await sendRaw('GET /odata/v4/x/y HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it('do not exist in HTTP/1.0 without Host', async () => {
    const { headers } = await sendRaw('GET /health/live HTTP/1.0\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1.1 200 /);
  });

  it.each([
    'status[]=active&status[]=archived',
    'status%5B%5D=active',
    'status=active&status=archived',
    'fields[]=id&fields[]=name',
  ])('lists of other clients are accepted: %s', async (query) => {
    const { apiKey } = await service.provision();
    const api = new Api(service.baseUrl).withKey(apiKey);
    await api.post('/v1/api/projects', { name: 'Listed' });
    const { status, body } = await api.get(`/v1/api/projects?${query}`);
    expect([status, body.data.items.length]).toEqual([200, 1]);
    expect((await api.get(`/v1/api/projects?limit[]=5`)).status).toBe(400);
  });

  async function sendRaw(request: string): Promise<{ headers: string; body: string }> {
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(request);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    const end = text.indexOf('\r\n\r\n');
    return { headers: text.slice(0, end), body: text.slice(end + 4) };
  }
});
