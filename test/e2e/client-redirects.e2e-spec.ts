import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AtriumClient, ConnectionError, RedirectError } from '@atrium/client';
import { CommandLine } from '../support/command-line.js';
import type { Credentials } from '../support/credentials.js';

const CREDENTIALS = { clientId: 'client', clientSecret: 'secret' };
const WORKSPACE = '0199aaaa-0000-7000-8000-000000000000';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handler: Handler): Promise<Server & { baseUrl: string }> {
  const server = createServer((request, response) => {
    request.resume();
    handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return Object.assign(server, { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Every kind of request that the client sends. */
const KINDS: [string, (client: AtriumClient) => Promise<unknown>][] = [
  ['a read', (client) => client.get('/v1/api/tours')],
  ['a page', (client) => collect(client.pages('/v1/api/tours'))],
  ['a write', (client) => client.post('/v1/api/projects', { body: { name: 'Project' } })],
  ['a change', (client) => client.patch('/v1/api/projects/{id}', { params: { path: { id: WORKSPACE } }, body: {} })],
  ['a deletion', (client) => client.delete('/v1/api/projects/{id}', { params: { path: { id: WORKSPACE } } })],
  ['an upsert', (client) => client.assets('Pumps').upsert([{ key: 'a' }])],
  [
    'an import of a blob',
    (client) => client.assets('Pumps').import(new Blob(['key\na\n']), { format: 'csv' } as never),
  ],
  ['an import of rows', (client) => client.assets('Pumps').import([{ key: 'a' }] as never)],
  ['a comparison', (client) => collect(client.assets('Pumps').compare([{ key: 'a' }] as never))],
  ['an export', (client) => collect(client.assets('Pumps').snapshot())],
  ['changes', (client) => collect(client.assets('Pumps').changes({ since: 0 }))],
  ['events', (client) => collect(client.events())],
  [
    'a note with a file',
    (client) => client.notes.create({ title: 'Note', files: [{ name: 'a.txt', data: new Blob(['a']) }] as never }),
  ],
];

describe('redirects', () => {
  let other: Server & { baseUrl: string };
  let service: Server & { baseUrl: string };
  let status: number;
  let received: IncomingMessage[];

  beforeAll(async () => {
    other = await listen((request, response) => {
      received.push(request);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"items":[]}}');
    });
    service = await listen(({ url }, response) => {
      response.writeHead(status, { location: other.baseUrl + url! }).end();
    });
  });

  beforeEach(() => {
    received = [];
  });

  afterAll(() => {
    for (const server of [other, service]) {
      server.closeAllConnections();
      server.close();
    }
  });

  const connect = (baseUrl: string, credentials: object = { apiKey: 'key' }): AtriumClient =>
    new AtriumClient({ baseUrl, workspaceId: WORKSPACE, maxAttempts: 1, ...credentials });

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no error',
      (error: unknown) => error,
    );

  for (const each of [301, 302, 303, 307, 308])
    it.each(KINDS)(`to another origin are not followed: ${each} for %s`, async (_name, send) => {
      status = each;
      const error = await failureOf(send(connect(service.baseUrl)));
      expect(received).toEqual([]);
      // A body that is a stream cannot be sent again, so fetch reports the redirect as a failure.
      if (!(error instanceof ConnectionError)) expect(error).toBeInstanceOf(RedirectError);
    });

  it('to another origin do not receive the client secret', async () => {
    for (status of [302, 307]) {
      const client = connect(service.baseUrl, CREDENTIALS);
      await expect(client.get('/v1/api/tours')).rejects.toThrow(
        `${service.baseUrl} redirects to ${other.baseUrl}/v1/api/oauth2/token. Credentials are sent only to the base URL`,
      );
    }
    expect(received).toEqual([]);
  });

  it('within the origin are followed, with the body of a POST only after 307 and 308', async () => {
    const paths: string[] = [];
    const moved = await listen((request, response) => {
      paths.push(`${request.method} ${request.url}`);
      if (request.url!.startsWith('/old')) response.writeHead(status, { location: request.url!.slice(4) }).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"items":[]}}');
    });
    const client = connect(`${moved.baseUrl}/old`);
    const write = () => client.post('/v1/api/projects', { body: { name: 'Project' } });
    status = 302;
    await client.get('/v1/api/tours');
    await expect(write()).rejects.toThrow(RedirectError);
    status = 307;
    await write();
    expect(paths).toEqual([
      'GET /old/v1/api/tours',
      'GET /v1/api/tours',
      'POST /old/v1/api/projects',
      'POST /old/v1/api/projects',
      'POST /v1/api/projects',
    ]);
    moved.closeAllConnections();
    moved.close();
  });

  it('without an end are ended', async () => {
    let count = 0;
    const endless = await listen((request, response) => {
      count++;
      response.writeHead(302, { location: request.url! }).end();
    });
    await expect(connect(endless.baseUrl).get('/v1/api/tours')).rejects.toThrow(RedirectError);
    expect(count).toBe(6);
    endless.closeAllConnections();
    endless.close();
  });

  it.each(['@127.0.0.1/', '.example.com/', 'v1/api/tours', 'https://example.com/v1/api/tours'])(
    'are not the only way to another origin: the path %s is rejected',
    async (path) => {
      await expect(connect(service.baseUrl).request('GET', path)).rejects.toThrow('must begin with "/"');
    },
  );

  it('end a command with a message, for an API key and for a client', async () => {
    status = 307;
    const key = new CommandLine(service, { workspaceId: WORKSPACE, apiKey: 'key' } as Credentials);
    const commands = [
      ['tables'],
      ['notes', 'create', '--title', 'Note'],
      ['import', key.write('pumps.csv', 'key\na\n'), '--table', 'assets/Pumps'],
      ['export', 'assets/Pumps'],
      ['events', 'tail', '--once'],
      ['api', 'POST', '/v1/api/projects', '--field', 'name=Project'],
    ];
    for (const args of commands) {
      const { code, stderr } = await key.run(args);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        expect.stringContaining(`${service.baseUrl} redirects to ${other.baseUrl}`),
      ]);
    }
    const assistant = await key.run(['mcp'], '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(assistant.stdout).toContain(`redirects to ${other.baseUrl}`);
    const login = await key.run(['login', '--client-id', 'client', '--client-secret', 'secret']);
    expect([login.code, login.stderr]).toEqual([1, expect.stringContaining('redirects to')]);
    expect(received).toEqual([]);
  });
});
