import { randomUUID } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { ACTIVITY } from '../support/database.js';
import { measureElapsed } from '../support/elapsed.js';
import { eventually, importRecord, lines, type Sent, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { keyAt, manyRows, Tables, text, unique } from '../support/tables.js';

const MIB = 1024 * 1024;

let database: TestDatabase;
let service: TestService;
let credentials: Credentials;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, { CLEANUP_INTERVAL_S: '1' });
  credentials = await service.provision();
  tables = Tables.of(service, credentials);
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const COLUMNS = [text('EQUNR', { primaryKey: true }), text('Name')];

const send = (table: string, body: string | Uint8Array, { of = tables, ...sent }: Sent & { of?: Tables } = {}) =>
  sendFile(of, table, body, sent);

interface CreatedTable {
  name: string;
  id: string;
  /** The name in PostgreSQL. */
  physical: string;
}

async function createTable(name = unique('Table')): Promise<CreatedTable> {
  const answer = await tables.bulk('assets', { name, columns: COLUMNS, items: [] });
  expect(answer.status).toBe(201);
  const { id } = answer.body.data.tables[0];
  const [schema, table] = [credentials.workspaceId, id].map((each: string) => each.replaceAll('-', ''));
  return { name, id, physical: `ws_${schema}.t_${table}` };
}

const drop = ({ id }: CreatedTable) => tables.api.delete(`${tables.path}/assets/${id}?confirm=${id}`);
const temporaryDirectory = () => join(service.env['DATA_DIR']!, 'temporary');
const listTemporaryFiles = () => readdirSync(temporaryDirectory());
const lockTables = () => database.lockTables(credentials);

const inStatus = (importId: string, status: string) =>
  eventually(
    () => importRecord(tables, importId),
    (record) => record?.status === status,
  );

/** Sets the last update of the import to two minutes ago, as if its instance had stopped. */
const expireHeartbeat = (importId: string) =>
  database.query(`UPDATE table_imports SET updated_at = now() - interval '2 minutes' WHERE id = $1`, [importId]);

describe('a table that is dropped during an import', () => {
  // Grows by a factor of 1,000 when decompressed, which takes some seconds.
  const file = () => gzipSync(`{"equnr":"1"}\n${'\n'.repeat(60 * MIB)}`);
  const droppedError = {
    code: 'not_found',
    message: 'The table was dropped during the import; nothing was stored. Create it and import the file again.',
  };

  it.each([false, true])(
    'an import into a dropped table returns 404 in response and record; table created again: %s',
    async (isCreatedAgain) => {
      const created = await createTable();
      const importId = randomUUID();
      const answer = send(created.name, file(), { query: { importId }, headers: { 'Content-Encoding': 'gzip' } });
      await inStatus(importId, 'reading');
      expect((await drop(created)).status).toBe(200);
      if (isCreatedAgain) await createTable(created.name);
      const { status, body } = await answer;
      expect([status, body.error, body.message]).toEqual([404, droppedError.code, droppedError.message]);
      expect(await importRecord(tables, importId)).toMatchObject({ status: 'failed', error: droppedError });
      if (isCreatedAgain) expect(await tables.rows('assets', created.name)).toEqual([]);
    },
  );

  it('returns 404 if the table of an import is dropped before the rows are written', async () => {
    const created = await createTable();
    const importId = randomUUID();
    const release = await lockTables();
    const dropped = drop(created);
    const waiting = `SELECT pid FROM ${ACTIVITY} WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    let answer;
    try {
      await eventually(
        () => database.query(waiting),
        (found) => found.length === 1,
      );
      answer = send(created.name, '{"equnr":"1"}\n', { query: { importId } });
      await inStatus(importId, 'writing');
    } finally {
      await release();
    }
    const outcome = [(await dropped).status, (await answer).status];
    // Either may lock the rows first; both receive a response.
    expect([
      [200, 404],
      [503, 200],
    ]).toContainEqual(outcome);
    if (outcome[1] === 404)
      expect(await importRecord(tables, importId)).toMatchObject({ status: 'failed', error: droppedError });
  });
});

it('an import can be cancelled during the writing statement, and its connection serves others', async () => {
  const { name, physical } = await createTable();
  await database.query(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(0.0001); RETURN NEW; END'`);
  const client = await database.connect();
  // A server without Citus ignores the setting.
  await client.query('SET citus.enable_unsafe_triggers = on');
  await client.query(`CREATE TRIGGER slowly BEFORE INSERT ON ${physical} FOR EACH ROW EXECUTE FUNCTION slowly()`);
  await client.end();
  const importId = randomUUID();
  const answer = send(name, lines(manyRows(110_000, (at) => ({ equnr: keyAt(at), name: 'x' }))), {
    query: { importId },
  });
  const merging = () =>
    database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'INSERT INTO ' || $1 || '%'`,
      [physical],
    );
  const [{ pid }] = (await eventually(merging, (found) => found.length === 1)) as [{ pid: number }];
  expect((await tables.api.delete(`${tables.path}/imports/${importId}`)).status).toBe(200);
  const { status, body } = await answer;
  expect([status, body.error]).toEqual([409, 'import_cancelled']);
  const record = await importRecord(tables, importId);
  expect(record).toMatchObject({ status: 'cancelled', error: null, rowsRead: 110_000, rowsWritten: 0 });
  expect(await database.query(`SELECT FROM ${physical} LIMIT 1`)).toEqual([]);
  await database.query('DROP FUNCTION slowly CASCADE');
  // The connection stays in the pool; a background job may be using it at this moment.
  const backend = () => database.query<{ state: string }>('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid]);
  await eventually(backend, ([found]) => found?.state === 'idle');
  const many = await Promise.all(manyRows(20, () => tables.read('assets', name)));
  expect(many.map((each) => each.status)).toEqual(Array(20).fill(200));
  expect((await send(name, '{"equnr":"1"}\n')).status).toBe(200);
}, 60_000);

it('records of imports are deleted thirty days after their end', async () => {
  const { name } = await createTable();
  const [old, recent] = [randomUUID(), randomUUID()];
  for (const [importId, days] of [
    [old, 31],
    [recent, 29],
  ] as const) {
    await send(name, '', { query: { importId } });
    await database.query(`UPDATE table_imports SET finished_at = now() - $2 * interval '1 day' WHERE id = $1`, [
      importId,
      days,
    ]);
  }
  await eventually(
    () => importRecord(tables, old),
    (record) => record === undefined,
  );
  expect(await importRecord(tables, recent)).toMatchObject({ status: 'succeeded' });
});

describe('an instance that is killed', () => {
  /** Killed during writing; leaves its files in the directory that it shares with the other instance. */
  async function killWhileWriting(table: string, importId: string, headers = {}): Promise<void> {
    const killed = await TestService.start(database, { DATA_DIR: service.env['DATA_DIR']! });
    const release = await lockTables();
    const of = Tables.of(killed, credentials);
    const cut = send(table, '{"equnr":"1"}\n', { of, headers, query: { importId } }).catch(() => undefined);
    await inStatus(importId, 'writing');
    await killed.stop('SIGKILL');
    await cut;
    await release();
  }

  it('a killed import leaves a temporary file, which another instance removes; files of running instances remain', async () => {
    const { name } = await createTable();
    await killWhileWriting(name, randomUUID());
    const [left] = listTemporaryFiles() as [string];
    const release = await lockTables();
    const importId = randomUUID();
    const answer = send(name, '{"equnr":"2"}\n', { query: { importId } });
    await inStatus(importId, 'writing');
    const longAgo = Date.now() / 1000 - 301;
    for (const file of listTemporaryFiles()) utimesSync(join(temporaryDirectory(), file), longAgo, longAgo);
    await eventually(listTemporaryFiles, (files) => !files.includes(left));
    expect(listTemporaryFiles()).toHaveLength(1);
    await release();
    expect((await answer).status).toBe(200);
    await eventually(listTemporaryFiles, (files) => files.length === 0);
  }, 60_000);

  it('locks its table for two seconds at most, whatever its statement does', async () => {
    const { name, physical } = await createTable();
    await database.query(`
      CREATE FUNCTION sleep_first() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(30); RETURN NEW; END';
      CREATE TRIGGER sleep BEFORE INSERT ON ${physical} FOR EACH STATEMENT EXECUTE FUNCTION sleep_first()`);
    const killed = await TestService.start(database, { DATA_DIR: service.env['DATA_DIR']! });
    const cut = send(name, '{"equnr":"1"}\n', { of: Tables.of(killed, credentials) }).catch(() => undefined);
    const isAsleep = () => database.query(`SELECT 1 FROM ${ACTIVITY} WHERE wait_event = 'PgSleep'`);
    await eventually(isAsleep, (found) => found.length > 0);
    await killed.stop('SIGKILL');
    const elapsed = measureElapsed();
    await database.query(`BEGIN; DROP TRIGGER sleep ON ${physical}; COMMIT`);
    // The statement sleeps for 30 s.
    expect(elapsed()).toBeLessThan(10_000);
    await cut;
    expect((await send(name, '{"equnr":"1"}\n')).status).toBe(200);
  }, 60_000);

  it('a killed import does not prevent a repetition with the same Idempotency-Key', async () => {
    const { name } = await createTable();
    const importId = randomUUID();
    const headers = { 'Idempotency-Key': randomUUID() };
    await killWhileWriting(name, importId, headers);
    await expireHeartbeat(importId);
    await inStatus(importId, 'failed');
    const again = () => send(name, '{"equnr":"1"}\n', { headers, query: { importId } });
    const answer = await eventually(again, ({ body }) => body.error !== 'idempotency_key_in_flight');
    expect([answer.status, answer.body.data.importId]).toEqual([200, importId]);
    expect(await importRecord(tables, importId)).toMatchObject({ status: 'succeeded', rowsWritten: 1, error: null });
    const replayed = await again();
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.body).toEqual(answer.body);
    expect(await tables.revision('assets', name)).toBe(2);
  }, 60_000);
});

it('a table is dropped only after its running export is complete', async () => {
  const created = await createTable();
  const count = 20_000;
  expect((await send(created.name, lines(manyRows(count, (at) => ({ equnr: keyAt(at) }))))).status).toBe(200);
  // More than the socket buffers, so that a reader that stops blocks the export.
  await database.query(`UPDATE ${created.physical} SET c2 = repeat('x', 2000)`);
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
  socket.write(
    `GET ${tables.path}/assets/${created.id}/items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
      `X-API-Key: ${credentials.apiKey}\r\nAccept: application/x-ndjson\r\n\r\n`,
  );
  const chunks: Buffer[] = [];
  const ended = new Promise((done) => socket.once('end', done));
  await new Promise<void>((done) => {
    socket.on('data', (chunk: Buffer) => {
      if (chunks.push(chunk) === 1) {
        socket.pause();
        done();
      }
    });
  });
  const rejected = await drop(created);
  expect([rejected.status, rejected.body.error]).toEqual([503, 'table_busy']);
  expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
  socket.resume();
  await ended;
  const sent = Buffer.concat(chunks).toString('latin1');
  expect(sent).toMatch(/^HTTP\/1\.1 200 /);
  expect(sent.split('"equnr":"K').length - 1).toBe(count);
  // The last chunk of a complete response.
  expect(sent.endsWith('\r\n0\r\n\r\n')).toBe(true);
  expect((await drop(created)).status).toBe(200);
  expect((await tables.api.get('/health/ready')).status).toBe(200);
});

describe('callers that disconnect before their requests are admitted', () => {
  const disconnectEarly = (head: string, body = '') =>
    new Promise<void>((done) => {
      const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
      socket.on('close', () => done()).on('error', () => undefined);
      socket.resume();
      socket.end(`${head} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${credentials.apiKey}\r\n${body || '\r\n'}`);
    });

  it('occupy no slot of imports and comparisons', async () => {
    const { name } = await createTable();
    const path = `${tables.path}/assets/${name}/items`;
    const body = 'Content-Type: text/csv\r\nContent-Length: 9\r\n\r\nequnr\nA-1';
    // More than the slots of a caller.
    for (const action of ['compare', 'import'])
      await Promise.all(Array.from({ length: 10 }, () => disconnectEarly(`POST ${path}/${action}`, body)));
    const isFree = async (path: string) =>
      (await tables.api.send(path, { method: 'POST', body: 'equnr\nA-1', headers: { 'Content-Type': 'text/csv' } }))
        .status;
    expect(
      await eventually(
        () => isFree(`${path}/compare`),
        (status) => status === 200,
      ),
    ).toBe(200);
    expect(
      await eventually(
        () => isFree(`${path}/import`),
        (status) => status === 200,
      ),
    ).toBe(200);
  });

  it.each(['export', 'items'])('occupy no export and no connection: %s', async (route) => {
    const created = await createTable();
    const rows = manyRows(2_000, (at) => ({ equnr: keyAt(at), name: 'x'.repeat(500) }));
    expect((await send(created.name, lines(rows))).status).toBe(200);
    const path = `${tables.path}/assets/${created.id}/${route}`;
    const head = `GET ${path}`;
    const condition = 'Accept: text/csv\r\nIf-None-Match: *\r\n\r\n';
    for (const headers of [condition, 'Accept: text/csv\r\n\r\n'])
      await Promise.all(Array.from({ length: 10 }, () => disconnectEarly(head, headers)));
    const isFree = async () => (await tables.api.send(path, { headers: { Accept: 'text/csv' } })).status;
    expect(await eventually(isFree, (status) => status === 200)).toBe(200);
    const copies = async () =>
      (await database.query(`SELECT 1 FROM ${ACTIVITY} WHERE query LIKE 'COPY %' AND state <> 'idle'`)).length;
    expect(await eventually(copies, (count) => count === 0)).toBe(0);
  });
});

it('an import that exceeds its time limit reports that in response and record', async () => {
  const shortTimeout = await TestService.start(database, { IMPORT_TIMEOUT_S: '1' });
  try {
    const { name } = await createTable();
    const of = new Tables(new Api(shortTimeout.baseUrl).withKey(credentials.apiKey), credentials.workspaceId);
    const importId = randomUUID();
    const release = await lockTables();
    const answer = await send(name, lines([{ equnr: '1' }]), { of, query: { importId } });
    await release();
    const { error: code, message } = answer.body;
    expect(answer.status).toBe(503);
    // The limits of statement and lock expire together: either may be first.
    expect(['busy', 'database_timeout']).toContain(code);
    expect(await importRecord(tables, importId)).toMatchObject({ status: 'failed', error: { code, message } });
    expect(await tables.rows('assets', name)).toEqual([]);
  } finally {
    await shortTimeout.stop();
  }
});
