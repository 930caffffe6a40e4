import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Credentials } from '../support/credentials.js';
import { measureElapsed } from '../support/elapsed.js';
import { lines, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
/** Another caller is served within this time, whatever one caller does. */
const LIMIT_MS = 5_000;

interface Caller {
  credentials: Credentials;
  tables: Tables;
  table: string;
}

let database: TestDatabase;
let service: TestService;
let slow: Caller;
let alsoSlow: Caller;
let other: Caller;
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database);
  [slow, alsoSlow, other] = [await createCaller(), await createCaller(), await createCaller()];
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

async function createCaller(): Promise<Caller> {
  const credentials = await service.provision();
  const tables = Tables.of(service, credentials);
  const table = unique('Table');
  const columns = [text('Code'), text('Note')];
  expect((await tables.bulk('assets', { name: table, columns, items: [{ code: 'A' }] })).status).toBe(201);
  return { credentials, tables, table };
}

/** Sends the head of a request, and a part of its body. @returns the status of the answer, when it arrives. */
function begin({ credentials, tables, table }: Caller, method: string, path: string, part = ''): Promise<number> {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const headers = [
    `${method} ${tables.path}/assets/${encodeURIComponent(table)}${path} HTTP/1.1`,
    `Host: x\r\nX-API-Key: ${credentials.apiKey}`,
    ...(part ? ['Content-Type: application/x-ndjson\r\nContent-Length: 100000'] : []),
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n${part}`);
  return new Promise((done) => {
    socket.once('data', (chunk: Buffer) => {
      // From now on, it reads nothing.
      socket.pause();
      done(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())![1]));
    });
  });
}

it('a caller that does not read its exports does not prevent those of another caller', async () => {
  // More than the buffers of a connection.
  const items = manyRows(20_000, (at) => ({ code: keyAt(at), note: 'x'.repeat(1_000) }));
  expect((await sendFile(slow.tables, slow.table, lines(items))).status).toBe(200);
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push(await begin(slow, 'GET', '/export'));
  expect(statuses).toEqual([200, 200, 200, 503]);
  const elapsed = measureElapsed();
  const { status } = await other.tables.api.get(
    `${other.tables.path}/assets/${encodeURIComponent(other.table)}/export`,
  );
  expect(status).toBe(200);
  expect(elapsed()).toBeLessThan(LIMIT_MS);
});

it('readers that stall in exports and pages lose their connection within two minutes, and release that of the database', async () => {
  const items = manyRows(20_000, (at) => ({ code: keyAt(at), note: 'x'.repeat(1_500) }));
  expect((await sendFile(slow.tables, slow.table, lines(items))).status).toBe(200);
  const path = `${slow.tables.path}/assets/${encodeURIComponent(slow.table)}`;
  const requests: Record<string, string> = {
    ndjson: `GET ${path}/export HTTP/1.1\r\nAccept: application/x-ndjson\r\n`,
    csv: `GET ${path}/items HTTP/1.1\r\nAccept: text/csv\r\n`,
    page: `GET ${path}/items?limit=5000 HTTP/1.1\r\n`,
  };
  const countCopies = async () => {
    const [row] = await database.query<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY (%' AND state = 'active'`,
    );
    return Number(row!.count);
  };
  const readers = Object.entries(requests).map(([name, head]) => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write(`${head}Host: x\r\nX-API-Key: ${slow.credentials.apiKey}\r\n\r\n`);
    const reader = { name, socket, received: 0, isClosed: false };
    // Paused from the beginning: the buffer of a socket that was read can grow to the size of the page.
    socket.on('data', (chunk) => (reader.received += chunk.length)).pause();
    socket.once('close', () => (reader.isClosed = true));
    return reader;
  });
  await until(countCopies, (count) => count === 2);
  await delay(45_000);
  // A page needs no connection of the database any more, a stream does.
  expect(await countCopies()).toBe(2);
  // Node restarts its timer once if the queue of the connection has changed since the timer was set.
  const deadline = Date.now() + 80_000;
  while ((await countCopies()) > 0 && Date.now() < deadline) await delay(1_000);
  expect(await countCopies()).toBe(0);
  for (const { socket } of readers) socket.resume();
  await until(
    () => readers.map(({ name, isClosed }) => [name, isClosed]),
    (states) => states.every(([, isClosed]) => isClosed),
  );
  // The page has 7.5 MB, each stream 30 MB.
  const complete = readers.filter(({ name, received }) => received > (name === 'page' ? 7_000_000 : 28_000_000));
  expect(complete.map(({ name }) => name)).toEqual([]);
}, 200_000);

it('a caller who sends imports slowly does not prevent those of another caller', async () => {
  const answers: number[] = [];
  for (const begun of manyRows(8, () => begin(slow, 'POST', '/items/import', '{')))
    void begun.then((status) => answers.push(status));
  // Two find no slot. The others have theirs until they are too slow.
  await until(
    () => answers,
    ({ length }) => length >= 2,
  );
  expect(answers).toEqual([503, 503]);
  const elapsed = measureElapsed();
  expect((await sendFile(other.tables, other.table, lines([{ code: 'B' }]))).status).toBe(200);
  expect(elapsed()).toBeLessThan(LIMIT_MS);
});

it('1,500 connections that send their headers slowly end within 15 seconds, and do not delay a caller', async () => {
  const port = Number(new URL(service.baseUrl).port);
  const sinceStart = measureElapsed();
  const startedAt = performance.now();
  const ended = manyRows(1_500, async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write('GET /v1/api/projects HTTP/1.1\r\nHost: atrium.test\r\n');
    const timer = setInterval(() => socket.write('X'), 1_000);
    socket.resume();
    // Also if the service resets the connection, because it closes it while a header arrives.
    await new Promise((done) => socket.once('close', done));
    clearInterval(timer);
    return { ms: performance.now() - startedAt, ofService: sinceStart() };
  });
  let isOver = false;
  const over = Promise.all(ended).finally(() => (isOver = true));
  const durations: number[] = [];
  while (!isOver) {
    const elapsed = measureElapsed();
    expect((await other.tables.api.get('/v1/api/projects')).status).toBe(200);
    durations.push(elapsed());
    await delay(500);
  }
  const times = await over;
  // They ended because of the limit for headers, which is 10 seconds.
  expect(Math.min(...times.map(({ ms }) => ms))).toBeGreaterThan(9_000);
  expect(Math.max(...times.map(({ ofService }) => ofService))).toBeLessThan(15_000);
  expect(Math.max(...durations)).toBeLessThan(LIMIT_MS);
}, 60_000);

describe('callers who use all slots of the instance together', () => {
  /** Retries as a client does that is rejected with 503. @returns the milliseconds from then until it was served. */
  async function served(send: () => Promise<{ status: number }>): Promise<number> {
    await until(send, ({ status }) => status === 503);
    const elapsed = measureElapsed();
    const { status } = await until(send, (answer) => answer.status !== 503);
    expect(status).toBe(200);
    return elapsed();
  }

  it('lose exports that they do not read while another caller waits', async () => {
    const items = manyRows(20_000, (at) => ({ code: keyAt(at), note: 'x'.repeat(1_000) }));
    for (const { tables, table } of [slow, alsoSlow])
      expect((await sendFile(tables, table, lines(items))).status).toBe(200);
    const begun = [slow, slow, alsoSlow, alsoSlow].map((caller) => begin(caller, 'GET', '/export'));
    expect(await Promise.all(begun)).toEqual([200, 200, 200, 200]);
    const path = `${other.tables.path}/assets/${encodeURIComponent(other.table)}/export`;
    expect(await served(() => other.tables.api.get(path))).toBeLessThan(LIMIT_MS);
  });

  it('lose large bodies that they send slowly after a fast begin while another caller waits', async () => {
    const third = await createCaller();
    const row = `{"code":"${'x'.repeat(1_000)}"},`;
    const rows = (bytes: number) => row.repeat(bytes / row.length);
    const senders = [slow, alsoSlow, third].map(async ({ credentials, tables }) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      const headers = `Host: x\r\nX-API-Key: ${credentials.apiKey}\r\nContent-Type: application/json`;
      socket.write(
        `POST ${tables.path}/assets/bulk HTTP/1.1\r\n${headers}\r\nContent-Length: 16700000\r\n\r\n{"assets":[{"name":"A","items":[`,
      );
      await new Promise((done) => socket.write(rows(15 * MIB), done));
      // Faster than three quarters of the memory require, slower than the whole.
      const timer = setInterval(() => socket.write(rows(32 * 1024)), 1_000);
      socket.once('close', () => clearInterval(timer));
    });
    await Promise.all(senders);
    // Longer than the window in which the rate is measured.
    await delay(4_000);
    const items = manyRows(16_000, (at) => ({ code: keyAt(at), note: 'x'.repeat(900) }));
    const send = () => other.tables.bulk('assets', { name: other.table, items });
    expect(await served(send)).toBeLessThan(LIMIT_MS);
  });

  it('lose imports that they send slowly while another caller waits', async () => {
    // One more than the instance has slots.
    const senders = [slow, slow, slow, slow, alsoSlow, alsoSlow, alsoSlow, alsoSlow, await createCaller()];
    const begun = senders.map((caller) => begin(caller, 'POST', '/items/import', '{'));
    expect(await Promise.race(begun)).toBe(503);
    expect(await served(() => sendFile(other.tables, other.table, lines([{ code: 'C' }])))).toBeLessThan(LIMIT_MS);
  });
});
