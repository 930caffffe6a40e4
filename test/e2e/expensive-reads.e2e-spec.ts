import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { Api, type ApiResponse } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { TestDatabase, TestService } from '../support/service.js';
import { Tables, text } from '../support/tables.js';
import { until } from '../support/until.js';

/** Expensive reads use half of them. */
const POOL_SIZE = 6;
const TURNS = 3;
const TURNS_PER_CALLER = 2;

let database: TestDatabase;
let service: TestService;
let me: Credentials;
let api: Api;
let table: string;
/** Locks the rows of the workspace, so that its reads do not end. */
let locking: Client;
/** The reads of the test. */
let pending: Promise<ApiResponse>[];

beforeAll(async () => {
  database = await TestDatabase.create();
  service = await TestService.start(database, {
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    DATABASE_LOCK_TIMEOUT_MS: '120000',
    DATABASE_STATEMENT_TIMEOUT_MS: '120000',
  });
  me = await service.provision();
  api = new Api(service.baseUrl).withKey(me.apiKey);
  const tables = Tables.of(service, me);
  const columns = [
    text('Code'),
    text('Name'),
    { name: 'Parent', type: 'reference' },
    { name: 'Above', type: 'hierarchyParent' },
  ];
  const { status } = await tables.bulk('assets', { name: 'Assets', columns, items: [{ code: 'A', name: 'Pump' }] });
  expect(status).toBe(201);
  table = `${tables.path}/assets/Assets`;
  // The instance reads the table once, so that later reads wait only for its rows.
  expect((await api.get(`${table}/items`)).status).toBe(200);
});

beforeEach(async () => {
  locking = new Client({ connectionString: database.url });
  await locking.connect();
  const schema = `ws_${me.workspaceId.replaceAll('-', '')}`;
  const { rows } = await locking.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1`,
    [schema],
  );
  await locking.query('BEGIN');
  for (const { name } of rows) await locking.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
  await locking.query('LOCK TABLE notes IN ACCESS EXCLUSIVE MODE');
});

afterEach(async () => {
  await locking.end();
  await Promise.all(pending);
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** The statements of requests that wait for a lock. Background jobs wait for it, too. */
async function listWaiting(): Promise<string[]> {
  // On another connection: within a transaction, the view does not change.
  const rows = await database.query<{ query: string }>(
    `SELECT left(query, 200) AS query FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() AND backend_type = 'client backend' AND query !~ '^ANALYZE|AS position FROM'`,
  );
  return rows.map(({ query }) => query);
}

const READS: [string, (caller: Api) => Promise<ApiResponse>][] = [
  ['exports', (caller) => caller.get(`${table}/export`)],
  ['exact counts', (caller) => caller.get(`${table}/items?count=exact`)],
  ['searches of rows', (caller) => caller.get(`${table}/items?q=pump`)],
  ['filters without an index', (caller) => caller.get(`${table}/items?filter[name][contains]=pump`)],
  ['filters with alternatives', (caller) => caller.get(`${table}/items?filter={"or":[{"code":"A"},{"name":"B"}]}`)],
  ['OData pages with $expand', (caller) => caller.get(`/odata/v4/${me.workspaceId}/assets_Assets?$expand=aboveRow`)],
  ['aggregates', (caller) => caller.get(`${table}/aggregate`)],
  ['unresolved references', (caller) => caller.get(`${table}/unresolved`)],
  ['figures of tables', (caller) => caller.get('/v1/api/analytics/tables')],
  ['figures of notes', (caller) => caller.get('/v1/api/analytics/notes')],
  ['overviews', (caller) => caller.get('/v1/api/analytics/overview')],
  ['searches of notes', (caller) => caller.get(`/v2/api/workspaces/${me.workspaceId}/notes?q=pump`)],
  ['comparisons', (caller) => caller.post(`${table}/items/compare`, 'code\nA\n', { 'Content-Type': 'text/csv' })],
];

it.each(READS)('%s of one caller leave connections for another caller', async (_name, read) => {
  pending = Array.from({ length: POOL_SIZE + 2 }, () => read(api));
  await until(listWaiting, ({ length }) => length > 0);
  // The others must not follow.
  await delay(500);
  const waiting = await listWaiting();
  expect(waiting.length > TURNS_PER_CALLER ? waiting : []).toEqual([]);
  const { apiKey } = await service.provision();
  const other = new Api(service.baseUrl).withKey(apiKey);
  for (let request = 0; request < 20; request++) expect((await other.get('/v1/api/projects')).status).toBe(200);
  await locking.query('ROLLBACK');
  const statuses = (await Promise.all(pending)).map(({ status }) => status);
  // An instance has other limits for the number of exports and comparisons.
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(TURNS_PER_CALLER);
});

it('reads of several callers together leave connections, and each caller has a turn', async () => {
  const second = await service.provision();
  const callers = [api, new Api(service.baseUrl).withKey(second.apiKey)];
  // The notes are locked for all workspaces.
  pending = callers.flatMap((caller) => Array.from({ length: POOL_SIZE }, () => caller.get('/v1/api/analytics/notes')));
  await until(listWaiting, ({ length }) => length >= TURNS);
  await delay(500);
  expect(await listWaiting()).toHaveLength(TURNS);
  expect((await callers[1]!.get('/v1/api/projects')).status).toBe(200);
  await locking.query('ROLLBACK');
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual(pending.map(() => 200));
});
