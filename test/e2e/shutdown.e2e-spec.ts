import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { measureElapsed } from '../support/elapsed.js';
import type { ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { importRecord, lines, sendFile } from '../support/imports.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const LOGGING = join(ROOT, 'dist/src/platform/logging/logging.js');

let database: TestDatabase;
let remaining: TestService;
let credentials: Credentials;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  remaining = await TestService.start(database);
  credentials = await remaining.provision();
  tables = Tables.of(remaining, credentials);
});

afterAll(async () => {
  await remaining?.stop();
  await database?.drop();
});

async function createTable(): Promise<string> {
  const name = unique('Table');
  await tables.bulk('assets', { name, columns: [text('Code'), text('Note')], items: [] });
  return name;
}

const inStatus = (importId: string, status: string) =>
  until(
    () => importRecord(tables, importId),
    (record) => record?.status === status,
  );

/** Sends a part of a file. @returns the response, once there is one. */
function uploadPart(service: TestService, table: string, importId: string): Promise<ApiResponse> {
  const path = `${tables.path}/assets/${encodeURIComponent(table)}/items/import?importId=${importId}`;
  const headers = { 'Content-Type': 'application/x-ndjson', 'X-API-Key': credentials.apiKey };
  return new Promise((done, fail) => {
    const sent = request(service.baseUrl + path, { method: 'POST', headers }, (response) => {
      let body = '';
      response
        .on('data', (chunk: Buffer) => (body += chunk.toString()))
        .once('end', () => {
          done({ status: response.statusCode!, headers: new Headers(), body: JSON.parse(body) });
          sent.destroy();
        });
    });
    sent.once('error', fail);
    sent.write('{"code":"A"}\n');
  });
}

describe('an instance that is stopped', () => {
  it('fails its imports at once, and another instance accepts the same request', async () => {
    const [received, written] = [await createTable(), await createTable()];
    const stopped = await TestService.start(database);
    const of = Tables.of(stopped, credentials);
    const [receivedId, writtenId] = [randomUUID(), randomUUID()];
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (through: Tables) =>
      sendFile(through, written, lines([{ code: 'A' }]), { headers, query: { importId: writtenId } });
    const release = await database.lockTables(credentials);
    const answers = [uploadPart(stopped, received, receivedId), send(of)];
    await Promise.all([inStatus(receivedId, 'receiving'), inStatus(writtenId, 'writing')]);
    const elapsed = measureElapsed();
    const exited = stopped.stop();
    for (const id of [receivedId, writtenId])
      expect(await inStatus(id, 'failed')).toMatchObject({ rowsWritten: 0, error: { code: 'instance_stopping' } });
    // They would wait for SHUTDOWN_TIMEOUT_MS, which is 10 s.
    expect(elapsed()).toBeLessThan(8_000);
    for (const { status, body } of await Promise.all(answers))
      expect([status, body.error]).toEqual([503, 'instance_stopping']);
    await release();
    expect(await exited).toBe(0);
    expect(stopped.output.join('')).not.toContain('The shutdown timeout is over');

    const again = await send(tables);
    expect([again.status, again.body.data.totals.created]).toEqual([200, 1]);
    expect(await importRecord(tables, writtenId)).toMatchObject({ status: 'succeeded', error: null });
    expect(await tables.rows('assets', received)).toEqual([]);
  });

  it('lets a client notice that its export is incomplete', async () => {
    const name = await createTable();
    // More than the buffers of a connection.
    const items = manyRows(20_000, (at) => ({ code: keyAt(at), note: 'x'.repeat(1_000) }));
    expect((await sendFile(tables, name, lines(items))).status).toBe(200);
    const stopped = await TestService.start(database, { SHUTDOWN_TIMEOUT_MS: '500' });
    const path = `${tables.path}/assets/${encodeURIComponent(name)}/export`;
    const headers = { 'X-API-Key': credentials.apiKey, 'Accept-Encoding': 'identity' };
    const response = await new Promise<IncomingMessage>((done, fail) => {
      request(stopped.baseUrl + path, { headers }, done)
        .once('error', fail)
        .end();
    });
    expect(response.statusCode).toBe(200);
    // Reads nothing until the instance has ended.
    expect(await stopped.stop()).toBe(0);
    await expect(response.toArray()).rejects.toThrow('aborted');
  });

  it('exits if the reader of its log ends before the last line', async () => {
    const lines = [
      `const { closeLogger, createLogger } = await import(${JSON.stringify(LOGGING)});`,
      `const logger = await createLogger({ logging: { level: 'info', format: 'json' } });`,
      `process.stdin.once('data', async () => { logger.info('Stopped'); await closeLogger(logger); process.exit(0); });`,
      `process.stdout.write('ready');`,
    ];
    const child = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')]);
    await once(child.stdout, 'data');
    child.stderr.destroy();
    await once(child.stderr, 'close');
    const exited = once(child, 'exit');
    child.stdin.write('stop');
    try {
      expect(await Promise.race([exited, delay(10_000, 'still running', { ref: false })])).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('serves requests until SHUTDOWN_DRAIN_MS is over, and resets no connection', async () => {
    const drainMs = 6_000;
    const stopped = await TestService.start(database, { SHUTDOWN_DRAIN_MS: String(drainMs) });
    const api = Tables.of(stopped, credentials).api;
    const responses: { status: number; sentAt: number; endedAt: number }[] = [];
    let isReady = true;
    // As a load balancer, which sends requests as long as the instance is ready and for a moment afterwards.
    const sender = async () => {
      while (isReady) {
        const sentAt = Date.now();
        const { status } = await api.get('/v1/api/projects').catch(() => ({ status: 0 }));
        responses.push({ status, sentAt, endedAt: Date.now() });
      }
    };
    const senders = [sender(), sender(), sender()];
    await until(
      () => responses.length,
      (count) => count > 3,
    );
    const signalledAt = Date.now();
    const exited = stopped.stop();
    await until(async () => (await api.get('/health/ready')).status === 503);
    const unreadyAt = Date.now();
    await until(
      () => responses.filter(({ sentAt }) => sentAt > unreadyAt).length,
      (count) => count > 3,
    );
    isReady = false;
    await Promise.all(senders);
    // A busy machine may send the last requests too late.
    const inTime = responses.filter(({ endedAt }) => endedAt < signalledAt + drainMs);
    expect(inTime.filter(({ sentAt }) => sentAt > unreadyAt).length).toBeGreaterThan(0);
    expect(new Set(inTime.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await exited).toBe(0);
  });
});
