import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/api.js';
import { freePort, TestDatabase, TestService } from '../support/service.js';

const METRICS = ['/metrics'];
const DOCUMENTS = [
  '/docs',
  '/docs/openapi.json',
  '/docs/page.js',
  '/openapi.json',
  '/openapi.yaml',
  '/guide/operating',
  '/tables',
  '/tables/app.js',
  '/downloads/atrium.mjs',
];
const API = ['/.well-known/jwks.json'];
const HEALTH = ['/health/live', '/health/ready'];
const ALL = [...METRICS, ...DOCUMENTS, ...API, ...HEALTH];

describe('the ports of metrics and documents', () => {
  let database: TestDatabase;
  let service: TestService | undefined;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });

  afterEach(() => service?.stop());

  afterAll(() => database?.drop());

  async function start(settings: Record<string, string>): Promise<void> {
    service = await TestService.start(database, { PUBLIC_URL: 'https://atrium.test', ...settings });
  }

  /** The paths that the port serves; all others must be unknown. */
  async function servedAt(baseUrl: string): Promise<string[]> {
    const answers = await Promise.all(ALL.map(async (path) => ({ path, ...(await new Api(baseUrl).get(path)) })));
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.error]).toEqual([404, 'not_found']);
    return answers.filter(({ status }) => status === 200).map(({ path }) => path);
  }

  const urlOf = (port: number) => `http://127.0.0.1:${port}`;

  it('are that of the API by default', async () => {
    await start({});
    expect(await servedAt(service!.baseUrl)).toEqual(ALL);
    const { body, headers } = await new Api(service!.baseUrl).get('/nowhere');
    expect(body.message).toBe('There is no GET /nowhere. /docs lists all paths.');
    expect(headers.get('link')).toBe('<https://atrium.test/guide/errors#not_found>; rel="help"');
    expect(service!.output.join('')).toContain('Ready at https://atrium.test; Swagger UI at https://atrium.test/docs');
  });

  it('differ from that of the API if they are set; the port of the documents serves the API for its page', async () => {
    const [metrics, documents] = [await freePort(), await freePort()];
    await start({ METRICS_PORT: String(metrics), DOCS_PORT: String(documents) });
    expect(await servedAt(service!.baseUrl)).toEqual([...API, ...HEALTH]);
    expect(service!.output.join('')).toContain(
      `Ready at https://atrium.test; Swagger UI at http://localhost:${documents}/docs`,
    );
    expect(await servedAt(urlOf(metrics))).toEqual([...METRICS, ...HEALTH]);
    expect(await servedAt(urlOf(documents))).toEqual([...DOCUMENTS, ...API, ...HEALTH]);
    const { apiKey } = await service!.provision();
    for (const baseUrl of [service!.baseUrl, urlOf(documents)])
      expect((await new Api(baseUrl).withKey(apiKey).get('/v1/api/projects')).status).toBe(200);
    expect((await new Api(urlOf(metrics)).withKey(apiKey).get('/v1/api/projects')).status).toBe(404);
    // Responses have no links that their callers cannot follow.
    const { body, headers } = await new Api(service!.baseUrl).get('/nowhere');
    expect(body.message).toBe('There is no GET /nowhere.');
    expect(headers.get('link')).toBeNull();
    const others = ['/METRICS', '/Docs', '/docs/', '/docs/index.html', '/guide', '/', '/%6detrics', '//metrics'];
    for (const path of others) {
      const answer = await fetch(service!.baseUrl + path, { redirect: 'manual' });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const open = async (url: string) => {
      const { status, headers } = await fetch(url, { headers: { Accept: 'text/html' } });
      return [status, headers.get('content-type')];
    };
    expect(await open(urlOf(documents))).toEqual([200, 'text/html; charset=utf-8']);
    expect(await open(`${urlOf(documents)}/nowhere`)).toEqual([404, 'text/html; charset=utf-8']);
    expect(await open(`${service!.baseUrl}/nowhere`)).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('may be the same port, or none', async () => {
    const both = await freePort();
    await start({ METRICS_PORT: String(both), DOCS_PORT: String(both) });
    expect(await servedAt(urlOf(both))).toEqual(ALL);
    await service!.stop();
    await start({ METRICS_PORT: 'off', DOCS_PORT: 'off' });
    expect(await servedAt(service!.baseUrl)).toEqual([...API, ...HEALTH]);
    expect(service!.output.join('')).not.toContain('Swagger UI');
  });

  it('complete their requests when the service stops, and do not wait for idle connections', async () => {
    const documents = await freePort();
    await start({ DOCS_PORT: String(documents), SHUTDOWN_TIMEOUT_MS: '20000' });
    const { apiKey } = await service!.provision();
    // A connection that remains open.
    await new Api(urlOf(documents)).get('/docs');
    const body = JSON.stringify({ name: 'Under way' });
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'X-API-Key': apiKey };
    const sent = request(`${urlOf(documents)}/v1/api/projects`, { method: 'POST', headers });
    const answer = new Promise<number | undefined>((resolve, reject) => {
      sent.once('error', reject).once('response', (response) => resolve(response.resume().statusCode));
    });
    sent.write(body.slice(0, -1));
    await sleep(300);
    const startedAt = Date.now();
    const stopped = service!.stop();
    await sleep(500);
    await expect(fetch(`${urlOf(documents)}/health/live`)).rejects.toThrow('fetch failed');
    sent.end(body.slice(-1));
    expect(await answer).toBe(201);
    expect(await stopped).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });
});
