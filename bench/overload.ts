import { setTimeout as delay } from 'node:timers/promises';
import { Connection, type Content } from './connection.js';
import { type Floor, type Group, limit, type Measurement, percentile, reading } from './measure.js';
import { sampleRows } from './sample-rows.js';
import type { Sizes, Stage } from './stage.js';

const AIMS = { completedOfCapacity: 0.9, completedMs: 2_000, rejectedMs: 100, answeredOfSent: 1 };
/** Connections that measure the capacity, and the requests that arrive per second, as a multiple of it. */
const [CONNECTIONS, MULTIPLE] = [16, 3];
/** A proxy has its connections open. Clients open one for each request that finds none free. */
const SENDERS = { 'proxy of 512 connections': 512, 'connection per request': Infinity };

type Call = () => [method: string, path: string, content?: Content];
/** The time is that since the request was due. */
type Outcome = { kind: 'completed' | 'rejected' | 'failed'; ms: number };

/**
 * Requests at three times the rate that the service completes, whether earlier ones are answered or not. An overloaded
 * service must complete about as many as before, in time, and reject the others at once.
 */
export async function prepareOverload(stage: Stage, sizes: Sizes): Promise<Group[]> {
  const seconds = sizes.seconds * 3;
  const calls = await prepareCalls(stage);
  return Object.entries(SENDERS).map(([sender, sockets]) => {
    const connection = new Connection(stage.service.baseUrl, stage.authorization, sockets);
    let capacity: number;
    let outcomes: Outcome[];
    const prepare = async () => {
      capacity = await measureCapacity(connection, calls, seconds);
      const opened = { length: sockets < Infinity ? sockets : 0 };
      await Promise.all(Array.from(opened, () => connection.read('GET', '/health/live')));
      outcomes = await sendAtRate(connection, calls, MULTIPLE * capacity, seconds);
    };
    const timesOf = (kind: Outcome['kind']) => outcomes.filter((each) => each.kind === kind).map(({ ms }) => ms);
    const read = (name: string, unit: string, figure: () => number, floor: Floor): Measurement => {
      return { name: `${sender}: ${name}`, unit, service: reading(figure), floors: [floor] };
    };
    const ofCapacity = { name: 'capacity', aim: AIMS.completedOfCapacity, work: reading(() => capacity) };
    const sent = { name: 'sent', aim: AIMS.answeredOfSent, work: reading(() => outcomes.length / seconds) };
    const countAnswers = () => (outcomes.length - timesOf('failed').length) / seconds;
    return {
      prepare,
      measurements: [
        read('completed', 'requests/s', () => timesOf('completed').length / seconds, ofCapacity),
        read('completed, p99', 'ms', () => percentile(timesOf('completed'), 0.99), limit(AIMS.completedMs)),
        read('rejected, p99', 'ms', () => percentile(timesOf('rejected'), 0.99), limit(AIMS.rejectedMs)),
        read('completed or rejected', 'requests/s', countAnswers, sent),
      ],
    };
  });
}

/** In turn one row, a page, a note, and a bulk request. */
async function prepareCalls(stage: Stage): Promise<Call[]> {
  const { path } = await stage.createTable('overload');
  const rows = sampleRows(0, 10_000);
  await stage.bulk('overload', rows);
  const serialize = (body: object) => [Buffer.from(JSON.stringify(body))];
  const note = serialize({ title: 'Leak at the feed pump', description: 'Oil on the floor', priority: 'high' });
  // Each of three weights in turn, so that each request changes its rows.
  const bulks = [1, 2, 3].map((weight) =>
    serialize({ assets: [{ name: 'overload', items: rows.slice(0, 1_000).map((row) => ({ ...row, weight })) }] }),
  );
  let next = 0;
  return [
    () => ['GET', `${path}/items/${rows[7]!.equnr}`],
    () => ['GET', `${path}/items?limit=100`],
    () => ['POST', `${stage.workspacePath}/notes`, note],
    () => ['POST', `${stage.workspacePath}/cw/assets/bulk`, bulks[next++ % bulks.length]],
  ];
}

/** @returns completed requests per second */
async function measureCapacity(connection: Connection, calls: readonly Call[], seconds: number): Promise<number> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  let [next, completed] = [0, 0];
  const sendUntilEnd = async () => {
    while (elapsed() < seconds)
      if ((await send(connection, calls[next++ % calls.length]!)).kind === 'completed') completed++;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendUntilEnd));
  return completed / elapsed();
}

/** Sends each request when it is due, and returns when all of them have ended. */
async function sendAtRate(connection: Connection, calls: readonly Call[], rate: number, seconds: number) {
  const startedAt = performance.now();
  const sent: Promise<Outcome>[] = [];
  while (sent.length < rate * seconds) {
    const dueAt = startedAt + (sent.length / rate) * 1_000;
    if (dueAt <= performance.now()) sent.push(send(connection, calls[sent.length % calls.length]!, dueAt));
    else await delay(5);
  }
  return Promise.all(sent);
}

async function send(connection: Connection, call: Call, dueAt = performance.now()): Promise<Outcome> {
  const reply = await connection.send(...call()).catch(() => undefined);
  const isRejected = reply?.status === 503 && Number(reply.retryAfter) > 0;
  const kind = isRejected ? 'rejected' : reply && reply.status < 300 ? 'completed' : 'failed';
  return { kind, ms: performance.now() - dueAt };
}
