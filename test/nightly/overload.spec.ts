import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiResponse } from '../support/api.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const MIB = 1024 * 1024;
/** Of a large body, near the limit of bulk requests. */
const LARGE = 15 * MIB;
/** For one large body, but not for two. */
const MEMORY = 28 * MIB;

let database: TestDatabase;
let service: TestService;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  // A request that waits for a lock ends only with the lock, also on a busy machine.
  const settings = { DATABASE_LOCK_TIMEOUT_MS: '30000', BODY_MEMORY_BYTES: String(MEMORY) };
  service = await TestService.start(database, settings);
  tables = Tables.of(service, await service.provision());
}, 60_000);

afterAll(async () => {
  expect(service.output.join('')).not.toMatch(/internal_error|Unhandled|uncaught/i);
  await service?.stop();
  await database?.drop();
});

const COLUMNS = [text('Key'), ...manyRows(8, (position) => text(`F${position}`))];

/** A body of about `bytes` bytes: rows of 8 texts, one kilobyte per row. */
function bodyOf(name: string, bytes: number): Buffer {
  const values = manyRows(8, (position) => `"f${position}":"${'x'.repeat(110)}"`).join();
  const items = manyRows(Math.floor(bytes / 1024), (position) => `{"key":"${keyAt(position)}",${values}}`).join();
  return Buffer.from(
    `{"assets":[{"name":${JSON.stringify(name)},"columns":${JSON.stringify(COLUMNS)},"items":[${items}]}]}`,
  );
}

function expectStoredOrRejected(answer: ApiResponse): void {
  expect([200, 201, 503]).toContain(answer.status);
  if (answer.status !== 503) return;
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(answer.body).toMatchObject({ status: 503, error: expect.any(String), requestId: expect.any(String) });
}

/** Begins a request of `bytes` bytes and sends a part of its body. @returns a function that disconnects. */
async function begin(bytes: number, part: Buffer): Promise<() => void> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': bytes, ...tables.api.headers };
  const request = httpRequest(`${service.baseUrl}${tables.path}/assets/bulk`, {
    method: 'POST',
    headers,
    agent: false,
  });
  request.on('error', () => undefined);
  await new Promise<void>((sent) => request.write(part, () => sent()));
  return () => request.destroy();
}

/** Repeats the request while it returns 503, each time after `Retry-After`. */
async function sendUntilAccepted(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 0; ; attempt++) {
    const answer = await send();
    if (answer.status !== 503 || attempt === 20) return answer;
    await delay(1_000 * Number(answer.headers.get('Retry-After')));
  }
}

it('stores or rejects with Retry-After 20 concurrent requests of 15 MiB, in less than 1 GB of memory', async () => {
  const name = unique('Flood');
  const body = bodyOf(name, LARGE);
  expect(body.length).toBeGreaterThan(14 * MIB);
  const answers = await Promise.all(manyRows(20, () => tables.send('assets', body)));
  answers.forEach(expectStoredOrRejected);
  expect(answers.filter((answer) => answer.status !== 503).length).toBeGreaterThan(0);
  const peak = service.peakMemory();
  if (peak !== undefined) expect(peak).toBeLessThan(1024 * MIB);
  expect((await tables.read('assets', name, { limit: 1, count: 'exact' })).body.data.total).toBe(LARGE / 1024);
}, 60_000);

it('accepts a rejected request after Retry-After', async () => {
  const name = unique('Patience');
  const body = bodyOf(name, LARGE);
  const answers = await Promise.all(manyRows(4, () => sendUntilAccepted(() => tables.send('assets', body))));
  for (const answer of answers) expect([200, 201]).toContain(answer.status);
}, 60_000);

it('processes reads and small writes while it rejects large requests', async () => {
  const name = unique('Small');
  await tables.bulk('assets', { name, columns: COLUMNS, items: [{ key: '1' }] });
  const body = bodyOf(unique('Large'), LARGE);
  const large = Promise.all(manyRows(6, () => tables.send('assets', body)));
  for (let round = 0; round < 5; round++) expect((await tables.read('assets', name)).status).toBe(200);
  (await large).forEach(expectStoredOrRejected);
  expect((await tables.bulk('assets', { name, items: [{ key: '2' }] })).status).toBe(200);
}, 60_000);

it('releases the memory of clients that disconnect within a body', async () => {
  const body = bodyOf(unique('Left'), LARGE);
  for (let round = 0; round < 5; round++) {
    const disconnect = await begin(body.length, body.subarray(0, LARGE - MIB));
    // While the request is incomplete, another one of this size exceeds the memory limit.
    let waiting: ApiResponse | undefined;
    for (let attempt = 0; attempt < 50 && waiting?.status !== 503; attempt++)
      waiting = await tables.send('assets', Buffer.from(' '.repeat(LARGE)));
    expect(waiting?.status).toBe(503);
    expectStoredOrRejected(waiting!);
    disconnect();
    await delay(50);
  }
  const answer = await sendUntilAccepted(() => tables.send('assets', body));
  expect(answer.status).toBe(201);
}, 60_000);

it('reserves the memory of a disconnected client until its request is processed', async () => {
  const name = unique('Gone');
  await tables.bulk('assets', { name, columns: COLUMNS, items: [] });
  const body = bodyOf(name, LARGE);
  // The build of an index would wait for the lock of its table, as the request does.
  const unfinished = "SELECT 1 FROM column_indexes WHERE state <> 'ready'";
  while ((await database.query(unfinished)).length > 0) await delay(20);
  const release = await database.lock('SELECT 1 FROM workspace_tables FOR UPDATE');
  try {
    const disconnect = await begin(body.length, body);
    // Other suites use other databases of the server.
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await database.query(waiting)).length === 0) await delay(20);
    disconnect();
    await delay(100);
    const other = await tables.send('assets', body);
    expect(other.body).toMatchObject({ status: 503, error: 'overloaded' });
    expectStoredOrRejected(other);
  } finally {
    await release();
  }
  expect((await sendUntilAccepted(() => tables.send('assets', body))).status).toBe(200);
  expect((await tables.read('assets', name, { limit: 1, count: 'exact' })).body.data.total).toBe(LARGE / 1024);
}, 60_000);
