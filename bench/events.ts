import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, parseReply } from './connection.js';
import { measure, percentile, ratios, requireRows, secondsOf, spreadOf } from './measure.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, NONE, spread } from './table.js';

const AIMS = { recorded: 1_000, delivered: 300, bulk: 1.03 };

const CONNECTIONS = 8;
/** Requests that write several tables, an event each. */
const WRITERS = 4;
const TABLES = 20;
const SUBSCRIPTIONS = 20;
/** Events that are written, and sent again to all subscriptions. */
const EVENTS = 300;
/** Deliveries per second while their delay is measured. */
const STEADY_RATE = AIMS.delivered;
const STEADY_SECONDS = 5;
const BATCH = 5_000;
const POLL_MS = 10;

interface Log {
  latestSequence: number;
}

/** Measures how many events are recorded and delivered per second, and what the event log costs a bulk request. */
export async function benchEvents(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note('events: recording');
  const recorded = await measureRecording(stage, options, openTables);
  const single = await measureRecording(stage, options, openTable);
  const receiver = await Receiver.start();
  try {
    await receiver.subscribe(stage);
    note(`events: deliveries to ${SUBSCRIPTIONS} subscriptions`);
    const delivered = await measureDelivery(stage, receiver, options);
    note(`events: delay of deliveries at ${STEADY_RATE} per second`);
    const delays = await measureDelay(stage, receiver, options);
    await receiver.unsubscribe(stage);
    note('events: bulk with and without the event log');
    const { with: recording, without } = await measureBulk(stage, options);
    const cost = ratios(without, recording);
    const rows = [
      [`events/s, ${TABLES} tables per request`, spread(recorded), ...atLeast(recorded, AIMS.recorded)],
      ['events/s, one row per request', spread(single), NONE, NONE],
      ['deliveries per second', spread(delivered), ...atLeast(delivered, AIMS.delivered)],
      [`delay at ${STEADY_RATE} deliveries/s, p50 ms`, spread(delays.p50, milliseconds), NONE, NONE],
      [`delay at ${STEADY_RATE} deliveries/s, p99 ms`, spread(delays.p99, milliseconds), NONE, NONE],
      ['bulk rows/s with the event log', spread(recording), NONE, NONE],
      ['bulk rows/s without it', spread(without), NONE, NONE],
      ['time of bulk, of that without it', spread(cost, precise), ...atMost(cost, AIMS.bulk)],
    ];
    return [
      '## Events',
      '',
      `Events are recorded by ${WRITERS} connections with a new row in each of ${TABLES} tables per request, and by ${CONNECTIONS} connections with one row per request; the`,
      `time ends when the last event has its number. ${integer(EVENTS)} events are sent again to ${SUBSCRIPTIONS} subscriptions at once. The delay is that from the recording of an event to its receipt. Bulk requests have ${integer(BATCH)} new rows.`,
      '',
      markdownTable(['what', 'measured', 'aim', 'met'], rows),
    ].join('\n');
  } finally {
    receiver.close();
  }
}

type Opener = (stage: Stage, name: string) => Promise<Target>;

async function measureRecording(
  stage: Stage,
  { runs, authenticationSeconds }: Options,
  open: Opener,
): Promise<number[]> {
  const { rate } = await measure(runs, async (index) => {
    const target = await open(stage, `recorded_${index}`);
    const before = await readLatest(stage);
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1_000;
    let count = 0;
    await Promise.all(
      target.connections.map(async (connection) => {
        while (seconds() < authenticationSeconds) await target.write(connection, count++);
      }),
    );
    const events = count * target.eventsPerWrite;
    while ((await readLatest(stage)) < before + events) await delay(POLL_MS);
    target.close();
    return { rate: events / seconds() };
  });
  return rate;
}

async function measureDelivery(stage: Stage, receiver: Receiver, { runs }: Options): Promise<number[]> {
  const table = await openTable(stage, 'delivered');
  const first = (await readLatest(stage)) + 1;
  for (let number = 0; number < EVENTS; number++) await table.write(table.connections[0]!, number);
  table.close();
  await receiver.waitFor(EVENTS * SUBSCRIPTIONS);
  const { rate } = await measure(runs, async () => {
    const seconds = await secondsOf(async () => {
      receiver.clear();
      await receiver.replay(stage, first);
      await receiver.waitFor(EVENTS * SUBSCRIPTIONS);
    });
    return { rate: (EVENTS * SUBSCRIPTIONS) / seconds };
  });
  return rate;
}

async function measureDelay(
  stage: Stage,
  receiver: Receiver,
  { runs }: Options,
): Promise<Record<'p50' | 'p99', number[]>> {
  const count = (STEADY_RATE / SUBSCRIPTIONS) * STEADY_SECONDS;
  return measure(runs, async (index) => {
    const table = await openTable(stage, `delayed_${index}`);
    receiver.clear();
    const startedAt = performance.now();
    for (let number = 0; number < count; number++) {
      await delay(Math.max(0, startedAt + (number * STEADY_SECONDS * 1_000) / count - performance.now()));
      await table.write(table.connections[0]!, number);
    }
    await receiver.waitFor(count * SUBSCRIPTIONS);
    table.close();
    return { p50: percentile(receiver.delays, 0.5), p99: percentile(receiver.delays, 0.99) };
  });
}

async function measureBulk(stage: Stage, { runs, bulkRows }: Options): Promise<Record<'with' | 'without', number[]>> {
  const floors = [await stage.startFloor('event-log', 'with'), await stage.startFloor('event-log', 'without')] as const;
  const count = Math.max(1, Math.ceil(bulkRows / BATCH)) * 2;
  const batches = Array.from({ length: count }, (_, position) =>
    Buffer.from(JSON.stringify(sampleRows(position * BATCH, BATCH))),
  );
  const connections = {
    with: new Connection(floors[0].baseUrl, stage.authorization),
    without: new Connection(floors[1].baseUrl, stage.authorization),
  };
  const names = ['with', 'without'] as const;
  const figures = await measure(runs, async (index) => {
    const tables = { with: `bulk_with_${index}`, without: `bulk_without_${index}` };
    const seconds = { with: 0, without: 0 };
    const physical: string[] = [];
    for (const name of names) physical.push((await stage.createTable(tables[name])).physical);
    await stage.database.query('CHECKPOINT');
    const send = async (name: 'with' | 'without', items: Buffer): Promise<void> => {
      const body = [Buffer.from(`{"assets":[{"name":"${tables[name]}","items":`), items, Buffer.from('}]}')];
      const reply = parseReply(await connections[name].post(stage.bulkPath, ...body), 200);
      requireRows((reply as { data: { totals: { created: number } } }).data.totals.created, BATCH);
    };
    // Batch by batch in turn, because the speed of the machine changes within a run.
    for (const [position, items] of batches.entries())
      for (const name of position % 2 === 0 ? names : names.toReversed())
        seconds[name] += await secondsOf(() => send(name, items));
    for (const table of physical) await stage.database.query(`TRUNCATE ${table}`);
    const rows = count * BATCH;
    return { with: rows / seconds.with, without: rows / seconds.without };
  });
  for (const connection of Object.values(connections)) connection.close();
  for (const floor of floors) await floor.stop();
  return figures;
}

/** Tables to which requests write, each with a number of its own. */
interface Target {
  connections: Connection[];
  eventsPerWrite: number;
  write(connection: Connection, number: number): Promise<void>;
  close(): void;
}

/** One table to which rows are written one by one. */
async function openTable(stage: Stage, name: string): Promise<Target> {
  await stage.createTable(name);
  const path = `/v2/api/workspaces/${stage.workspaceId}/cw/assets/${name}/item`;
  const [row] = sampleRows(0, 1);
  const write = async (connection: Connection, number: number): Promise<void> => {
    const key = `E${number}`;
    const body = Buffer.from(JSON.stringify({ ...row, equnr: key }));
    parseReply(await connection.put(`${path}?key=${key}`, body), 201);
  };
  return { ...connect(stage, CONNECTIONS), eventsPerWrite: 1, write };
}

/** Tables of each connection, so that writers do not wait for each other. */
async function openTables(stage: Stage, name: string): Promise<Target> {
  const connected = connect(stage, WRITERS);
  const toBody = (writer: number, content: () => object): Buffer => {
    const assets = Array.from({ length: TABLES }, (_, table) => ({
      name: `${name}_${writer}_${table}`,
      ...content(),
    }));
    return Buffer.from(JSON.stringify({ assets }));
  };
  for (const [writer, connection] of connected.connections.entries())
    parseReply(
      await connection.post(
        stage.bulkPath,
        toBody(writer, () => ({ columns: COLUMNS, items: [] })),
      ),
      201,
    );
  const write = async (connection: Connection, number: number): Promise<void> => {
    const body = toBody(connected.connections.indexOf(connection), () => ({ items: sampleRows(number, 1) }));
    parseReply(await connection.post(stage.bulkPath, body), 200);
  };
  return { ...connected, eventsPerWrite: TABLES, write };
}

function connect(stage: Stage, count: number): Pick<Target, 'connections' | 'close'> {
  const connections = Array.from({ length: count }, () => new Connection(stage.service.baseUrl, stage.authorization));
  return { connections, close: () => connections.forEach((connection) => connection.close()) };
}

async function readLatest(stage: Stage): Promise<number> {
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const path = `/v2/api/workspaces/${stage.workspaceId}/events?after=9007199254740991`;
  const { data } = parseReply(await connection.get(path), 200) as { data: Log };
  connection.close();
  return data.latestSequence;
}

/** A receiver of all subscriptions that answers 204 to each delivery. */
class Receiver {
  readonly delays: number[] = [];
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { timestamp: string };
      this.delays.push(Date.now() - Date.parse(timestamp));
      response.writeHead(204).end();
    });
  });
  private ids: string[] = [];

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  async subscribe(stage: Stage): Promise<void> {
    const url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
    const body = JSON.stringify({ url, events: ['table.rows_changed'] });
    for (let count = 0; count < SUBSCRIPTIONS; count++) {
      const { data } = (await this.call(stage, 'POST', '', body)) as { data: { id: string } };
      this.ids.push(data.id);
    }
  }

  async unsubscribe(stage: Stage): Promise<void> {
    for (const id of this.ids.splice(0)) await this.call(stage, 'DELETE', `/${id}`);
  }

  async replay(stage: Stage, from: number): Promise<void> {
    await Promise.all(this.ids.map((id) => this.call(stage, 'POST', `/${id}/replay?from=${from}`)));
  }

  clear(): void {
    this.delays.length = 0;
  }

  async waitFor(count: number): Promise<void> {
    while (this.delays.length < count) await delay(POLL_MS);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async call(stage: Stage, method: string, path: string, body?: string): Promise<unknown> {
    const url = `${stage.service.baseUrl}/v2/api/workspaces/${stage.workspaceId}/subscriptions${path}`;
    const headers = { ...stage.authorization, 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, body: body ?? null });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

function atLeast(values: readonly number[], aim: number): string[] {
  return [`≥ ${integer(aim)}`, spreadOf(values).median >= aim ? 'yes' : 'no'];
}

function atMost(values: readonly number[], aim: number): string[] {
  return [`≤ ${aim}`, spreadOf(values).median <= aim ? 'yes' : 'no'];
}

/** Three digits: the aim has two. */
function precise(value: number): string {
  return value.toFixed(3);
}
