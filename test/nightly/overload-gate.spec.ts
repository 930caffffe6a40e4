import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { measureElapsed } from '../support/elapsed.js';
import { TestDatabase, TestService } from '../support/service.js';

const PROJECTS = '/v1/api/projects';
/** More than run and wait together. */
const REQUESTS = 600;

interface Answer {
  status: number;
  ms: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

let database: TestDatabase;
let service: TestService;
let apiKey: string;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, {
    CORS_ORIGINS: 'https://app.example.com',
  });
  ({ apiKey } = await service.provision());
});

afterAll(async () => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
  await service?.stop();
  await database?.drop();
});

const agent = new Agent({ keepAlive: true });
/** Monitoring has open connections: during a burst, new ones wait until the service has accepted the others. */
const monitoring = new Agent({ keepAlive: true });

function send(path: string, connections = agent): Promise<Answer> {
  const elapsed = measureElapsed();
  const headers = {
    'X-API-Key': apiKey,
    'X-Request-Id': 'mine',
    Origin: 'https://app.example.com',
  };
  return new Promise((done, fail) => {
    const sent = request(service.baseUrl + path, { headers, agent: connections }, (response) => {
      let text = '';
      response
        .on('data', (chunk: Buffer) => (text += chunk.toString()))
        .once('end', () => {
          done({ status: response.statusCode!, ms: elapsed(), headers: response.headers, body: text });
        });
    });
    sent.once('error', fail);
    sent.end();
  });
}

it('rejects what it cannot answer in time with 503 and Retry-After, serves health checks, and recovers', async () => {
  expect((await send(PROJECTS)).status).toBe(200);
  const check = () => Promise.all(['/health/live', '/metrics'].map((path) => send(path, monitoring)));
  await check();
  // Each request waits for the table, with a connection of the pool.
  const release = await database.lock('LOCK TABLE projects IN ACCESS EXCLUSIVE MODE');
  const small = Array.from({ length: REQUESTS }, () => send(PROJECTS));
  let health: Answer[];
  do {
    await delay(500);
    health = await check();
    expect(health.map(({ status }) => status)).toEqual([200, 200]);
    for (const { ms } of health) expect(ms).toBeLessThan(2_000);
  } while (!/^http_requests_rejected_total [1-9]/m.test(health[1]!.body));
  await release();

  const answers = await Promise.all(small);
  const rejected = answers.filter(({ body }) => body.includes('"overloaded"'));
  expect(rejected.length).toBeGreaterThan(0);
  for (const { status, headers, body } of rejected) {
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(headers).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': 'https://app.example.com',
      link: expect.stringContaining('/guide/errors#overloaded'),
    });
    expect(JSON.parse(body)).toEqual({
      status: 503,
      error: 'overloaded',
      message: expect.stringContaining('Retry-After'),
      timestamp: expect.any(Number),
      requestId: 'mine',
    });
  }
  const executed = answers.filter((answer) => !rejected.includes(answer));
  expect(new Set(executed.map(({ status }) => status))).toEqual(new Set([200]));
  const again = await Promise.all(Array.from({ length: 100 }, () => send(PROJECTS)));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
}, 60_000);

it('starts a burst of requests one after the other without a rejection', async () => {
  const answers = await Promise.all(Array.from({ length: 250 }, () => send(PROJECTS)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});
