import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { startIssuer } from './issuer.js';
import { type Group, type Measurement, percentile, reading } from './measure.js';
import { COLUMNS, PHYSICAL_COLUMNS, sampleRows } from './sample-rows.js';
import type { BenchTable, MeasuredProcess, Sizes, Stage } from './stage.js';

const [CONNECTIONS, ROWS] = [8, 10_000];
/** Users sign in in turn. Each can have ten sessions: enough for 4,000 sign-ins per second in the longest run. */
const USERS = 1_600;
/** Rows that are added before each run that changes or deletes them: more than one run does. */
const ADDED_ROWS = 50_000;
/** How many times the median of one connection the slowest writes of all connections may take. */
const MAX_WAIT = 20;
const NOTE = { title: 'Leak at the feed pump', description: 'Oil on the floor', priority: 'high' };
const MESSAGE = { description: 'Tightened the flange' };
const TOKEN = '/v1/api/oauth2/token';

type Method = NonNullable<autocannon.Request['method']>;
/** Requests are numbered, so that each can write another row. */
type RequestAt = (number: number) => autocannon.Request;

interface Scenario {
  /** Of the rate of the floor. */
  aim: number;
  service: RequestAt;
  /** `/row/NAME` and `/page/NAME` execute a statement of `compileStatements`. */
  floor: RequestAt;
  prepare?: (next: { service: number; floor: number }) => Promise<unknown>;
  onReply?: (body: string) => void;
  /** Are the requests writes of one table, which wait for each other? */
  sharesLock?: boolean;
  /** Is the floor a request to the service, too? What it is called in the table. */
  ownFloor?: string;
}

/** Single requests over 8 connections, compared with a bare NestJS controller that executes one statement. */
export async function prepareSmall(stage: Stage, { seconds }: Sizes): Promise<Group[]> {
  const [read, written] = [await stage.createTable('small_read'), await stage.createTable('small_written')];
  const { authorization, connection, workspacePath } = stage;
  const rows = sampleRows(0, ROWS);
  await stage.bulk('small_read', rows);
  const { apiKey } = await connection.call<{ apiKey: string }>('POST', `${workspacePath}/api-keys`, { name: 'Key' });
  const thread = await connection.call<{ id: string }>('POST', `${workspacePath}/notes`, NOTE);
  const accounts = await stage.createAccounts(USERS);
  const refreshTokens: string[] = [];
  const issued = { authorization: `Bearer ${await startIssuer(stage, accounts[0]!.userId)}` };
  const bareNest = await stage.startFloor(await compileStatements(stage, read, written));

  const request = (method: Method, path: string, body?: object, headers = authorization): autocannon.Request => {
    if (!body) return { method, path, headers };
    return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  };
  const get = (path: string, headers?: Record<string, string>) => request('GET', path, undefined, headers);
  const post = (path: string, body: object, headers?: Record<string, string>) => request('POST', path, body, headers);
  const keyAt = (number: number) => rows[(number * 7919) % ROWS]!.equnr;
  const newRow = (number: number) => ({ ...rows[number % ROWS]!, equnr: `N${String(number).padStart(9, '0')}` });
  const readRow = (headers = authorization, aim = 0.6): Scenario => ({
    aim,
    service: (number) => get(`${read.path}/items/${keyAt(number)}`, headers),
    floor: (number) => get(`/row/find?value=${keyAt(number)}`, {}),
  });
  const readPage = (limit: number, aim: number): Scenario => ({
    aim,
    service: () => get(`${read.path}/items?limit=${limit}`),
    floor: () => get(`/page/list?value=&value=${limit}`, {}),
  });
  /** The floor of PUT ignores the key of its query: its body has the key, too. */
  const write = (method: Method, statement: string, toBody?: (number: number) => object): Scenario => ({
    aim: 0.4,
    service: (number) => request(method, `${written.path}/items/${newRow(number).equnr}`, toBody?.(number)),
    floor: (number) => request(method, `/row/${statement}${newRow(number).equnr}`, toBody?.(number), {}),
    sharesLock: true,
  });
  /** Adds the rows that the next requests name. */
  const prepare: Scenario['prepare'] = async (next) => {
    // Both continue from the same row: the floor is faster, and would name rows that were not added.
    const from = Math.max(next.service, next.floor);
    next.service = next.floor = from;
    const added = Array.from({ length: ADDED_ROWS }, (_, index) => newRow(from + index));
    await stage.bulk('small_written', added);
    await stage.database.query(`INSERT INTO floor.rows SELECT * FROM ${written.physical} ON CONFLICT DO NOTHING`);
  };
  const users = accounts.map(({ userId }) => userId);
  const endSessions = () => stage.database.query('DELETE FROM sessions WHERE user_id = ANY ($1)', [users]);
  const toGrant = (number: number) => {
    const { clientId, clientSecret } = accounts[number % USERS]!;
    return { grant_type: 'password', client_id: clientId, client_secret: clientSecret };
  };
  const addToken = ({ refresh_token }: { refresh_token: string }) => refreshTokens.push(refresh_token);
  const startSessions = async () => {
    await endSessions();
    refreshTokens.length = 0;
    for (let number = 0; number < 2 * CONNECTIONS; number++)
      addToken(await connection.call('POST', TOKEN, toGrant(number)));
  };

  const scenarios: Record<string, Scenario> = {
    'GET one row, Bearer': readRow(),
    'GET one row, API key': readRow({ 'x-api-key': apiKey }),
    'GET one row, token of an issuer': { ...readRow(issued, 0.9), floor: readRow().service, ownFloor: 'own token' },
    'page of 100': readPage(100, 0.6),
    'page of 1,000': readPage(1_000, 0.85),
    'PUT one new row': write('PUT', 'put?key=', newRow),
    'PATCH one row': { ...write('PATCH', 'patch?value=', (weight) => ({ weight })), prepare },
    'DELETE one row': { ...write('DELETE', 'delete?value='), prepare },
    'POST note': {
      aim: 0.3,
      service: () => post(`${workspacePath}/notes`, NOTE),
      floor: () => post(`/row/note?value=${randomUUID()}`, NOTE, {}),
    },
    'POST message': {
      aim: 0.3,
      service: () => post(`${workspacePath}/notes/${thread.id}/messages`, MESSAGE),
      floor: () => post(`/row/message?value=${randomUUID()}&value=${thread.id}`, MESSAGE, {}),
    },
    'sign-in': {
      aim: 0.35,
      service: (number) => post(TOKEN, toGrant(number), {}),
      floor: (number) => post('/token', toGrant(number), {}),
      prepare: endSessions,
    },
    refresh: {
      aim: 0.35,
      service: () => post(TOKEN, { grant_type: 'refresh_token', refresh_token: refreshTokens.shift() }, {}),
      floor: () => post('/token', { grant_type: 'refresh_token', refresh_token: 'a' }, {}),
      prepare: startSessions,
      onReply: (body) => addToken((JSON.parse(body) as { data: { refresh_token: string } }).data),
    },
  };
  return Object.entries(scenarios).map(([name, { aim, service, floor, prepare, onReply, sharesLock, ownFloor }]) => {
    const next = { service: 0, floor: 0 };
    let last = { p99: Number.NaN };
    const send = (connections: number) =>
      sendLoad(stage, stage.service, { connections, seconds, onReply, next: () => service(next.service++) });
    const sendToFloor = () =>
      sendLoad(stage, ownFloor === undefined ? bareNest : stage.service, {
        connections: CONNECTIONS,
        seconds,
        next: () => floor(next.floor++),
      });
    const rate: Measurement = {
      name,
      unit: 'requests/s',
      service: async () => (last = await send(CONNECTIONS)),
      floors: [{ name: ownFloor ?? 'bare Nest', aim, work: sendToFloor }],
    };
    const one = { name: 'p50 of one connection', aim: MAX_WAIT, work: async () => ({ figure: (await send(1)).p50 }) };
    const wait: Measurement = { name: `${name}, p99`, unit: 'ms', service: reading(() => last.p99), floors: [one] };
    return { prepare: async () => prepare?.(next), measurements: sharesLock ? [rate, wait] : [rate] };
  });
}

type Load = { connections: number; seconds: number; next: () => autocannon.Request; onReply?: Scenario['onReply'] };

/** Sends requests for some seconds, after a second of warm-up. @returns their rate, and milliseconds of one request */
async function sendLoad(stage: Stage, contender: MeasuredProcess, { connections, seconds, next, onReply }: Load) {
  const times: number[] = [];
  const setupRequest = (request: autocannon.Request) => ({ ...request, ...next() });
  const setupClient = (client: autocannon.Client) =>
    client.on('response', (_status: number, _bytes: number, time: number) => times.push(time));
  const requests = [{ setupRequest, onResponse: onReply && ((_: number, body: string) => onReply(body)) }];
  const send = (duration: number) =>
    autocannon({ url: contender.baseUrl, connections, duration, setupClient, requests });
  await send(1);
  times.length = 0;
  const slice = await stage.rate(contender, async () => {
    const { non2xx, errors } = await send(seconds);
    if (non2xx + errors > 0) throw new Error(`${contender.baseUrl}: ${non2xx + errors} requests failed.`);
    return times.length;
  });
  return { ...slice, p50: percentile(times), p99: percentile(times, 0.99) };
}

/** Creates the tables of the floor. @returns its statements */
async function compileStatements(stage: Stage, read: BenchTable, written: BenchTable) {
  // A note needs rows in several tables: the floor writes the same ones.
  for (const name of ['notes', 'note_messages', 'note_events', 'note_counters', 'directory'])
    await stage.database.query(`CREATE TABLE floor.${name} (LIKE ${name} INCLUDING ALL);
                                INSERT INTO floor.${name} SELECT * FROM ${name}`);
  await stage.database.query(`
    CREATE TABLE floor.rows (LIKE ${written.physical} INCLUDING ALL);
    CREATE TABLE floor.sign_ins (id uuid PRIMARY KEY, client_id text NOT NULL, created_at timestamptz NOT NULL)`);
  const workspace = `'${stage.workspaceId}'::uuid`;
  const placeholders = PHYSICAL_COLUMNS.map((_, position) => `$${position + 1}`).join(', ');
  const updates = PHYSICAL_COLUMNS.slice(1).map((name) => `${name} = excluded.${name}`);
  const fields = COLUMNS.map(({ key }, position) => `'${key}', ${PHYSICAL_COLUMNS[position]}`);
  const item = `json_build_object(${fields.join(', ')}) AS item`;
  const row = `${item}, _revision::float8 AS revision, _created_at AS "createdAt", _updated_at AS "updatedAt"`;
  /** The next number of a note and the next position of an event, as the service stores them. */
  const count = (added: number) => `
    INSERT INTO floor.note_counters AS c (workspace_id, last_number, last_sequence) VALUES (${workspace}, ${added}, 1)
    ON CONFLICT (workspace_id) DO UPDATE
       SET last_number = c.last_number + ${added}, last_sequence = c.last_sequence + 1
    RETURNING last_number, last_sequence`;
  return {
    find: `SELECT ${row} FROM ${read.physical} WHERE c1 = $1`,
    list: `SELECT ${item} FROM ${read.physical} WHERE c1 > $1 ORDER BY c1 LIMIT $2`,
    put: `INSERT INTO floor.rows (${PHYSICAL_COLUMNS.join(', ')}, _revision, _created_at, _updated_at)
          VALUES (${placeholders}, 1, now(), now())
          ON CONFLICT (c1) DO UPDATE SET ${updates.join(', ')}, _updated_at = now() RETURNING ${row}`,
    patch: `UPDATE floor.rows SET c6 = $2, _updated_at = now() WHERE c1 = $1 RETURNING ${row}`,
    delete: 'DELETE FROM floor.rows WHERE c1 = $1 RETURNING c1 AS key',
    note: `
      WITH counter AS (${count(1)}), entry AS (
        INSERT INTO floor.directory (kind, id, workspace_id) VALUES ('note', $1::uuid::text, ${workspace})
      ), event AS (
        INSERT INTO floor.note_events (workspace_id, sequence, note_id, kind, source, at)
        SELECT ${workspace}, last_sequence, $1, 'created', 'workspace', now() FROM counter
      )
      INSERT INTO floor.notes (workspace_id, id, number, title, description, status, priority, source, words)
      SELECT ${workspace}, $1, last_number, $2, $3, 'open', $4, 'workspace', to_tsvector('simple', $2 || ' ' || $3)
        FROM counter RETURNING *`,
    message: `
      WITH note AS (
        UPDATE floor.notes SET message_count = message_count + 1, last_message_at = now(), version = version + 1,
                               updated_at = now()
         WHERE workspace_id = ${workspace} AND id = $2
      ), counter AS (${count(0)}), event AS (
        INSERT INTO floor.note_events (workspace_id, sequence, note_id, kind, message_id, source, at)
        SELECT ${workspace}, last_sequence, $2, 'message', $1, 'workspace', now() FROM counter
      )
      INSERT INTO floor.note_messages (workspace_id, id, note_id, description, source)
      VALUES (${workspace}, $1, $2, $3, 'workspace') RETURNING *`,
    token: "INSERT INTO floor.sign_ins (id, client_id, created_at) VALUES (gen_random_uuid(), 'a', now()) RETURNING id",
  };
}
