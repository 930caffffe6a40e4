import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { preload, TestDatabase, TestService } from '../support/service.js';
import { Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const LOCK_TIMEOUT_MS = 300;

let database: TestDatabase;
let credentials: Credentials;
let service: TestService;

beforeAll(async () => {
  database = await TestDatabase.create();
});

afterAll(() => database?.drop());

const start = async (settings: Record<string, string>) => {
  service = await TestService.start(database, settings);
  credentials ??= await service.provision();
};

afterEach(() => service?.stop('SIGKILL'));

const eventsPath = () => `/v2/api/workspaces/${credentials.workspaceId}/events`;
const isReady = async () => (await fetch(`${service.baseUrl}/health/ready`)).status;

describe.each([
  ['an uncaught exception', 'SIGUSR2', 'an uncaught exception of the test'],
  ['an unhandled rejection', 'SIGHUP', 'an unhandled rejection of the test'],
] as const)('after %s, the service', (_, signal, message) => {
  it('logs it, is not ready, ends the open requests and exits with code 1', async () => {
    await start({ NODE_OPTIONS: preload('uncaught-errors.mjs'), SHUTDOWN_DRAIN_MS: '5000' });
    const api = new Api(service.baseUrl).withKey(credentials.apiKey);
    const open = api.get(`${eventsPath()}?wait=30`);
    await delay(100);
    process.kill(service.pid, signal);
    await until(async () => (await isReady()) === 503);
    // A second one during the end is logged, too.
    process.kill(service.pid, signal);
    expect((await api.get(eventsPath())).status).toBe(200);
    expect((await open).status).toBe(200);
    expect(await until(() => service.exitCode, Number.isInteger)).toBe(1);
    const lines = service.output.join('').split('\n');
    const logged = lines.filter((line) => line.includes(message)).map((line) => JSON.parse(line));
    expect(logged).toHaveLength(2);
    expect(logged[0]).toMatchObject({
      level: 'fatal',
      err: { message, stack: expect.stringContaining('uncaught-errors.mjs') },
    });
  }, 60_000);
});

it('a warning of Node ends the services of tests', async () => {
  await start({
    NODE_OPTIONS: `${preload()} --import=data:text/javascript,process.on('SIGHUP',()=>process.emitWarning('leak'))`,
  });
  process.kill(service.pid, 'SIGHUP');
  expect(await until(() => service.exitCode, Number.isInteger)).toBe(1);
});

it('20 callers can wait for events', async () => {
  await start({ EVENTS_MAX_WAITING: '30' });
  const api = new Api(service.baseUrl).withKey(credentials.apiKey);
  const after = (await api.get(eventsPath())).body.data.latestSequence as number;
  const waiting = Array.from({ length: 20 }, () => api.get(`${eventsPath()}?after=${after}&wait=1`));
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
  expect(await service.stop()).toBe(0);
});

it('rows that are written one by one while a table is locked for too long receive 503', async () => {
  await start({ DATABASE_LOCK_TIMEOUT_MS: String(LOCK_TIMEOUT_MS) });
  const tables = Tables.of(service, credentials);
  const name = unique('Locked');
  await tables.bulk('assets', { name, columns: [text('Code')], items: [{ code: 'a' }] });
  const path = `${tables.path}/assets/${encodeURIComponent(name)}/items`;
  const put = (key: number) => tables.api.put(`${path}/${key}`, {});
  expect((await put(0)).status).toBe(201);
  const release = await database.lockTables(credentials);
  const answers: Promise<number>[] = [];
  try {
    // Rows arrive all the time, so some wait for the next statement when the statements before it fail.
    for (const endsAt = Date.now() + 5 * LOCK_TIMEOUT_MS; Date.now() < endsAt;) {
      answers.push(put(answers.length + 1).then(({ status }) => status));
      await delay(2);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set([503]));
  } finally {
    await release();
  }
  expect((await put(0)).status).toBe(200);
  expect(service.output.join('')).not.toMatch(/uncaught/i);
}, 60_000);
