import { setTimeout as delay } from 'node:timers/promises';
import { Api, type ApiResponse } from '../support/api.js';
import { measureElapsed } from '../support/elapsed.js';
import { lines, sendFile } from '../support/imports.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text, unique } from '../support/tables.js';
import { Tunnel } from '../support/tunnel.js';
import { until } from '../support/until.js';

const PROJECTS = '/v1/api/projects';
/** Every request is answered within this time, whatever the database does. */
const LIMIT_MS = 5_000;

let database: TestDatabase;
let tunnel: Tunnel;
let service: TestService;
let api: Api;
let tables: Tables;

beforeAll(async () => {
  database = await TestDatabase.create();
  tunnel = await Tunnel.to(database);
  const defaults = { DATABASE_CONNECT_TIMEOUT_MS: '2000', DATABASE_LOCK_TIMEOUT_MS: '5000' };
  service = await TestService.start(database, { DATABASE_URL: tunnel.url, ...defaults });
  const me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  tables = Tables.of(service, me);
});

afterAll(async () => {
  await service?.stop();
  await tunnel?.close();
  await database?.drop();
});

async function timed(send: () => Promise<ApiResponse>): Promise<ApiResponse & { ms: number }> {
  const elapsed = measureElapsed();
  const answer = await send();
  return { ...answer, ms: elapsed() };
}

function expectUnavailableInTime(answers: (ApiResponse & { ms: number })[]): void {
  for (const { status, headers, ms } of answers) {
    expect(status).toBe(503);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    // A busy machine delays timers; a request that waits for the freeze takes eight seconds.
    expect(ms).toBeLessThan(LIMIT_MS + 1_500);
  }
}

describe('a database that does not respond', () => {
  it('lets requests fail with 503 in time, and is used again when it responds', async () => {
    await Promise.all([1, 2, 3, 4].map(() => api.get(PROJECTS)));
    tunnel.freeze();
    try {
      const [first, later] = await Promise.all([
        Promise.all([
          timed(() => api.get(PROJECTS)),
          timed(() => api.post(PROJECTS, { name: 'Frozen' })),
          timed(() => api.post(PROJECTS, { name: 'Frozen' }, { 'Idempotency-Key': 'frozen' })),
        ]),
        delay(4_000).then(() => Promise.all([1, 2, 3].map(() => timed(() => api.get(PROJECTS))))),
      ]);
      expectUnavailableInTime([...first, ...later]);
    } finally {
      tunnel.thaw();
    }
    await until(
      () => api.get(PROJECTS),
      ({ status }) => status === 200,
    );
    const repeat = () => api.post(PROJECTS, { name: 'Frozen' }, { 'Idempotency-Key': 'frozen' });
    const { status } = await until(repeat, (answer) => answer.status !== 409, LIMIT_MS + 2_000);
    expect([200, 201]).toContain(status);
  });

  it('does not close the connections of a slow statement', async () => {
    const name = unique('Slow');
    await tables.bulk('assets', { name, columns: [text('Code')], items: [] });
    // Waits for a lock longer than a silent database may take.
    const release = await database.lock('SELECT 1 FROM workspace_tables FOR UPDATE');
    const writing = tables.bulk('assets', { name, items: [{ code: 'A' }] });
    await delay(3_500);
    await release();
    expect((await writing).status).toBe(200);
  });
});

describe('a locked table', () => {
  it('does not use all connections: other requests are served', async () => {
    const name = unique('Locked');
    await tables.bulk('assets', { name, columns: [text('Code')], items: [{ code: 'A' }] });
    const release = await database.lock('SELECT 1 FROM workspace_tables FOR UPDATE');
    try {
      const path = `${tables.path}/assets/${encodeURIComponent(name)}/items/A`;
      // Imports wait longer than requests, each with a connection.
      const imports = Promise.all([1, 2, 3].map(() => sendFile(tables, name, lines([{ code: 'I' }]))));
      const writers = Promise.all([
        ...Array.from({ length: 15 }, (_, at) =>
          timed(() => tables.bulk('assets', { name, items: [{ code: `B${at}` }] })),
        ),
        // One after the other: those that arrive together share a connection.
        ...Array.from({ length: 15 }, (_, at) => delay(at * 30).then(() => timed(() => api.put(path, {})))),
      ]);
      await delay(700);
      for (let round = 0; round < 5; round++) {
        const other = await timed(() => api.post(PROJECTS, { name: 'Other' }));
        expect(other.status).toBe(201);
        expect(other.ms).toBeLessThan(2_000);
      }
      const answers = await writers;
      await release();
      expect((await imports).map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const { status, body } of answers) expect([status, body.error]).toEqual([503, 'busy']);
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(2 * LIMIT_MS + 2_000);
    } finally {
      await release();
    }
    expect((await tables.bulk('assets', { name, items: [{ code: 'C' }] })).status).toBe(200);
  });
});
