import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { bytesOf, download, file, form, localUrl, sendForm, sha256 } from '../support/files.js';
import { readConfiguration, Nginx, NGINX } from '../support/nginx.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';
import { until } from '../support/until.js';

if (!NGINX) process.stderr.write('nginx: skipped, because nginx is not installed\n');

const MAX_BODY_BYTES = 20 * 1024 * 1024;
const DOCUMENTED = readConfiguration();
const CONFIGURATIONS = [
  ['as documented', DOCUMENTED],
  [
    'with buffered uploads and small buffers of headers',
    DOCUMENTED.replace(/^\s*proxy_(request_)?buffering off;$/gm, '').replace(/(proxy_buffer_size) \w+/, '$1 4k'),
  ],
  [
    'with gzip',
    DOCUMENTED.replace('server {', 'gzip on; gzip_min_length 1; gzip_types application/json;\n\nserver {').replace(
      'proxy_set_header Connection "";',
      '$& proxy_set_header Accept-Encoding "";',
    ),
  ],
  ['with HTTP/1.0', DOCUMENTED.replace(/^\s*(proxy_http_version|proxy_set_header Connection|keepalive) .*$/gm, '')],
] as const;

(NGINX ? describe : describe.skip).each(CONFIGURATIONS)('behind nginx %s', (name, configuration) => {
  let database: TestDatabase;
  let service: TestService;
  let nginx: Nginx;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { TRUST_PROXY: '127.0.0.1/32', EVENTS_MAX_WAITING: '1' });
    nginx = await Nginx.start(configuration, service.env['PORT']!);
    me = await service.provision();
    api = new Api(nginx.baseUrl).withKey(me.apiKey);
  });

  afterAll(async () => {
    await nginx?.stop();
    await service?.stop();
    await database?.drop();
  });

  const events = (query: string) => `/v2/api/workspaces/${me.workspaceId}/events?${query}`;
  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;

  it('a long poll ends with the event, and an aborted one lets another reader wait', async () => {
    const { nextCursor } = (await api.get(events(''))).body.data;
    const aborted = new AbortController();
    const path = events(`after=${nextCursor}&wait=50`);
    const first = fetch(nginx.baseUrl + path, { headers: api.headers, signal: aborted.signal });
    // Only one reader may wait: the first one must be it.
    await delay(2_000);
    await until(async () => (await api.get(events(`after=${nextCursor}&wait=1`))).status === 503);
    aborted.abort();
    await expect(first).rejects.toThrow();
    await until(async () => (await api.get(events(`after=${nextCursor}&wait=1`))).status === 200);
    const waiting = api.get(path);
    await api.post(notes(), { title: 'x' });
    const { status, body } = await waiting;
    expect([status, body.data.events.length > 0]).toEqual([200, true]);
  });

  it('a record that was read can be changed with its ETag', async () => {
    const { id } = (await api.post(notes(), { title: 'x' })).body.data;
    const read = await fetch(`${nginx.baseUrl}${notes()}/${id}`, {
      headers: { ...api.headers, 'Accept-Encoding': 'gzip' },
    });
    if (name === 'with gzip') expect(read.headers.get('etag')).toMatch(/^W\//);
    const ifMatch = { 'If-Match': read.headers.get('etag')! };
    expect((await api.patch(`${notes()}/${id}`, { title: 'y' }, ifMatch)).status).toBe(200);
    expect((await api.patch(`${notes()}/${id}`, { title: 'z' }, ifMatch)).status).toBe(412);
  });

  it('rejections of large bodies and of callers are JSON', async () => {
    const large = file('large.png', Buffer.alloc(MAX_BODY_BYTES + 1_000));
    const tooLarge = await sendForm(api, notes(), form({}, [large]));
    expect([tooLarge.status, tooLarge.body.error]).toEqual([413, 'file_too_large']);
    const unknown = await sendForm(new Api(nginx.baseUrl), notes(), form({}, [file('a.png', Buffer.alloc(5_000_000))]));
    expect([unknown.status, unknown.body.error]).toEqual([401, 'unauthenticated']);
  });

  it('uploads and downloads are complete', async () => {
    const { status, body } = await sendForm(api, notes(), form({}, ['picture.png']));
    expect(status).toBe(201);
    const { bytes } = await download(localUrl(nginx, body.data.files[0].url));
    expect(sha256(bytes)).toBe(sha256(bytesOf('picture.png')));
  });

  it('pages of long URLs are sent', async () => {
    const tables = `/v2/api/workspaces/${me.workspaceId}/cw/lists`;
    const columns = [
      { name: 'Key', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
    ];
    const items = ['a', 'b', 'c'].map((key) => ({ key }));
    await api.post(`${tables}/bulk`, { lists: [{ name: 'Long', columns, items }] });
    for (const length of [100, 900, 2_500, 6_000]) {
      const { status, body } = await api.get(`${tables}/Long/items?limit=2&filter[name][ne]=${'x'.repeat(length)}`);
      expect([status, body.data.items.length, typeof body.data.nextCursor]).toEqual([200, 2, 'string']);
    }
  });

  it('the address of the caller is that of its connection to the proxy, whatever the caller sends', async () => {
    const { hostname, port } = new URL(nginx.baseUrl);
    // The first use of a key is recorded in the audit log.
    const { apiKey } = await service.provision();
    const headers = { 'X-API-Key': apiKey, 'X-Forwarded-For': '203.0.113.7' };
    const sent = request({ hostname, port, path: '/v1/api/tours', headers, localAddress: '127.0.0.2' }).end();
    const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(200);
    await until(async () => {
      const recorded = await service.operator<{ address: string | null }[]>('audit');
      return recorded.some(({ address }) => address === '127.0.0.2');
    });
    const recorded = await service.operator<{ address: string | null }[]>('audit');
    expect(recorded.map(({ address }) => address)).not.toContain('203.0.113.7');
  });
});

const REQUESTS = 5_000;
const CALLERS = 16;
/** Longer than `fail_timeout` of the configuration. */
const DRAIN_MS = 2_500;

(NGINX ? describe : describe.skip)('behind nginx with two instances', () => {
  let database: TestDatabase;
  let files: string;
  let instances: TestService[];
  let nginx: Nginx;
  let me: Credentials;
  let tables: string;

  const start = (PORT: string) =>
    TestService.start(database, { PORT, DATA_DIR: files, SHUTDOWN_DRAIN_MS: String(DRAIN_MS) });

  beforeAll(async () => {
    database = await TestDatabase.create();
    files = mkdtempSync(join(tmpdir(), 'atrium-nginx-files-'));
    instances = [await start(String(await freePort())), await start(String(await freePort()))];
    nginx = await Nginx.start(DOCUMENTED, ...instances.map(({ env }) => env['PORT']!));
    me = await instances[0]!.provision();
    tables = `/v2/api/workspaces/${me.workspaceId}/cw/assets`;
    const columns = [
      { name: 'Key', type: 'text' },
      { name: 'Weight', type: 'number' },
    ];
    const items = [{ key: 'A', weight: 0 }];
    await new Api(nginx.baseUrl).withKey(me.apiKey).post(`${tables}/bulk`, {
      assets: [{ name: 'Pumps', columns, items }],
    });
  });

  afterAll(async () => {
    await nginx?.stop();
    for (const instance of instances ?? []) await instance.stop('SIGKILL');
    await database?.drop();
    rmSync(files, { recursive: true, force: true });
  });

  it.each(['/metrics', '/METRICS/', '//metrics'])('%s is not public', async (path) => {
    expect((await fetch(nginx.baseUrl + path)).status).toBe(404);
  });

  /** Requests that nginx may send twice. `number` differs in each one. */
  const REPEATABLE: ((api: Api, number: number) => Promise<{ status: number; body: unknown }>)[] = [
    (api) => api.get(`${tables}/Pumps/items?limit=5`),
    (api, number) => api.put(`${tables}/Pumps/items/A`, { weight: number }),
    (api, number) => create(api, `Repeatable ${number}`, { 'Idempotency-Key': `note-${number}` }),
    (api, number) =>
      api.post(
        `${tables}/bulk`,
        { assets: [{ name: 'Pumps', items: [{ key: `K${number}`, weight: number }] }] },
        { 'Idempotency-Key': `bulk-${number}` },
      ),
  ];
  const create = (api: Api, title: string, headers: Record<string, string> = {}) =>
    api.post(`/v2/api/workspaces/${me.workspaceId}/notes`, { title }, headers);

  /** Sends requests until there are enough of them, and the work is done. @returns the responses that are errors */
  async function sendDuring(kinds: typeof REPEATABLE, work: () => Promise<void>): Promise<unknown[]> {
    const errors: unknown[] = [];
    let [sent, isDone] = [0, false];
    const send = async () => {
      const api = new Api(nginx.baseUrl).withKey(me.apiKey);
      while (!isDone || sent < REQUESTS) {
        const number = sent++;
        const kind = number % kinds.length;
        const { status, body } = await kinds[kind]!(api, number).catch((error: unknown) => {
          return { status: 0, body: inspect(error) };
        });
        if (status === 0 || status >= 400) errors.push({ kind, status, body });
      }
    };
    const senders = Array.from({ length: CALLERS }, send);
    await work();
    isDone = true;
    await Promise.all(senders);
    expect(sent).toBeGreaterThanOrEqual(REQUESTS);
    process.stderr.write(`nginx: ${sent} requests, ${errors.length} errors\n`);
    return errors;
  }

  const countNotes = async () =>
    (
      await database.query(
        'SELECT count(*)::int AS rows, count(*)::int - count(DISTINCT title)::int AS repeated FROM notes',
      )
    )[0];

  it('a rolling restart fails no request, and stores each of them once', async () => {
    const plain: (typeof REPEATABLE)[number] = (api, number) => create(api, `Plain ${number}`);
    const errors = await sendDuring([...REPEATABLE, plain], async () => {
      for (const [position, instance] of instances.entries()) {
        expect(await instance.stop()).toBe(0);
        instances[position] = await start(instance.env['PORT']!);
      }
    });
    expect(errors).toEqual([]);
    expect(await countNotes()).toEqual({ rows: expect.any(Number), repeated: 0 });
  }, 400_000);

  it('the end of an instance without notice fails no request that may be sent twice', async () => {
    const errors = await sendDuring(REPEATABLE, async () => {
      const { env } = instances[0]!;
      await instances[0]!.stop('SIGKILL');
      instances[0] = await start(env['PORT']!);
    });
    expect(errors).toEqual([]);
    expect(await countNotes()).toEqual({ rows: expect.any(Number), repeated: 0 });
  }, 400_000);
});

(NGINX ? describe : describe.skip)('behind nginx with instances that break each connection', () => {
  it.each([
    ['GET', {}, 2],
    ['PUT', {}, 2],
    ['POST', { 'Idempotency-Key': 'one' }, 2],
    ['POST', {}, 1],
    ['PATCH', {}, 1],
    // Their repetitions may receive 412 and 404 although the first was executed (deploy/nginx.conf).
    ['PUT', { 'If-Match': '"1"' }, 2],
    ['DELETE', {}, 2],
  ])('%s with %j is sent to %i of them', async (method, headers, times) => {
    let received = 0;
    const answer = (incoming: IncomingMessage, response: ServerResponse) => {
      if (incoming.url === '/health/live') return response.end();
      received++;
      return incoming.socket.destroy();
    };
    const instances = [createServer(answer), createServer(answer)];
    const ports = [await freePort(), await freePort()];
    for (const [position, port] of ports.entries())
      await once(instances[position]!.listen(port, '127.0.0.1'), 'listening');
    const nginx = await Nginx.start(DOCUMENTED, ...ports.map(String));
    try {
      const body = method.startsWith('P') ? '{}' : undefined;
      const { status } = await fetch(`${nginx.baseUrl}/v1/api/tours`, { method, headers, body });
      expect({ status, received }).toEqual({ status: 502, received: times });
    } finally {
      await nginx.stop();
      for (const server of instances) server.close();
    }
  });
});
