import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, parseReply } from './connection.js';
import { measure, percentile } from './measure.js';
import type { Options } from './options.js';
import { sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, NONE, ratio, share, spread, verdict, verdictAtMost } from './table.js';

const AIMS = { goodput: 0.9, acceptedMs: 2_000, rejectedMs: 100, resets: 0 };

/** Connections that a proxy opens. */
const OPEN_CONNECTIONS = 512;
/** Connections that measure the capacity, each with one request at a time. */
const CONNECTIONS = 16;
/** Requests that arrive per second, as a multiple of the capacity. */
const MULTIPLE = 3;
const ROWS = 10_000;
const BULK_ROWS = 1_000;
const PAGE_ROWS = 100;
/** Bulk requests write these values in turn, so that each one changes its rows. */
const WEIGHTS = [1, 2, 3];
const TABLE = 'overload';
/** How often the requests that are due are sent. */
const TICK_MS = 5;

/** How the requests are sent. */
interface Sender {
  name: string;
  /** The requests beyond this number wait in the sender. */
  maxSockets: number;
}

const SENDERS: readonly Sender[] = [
  { name: `A proxy with ${OPEN_CONNECTIONS} open connections`, maxSockets: OPEN_CONNECTIONS },
  { name: 'Clients that open a connection for each request that finds none free', maxSockets: Infinity },
];

interface Call {
  kind: string;
  method: 'GET' | 'POST';
  path: string;
  bodies?: readonly Buffer[];
}

interface Outcome {
  kind: string;
  /** Undefined if there was no response. */
  status: number | undefined;
  hasRetryAfter: boolean;
  /** From the time at which the request was due. */
  ms: number;
  /** The part of it before the request had a connection: the sender was late, or the connection was not established. */
  sendingMs: number;
}

/**
 * Sends a mix of requests at three times the rate that the service completes, whether earlier ones are answered or not.
 * An overloaded service must complete about as many as before, in time, and reject the others at once.
 */
export async function benchOverload(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note('overload: preparing');
  const calls = await prepareCalls(stage);
  const seconds = options.authenticationSeconds * 3;
  const sections: string[] = [];
  for (const sender of SENDERS) {
    note(`overload: ${sender.name}`);
    sections.push(await benchSender({ stage, calls, sender, seconds, runs: options.runs, note }));
  }
  return [
    '## Overload',
    '',
    `The capacity is the rate of ${CONNECTIONS} connections in ${seconds} s. Then ${MULTIPLE} times as many requests are sent for ${seconds} s, without waiting for`,
    `responses: in turn one row, a page of ${PAGE_ROWS} rows, a note, and a bulk request of ${integer(BULK_ROWS)} rows. The sender shares the cores with the`,
    'service and PostgreSQL. Times begin when a request was due. *Sending* is their part before the request had a connection.',
    '',
    ...sections,
  ].join('\n');
}

interface Task {
  stage: Stage;
  calls: readonly Call[];
  sender: Sender;
  seconds: number;
  runs: number;
  note: (line: string) => void;
}

async function benchSender({ stage, calls, sender, seconds, runs, note }: Task): Promise<string> {
  const { maxSockets } = sender;
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: OPEN_CONNECTIONS });
  const outcomes: Outcome[][] = [];
  const { capacity, goodput, resets, others, ...times } = await measure(runs, async (index) => {
    note(`overload: run ${index} of ${runs}`);
    const peak = await measureCapacity(stage, agent, calls, seconds);
    if (maxSockets < Infinity) await openConnections(stage, agent, maxSockets);
    const all = await sendAtRate(stage, agent, calls, MULTIPLE * peak, seconds);
    if (index > 0) outcomes.push(all);
    const accepted = all.filter(isAccepted);
    const rejected = all.filter(({ status }) => status === 503);
    return {
      capacity: peak,
      goodput: accepted.length / seconds / peak,
      p50: percentile(accepted.map(totalMs), 0.5),
      p99: percentile(accepted.map(totalMs), 0.99),
      rejectedP50: percentile(rejected.map(totalMs), 0.5),
      rejectedP99: percentile(rejected.map(totalMs), 0.99),
      sendingP50: percentile(all.map(sendingMs), 0.5),
      sendingP99: percentile(all.map(sendingMs), 0.99),
      answeredP99: percentile(rejected.map(answeringMs), 0.99),
      resets: all.filter(({ status }) => status === undefined).length,
      others: all.filter((each) => !isAccepted(each) && !isRejection(each) && each.status !== undefined).length,
    };
  });
  agent.destroy();
  const ms = (figures: readonly number[]) => spread(figures, milliseconds);
  const rows = [
    ['capacity, requests/s', spread(capacity), NONE, NONE],
    ['completed, of the capacity', spread(goodput, ratio), ...verdict(goodput, AIMS.goodput)],
    ['completed, p50 ms', ms(times.p50), NONE, NONE],
    ['completed, p99 ms', ms(times.p99), ...verdictAtMost(times.p99, AIMS.acceptedMs, integer)],
    ['rejected, p50 ms', ms(times.rejectedP50), NONE, NONE],
    ['rejected, p99 ms', ms(times.rejectedP99), ...verdictAtMost(times.rejectedP99, AIMS.rejectedMs, integer)],
    ['rejected without sending, p99 ms', ms(times.answeredP99), NONE, NONE],
    ['sending, p50 ms', ms(times.sendingP50), NONE, NONE],
    ['sending, p99 ms', ms(times.sendingP99), NONE, NONE],
    ['connections reset', spread(resets), ...verdictAtMost(resets, AIMS.resets, integer)],
    ['other responses', spread(others), ...verdictAtMost(others, 0, integer)],
  ];
  const kinds = calls.map(({ kind }) => {
    const sent = outcomes.flat().filter((outcome) => outcome.kind === kind);
    const accepted = sent.filter(isAccepted);
    const cells = [0.5, 0.99].map((at) => milliseconds(percentile(accepted.map(totalMs), at)));
    return [kind, integer(sent.length), share(accepted.length / sent.length), ...cells];
  });
  return [
    `### ${sender.name}`,
    '',
    markdownTable(['what', 'measured', 'aim', 'met'], rows),
    '',
    markdownTable(['request', 'sent', 'completed', 'p50 ms', 'p99 ms'], kinds),
    '',
  ].join('\n');
}

async function prepareCalls(stage: Stage): Promise<Call[]> {
  const { id } = await stage.createTable(TABLE);
  const rows = sampleRows(0, ROWS);
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const toBody = (items: object[]) => Buffer.from(JSON.stringify({ assets: [{ name: TABLE, items }] }));
  parseReply(await connection.post(stage.bulkPath, toBody(rows)), 200);
  connection.close();
  const workspace = `/v2/api/workspaces/${stage.workspaceId}`;
  const items = `${workspace}/cw/assets/${id}/items`;
  const note = { title: 'Leak at the feed pump', description: 'Oil on the floor', priority: 'high' };
  return [
    { kind: 'GET one row', method: 'GET', path: `${items}/${rows[7]!.equnr}` },
    { kind: `page of ${PAGE_ROWS}`, method: 'GET', path: `${items}?limit=${PAGE_ROWS}` },
    { kind: 'POST note', method: 'POST', path: `${workspace}/notes`, bodies: [Buffer.from(JSON.stringify(note))] },
    {
      kind: `bulk of ${integer(BULK_ROWS)}`,
      method: 'POST',
      path: stage.bulkPath,
      bodies: WEIGHTS.map((weight) => toBody(rows.slice(0, BULK_ROWS).map((row) => ({ ...row, weight })))),
    },
  ];
}

/** The request at a position of the sequence, in which the kinds take turns. */
function callAt(calls: readonly Call[], position: number): Call & { body: Buffer | undefined } {
  const call = calls[position % calls.length]!;
  const round = Math.floor(position / calls.length);
  return { ...call, body: call.bodies?.[round % call.bodies.length] };
}

async function openConnections(stage: Stage, agent: Agent, count: number): Promise<void> {
  const live = { kind: 'live', method: 'GET', path: '/health/live', body: undefined } as const;
  await Promise.all(Array.from({ length: count }, () => send(stage, agent, live)));
}

/** @returns completed requests per second */
async function measureCapacity(stage: Stage, agent: Agent, calls: readonly Call[], seconds: number): Promise<number> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  let next = 0;
  let completed = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (elapsed() < seconds) if (isAccepted(await send(stage, agent, callAt(calls, next++)))) completed++;
    }),
  );
  return completed / elapsed();
}

/** Sends each request when it is due, and returns when all of them have ended. */
async function sendAtRate(
  stage: Stage,
  agent: Agent,
  calls: readonly Call[],
  rate: number,
  seconds: number,
): Promise<Outcome[]> {
  const count = Math.round(rate * seconds);
  const startedAt = performance.now();
  const sent: Promise<Outcome>[] = [];
  while (sent.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedAt) / 1_000) * rate));
    while (sent.length < due) {
      const dueAt = startedAt + (sent.length / rate) * 1_000;
      sent.push(send(stage, agent, callAt(calls, sent.length), dueAt));
    }
    await delay(TICK_MS);
  }
  return Promise.all(sent);
}

function send(
  { service, authorization }: Stage,
  agent: Agent,
  { kind, method, path, body }: ReturnType<typeof callAt>,
  dueAt = performance.now(),
): Promise<Outcome> {
  let connectedAt = dueAt;
  const content = body ? { 'content-type': 'application/json', 'content-length': body.length } : {};
  const headers = { ...authorization, ...content };
  return new Promise((settle) => {
    const end = (status?: number, retryAfter?: string) => {
      const now = performance.now();
      const connected = status === undefined ? now : connectedAt;
      const times = { ms: now - dueAt, sendingMs: connected - dueAt };
      settle({ kind, status, hasRetryAfter: Number(retryAfter) > 0, ...times });
    };
    const outgoing = request(service.baseUrl + path, { method, agent, headers }, (response) => {
      response
        .once('end', () => end(response.statusCode, response.headers['retry-after']))
        .once('error', () => end())
        .resume();
    });
    const connect = () => (connectedAt = performance.now());
    outgoing.once('socket', (socket) => (socket.connecting ? socket.once('connect', connect) : connect()));
    outgoing.once('error', () => end()).end(body);
  });
}

function isAccepted({ status }: Outcome): boolean {
  return status === 200 || status === 201;
}

function isRejection({ status, hasRetryAfter }: Outcome): boolean {
  return status === 503 && hasRetryAfter;
}

function totalMs({ ms }: Outcome): number {
  return ms;
}

function sendingMs(outcome: Outcome): number {
  return outcome.sendingMs;
}

function answeringMs({ ms, sendingMs: sending }: Outcome): number {
  return ms - sending;
}
