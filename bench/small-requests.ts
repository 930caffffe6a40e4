import { Connection, parseReply } from './connection.js';
import { inTurn, measure, ratios } from './measure.js';
import type { Options } from './options.js';
import type { MeasuredProcess } from './processes.js';
import { CONNECTIONS, createDatabaseClock, type Figures, fire, type Request } from './request-load.js';
import { sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import {
  cpuMicroseconds,
  integer,
  markdownTable,
  milliseconds,
  ratio,
  spread,
  verdict,
  verdictAtMost,
} from './table.js';

const ROWS = 10_000;
const READ = 'small_read';
const WRITTEN = 'small_written';
/** Users sign in in turn. Each can have ten sessions: enough for 4,000 sign-ins per second in the longest run. */
const USERS = 1_600;
/** Rows that are added before each run that deletes rows: more than one run deletes. */
const DELETABLE_ROWS = 50_000;
/** How many times the median of one connection the slowest writes of all connections may take. */
const MAX_WAIT = 20;

/** Numbers the requests over all runs, so that each can write a new row. */
type RequestAt = (n: number) => Request;

interface Scenario {
  /** Least share of the floor's requests per second. */
  aim: number;
  service: RequestAt;
  floor: RequestAt;
  /**
   * Are the requests writes of one table, which wait for each other? Their longest times are compared with those of one
   * connection.
   */
  sharesLock?: boolean;
  /** Receives the body of each reply of the service. */
  onReply?: (body: string) => void;
  /** Runs before each run. @param next the numbers of the next requests. */
  prepare?: (next: { service: number; floor: number }) => Promise<void>;
}

type Tables = Record<'read' | 'written', { id: string; physical: string }>;

/**
 * Measures single small requests over 8 connections, compared with a bare NestJS controller with one prepared
 * statement.
 */
export async function benchSmallRequests(
  stage: Stage,
  options: Options,
  note: (line: string) => void,
): Promise<string> {
  note('small requests: preparing');
  const tables = { read: await stage.createTable(READ), written: await stage.createTable(WRITTEN) };
  const scenarios = await prepareScenarios(stage, tables);
  const floor = await startFloor(stage, tables);
  const databaseCpu = await createDatabaseClock(stage);
  const seconds = options.authenticationSeconds;
  const rows: string[][] = [];
  const waits: string[][] = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (!name.includes(options.request)) continue;
    const counters = { service: 0, floor: 0 };
    const own: Figures[] = [];
    const bare: Figures[] = [];
    const alone: Figures[] = [];
    await measure(options.runs, async (index) => {
      note(`${name}: run ${index} of ${options.runs}`);
      await scenario.prepare?.(counters);
      const { onReply } = scenario;
      const load = { seconds, databaseCpu };
      const service = () => scenario.service(counters.service++);
      const figures = await inTurn(index, {
        service: () => fire(stage.service, service, { ...load, onReply }),
        floor: () => fire(floor, () => scenario.floor(counters.floor++), load),
      });
      const single = scenario.sharesLock && (await fire(stage.service, service, { ...load, connections: 1 }));
      if (index > 0) {
        own.push(figures.service);
        bare.push(figures.floor);
        if (single) alone.push(single);
      }
      return {};
    });
    const column = (all: Figures[], figure: keyof Figures) => all.map((each) => each[figure]);
    const ofFloor = ratios(column(own, 'rate'), column(bare, 'rate'));
    const cpu = (all: Figures[]) =>
      `${spread(column(all, 'nodeCpu'), cpuMicroseconds)} + ${spread(column(all, 'databaseCpu'), cpuMicroseconds)}`;
    rows.push([
      name,
      spread(column(own, 'rate')),
      spread(column(own, 'p50'), milliseconds),
      spread(column(own, 'p99'), milliseconds),
      cpu(own),
      spread(column(bare, 'rate')),
      cpu(bare),
      spread(ofFloor, ratio),
      ...verdict(ofFloor, scenario.aim),
    ]);
    if (alone.length > 0) {
      const multiples = ratios(column(own, 'p99'), column(alone, 'p50'));
      const times = [spread(column(own, 'p99'), milliseconds), spread(column(alone, 'p50'), milliseconds)];
      waits.push([name, ...times, spread(multiples, ratio), ...verdictAtMost(multiples, MAX_WAIT, ratio)]);
    }
  }
  const waitHeaders = [`p99 ms, ${CONNECTIONS} connections`, 'p50 ms, one connection', 'multiple'];
  const headers = ['request', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs Node + PostgreSQL'];
  return [
    '## Small requests',
    '',
    `${CONNECTIONS} connections, ${options.authenticationSeconds} s per run (autocannon). Rows have 8 fields; the read table has ${integer(ROWS)} rows.`,
    '',
    markdownTable([...headers, 'bare Nest', 'its CPU µs', 'of bare Nest', 'aim', 'met'], rows),
    ...(waits.length > 0 ? ['', markdownTable(['writes of one table', ...waitHeaders, 'aim', 'met'], waits)] : []),
  ].join('\n');
}

async function prepareScenarios(stage: Stage, tables: Tables): Promise<Record<string, Scenario>> {
  const { workspaceId, authorization } = stage;
  const connection = new Connection(stage.service.baseUrl, authorization);
  const post = async (path: string, body: object, ...expected: number[]) =>
    parseReply(await connection.post(path, Buffer.from(JSON.stringify(body))), ...expected);
  const rows = sampleRows(0, ROWS);
  await post(stage.bulkPath, { assets: [{ name: READ, items: rows }] }, 200);
  const notes = `/v2/api/workspaces/${workspaceId}/notes`;
  const noteBody = { title: 'Leak at the feed pump', description: 'Oil on the floor', priority: 'high' };
  const { data: thread } = (await post(notes, noteBody, 201)) as { data: { id: string } };
  const clients = await stage.createClients(USERS);
  const refreshTokens: string[] = [];

  const items = (id: string) => `/v2/api/workspaces/${workspaceId}/cw/assets/${id}/items`;
  const key = (n: number) => rows[(n * 7919) % ROWS]!.equnr;
  const newRow = (n: number) => ({ ...rows[n % ROWS]!, equnr: `N${String(n).padStart(9, '0')}` });
  const get = (path: string, headers: Record<string, string> = authorization): Request => ({
    method: 'GET',
    path,
    headers,
  });
  const page = (limit: number): Scenario => ({
    aim: limit === 1_000 ? 0.85 : 0.6,
    service: () => get(`${items(tables.read.id)}?limit=${limit}`),
    floor: () => get(`/rows?after=&limit=${limit}`),
  });
  const write = (method: 'PUT' | 'PATCH' | 'DELETE', body?: (n: number) => object): Scenario => ({
    aim: 0.4,
    sharesLock: true,
    service: (n) => ({
      method,
      path: `${items(tables.written.id)}/${newRow(n).equnr}`,
      headers: authorization,
      body: body?.(n),
    }),
    floor: (n) => ({ method, path: `/rows/${newRow(n).equnr}`, body: body?.(n) }),
  });
  /** Adds the rows that the next requests name. */
  const addWrittenRows = async (next: { service: number; floor: number }) => {
    // Both continue from the same row: the floor is faster, and would name rows that were not added.
    const from = Math.max(next.service, next.floor);
    next.service = next.floor = from;
    const added = Array.from({ length: DELETABLE_ROWS }, (_, index) => newRow(from + index));
    await post(stage.bulkPath, { assets: [{ name: WRITTEN, items: added }] }, 200);
    await stage.database.query(
      `INSERT INTO bare_nest.${WRITTEN} SELECT * FROM ${tables.written.physical} ON CONFLICT DO NOTHING`,
    );
  };
  return {
    'GET /health/live': { aim: 0.8, service: () => get('/health/live', {}), floor: () => get('/live', {}) },
    'GET one row, Bearer': {
      aim: 0.6,
      service: (n) => get(`${items(tables.read.id)}/${key(n)}`),
      floor: (n) => get(`/rows/${key(n)}`),
    },
    'GET one row, API key': {
      aim: 0.6,
      service: (n) => get(`${items(tables.read.id)}/${key(n)}`, { 'x-api-key': stage.apiKey }),
      floor: (n) => get(`/rows/${key(n)}`),
    },
    'page of 100': page(100),
    'page of 1,000': page(1_000),
    'PUT one new row': write('PUT', newRow),
    'PATCH one row': { ...write('PATCH', (n) => ({ weight: n })), prepare: addWrittenRows },
    'DELETE one row': { ...write('DELETE'), prepare: addWrittenRows },
    'POST note': {
      aim: 0.3,
      service: () => ({ method: 'POST', path: notes, headers: authorization, body: noteBody }),
      floor: () => ({ method: 'POST', path: '/notes', body: noteBody }),
    },
    'POST message': {
      aim: 0.3,
      service: () => ({
        method: 'POST',
        path: `${notes}/${thread.id}/messages`,
        headers: authorization,
        body: { description: 'Tightened the flange' },
      }),
      floor: () => ({
        method: 'POST',
        path: `/notes/${thread.id}/messages`,
        body: { description: 'Tightened the flange' },
      }),
    },
    'sign-in': {
      aim: 0.35,
      // Each user can have ten sessions.
      prepare: () => stage.endSessions(clients),
      service: (n) => {
        const { clientId, clientSecret } = clients[n % USERS]!;
        return {
          method: 'POST',
          path: '/v1/api/oauth2/token',
          body: { grant_type: 'password', client_id: clientId, client_secret: clientSecret },
        };
      },
      floor: () => ({
        method: 'POST',
        path: '/token',
        body: { grant_type: 'password', client_id: 'a', client_secret: 'b' },
      }),
    },
    refresh: {
      aim: 0.35,
      prepare: async () => {
        await stage.endSessions(clients);
        refreshTokens.splice(0);
        for (const { clientId, clientSecret } of clients.slice(0, 2 * CONNECTIONS)) {
          const grant = { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
          refreshTokens.push(readRefreshToken(JSON.stringify(await post('/v1/api/oauth2/token', grant, 200))));
        }
      },
      onReply: (body) => refreshTokens.push(readRefreshToken(body)),
      service: () => ({
        method: 'POST',
        path: '/v1/api/oauth2/token',
        body: { grant_type: 'refresh_token', refresh_token: refreshTokens.shift() },
      }),
      floor: () => ({ method: 'POST', path: '/token', body: { grant_type: 'refresh_token', refresh_token: 'a' } }),
    },
  };
}

function readRefreshToken(reply: string): string {
  return (JSON.parse(reply) as { data: { refresh_token: string } }).data.refresh_token;
}

async function startFloor(stage: Stage, { read, written }: Tables): Promise<MeasuredProcess> {
  await stage.database.query(`
    CREATE TABLE bare_nest.${WRITTEN} (LIKE ${written.physical} INCLUDING ALL);
    ${['notes', 'note_messages', 'note_events', 'note_counters', 'directory'].map(copyTable).join('')}
    CREATE TABLE bare_nest.sign_ins (id uuid PRIMARY KEY, client_id text NOT NULL, created_at timestamptz NOT NULL)`);
  return stage.startFloor('bare-requests', read.physical, WRITTEN, stage.workspaceId);
}

/** A note needs rows in several tables: the floor writes the same ones. */
function copyTable(name: string): string {
  return `CREATE TABLE bare_nest.${name} (LIKE ${name} INCLUDING ALL); INSERT INTO bare_nest.${name} SELECT * FROM ${name};`;
}
