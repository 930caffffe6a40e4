import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { operations } from '../support/contract/document.js';
import type { Credentials } from '../support/credentials.js';
import { recordMeasurement } from '../support/measurements.mjs';
import { ROOT, preload, TestDatabase, TestService } from '../support/service.js';
import { readLongestStall } from '../support/stalls.js';
import { until } from '../support/until.js';

/** Seconds for which requests are sent; an hour in the nightly stage. */
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 10);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_007);
const CONNECTIONS = 6;
const MAX_STALL_MS = 200;

const FIXTURES = join(ROOT, 'test/fixtures/field-cases/api');
const FILES = readdirSync(FIXTURES)
  .map((name) => readFileSync(join(FIXTURES, name)))
  .filter((bytes) => bytes.length < 300_000);

const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
const TEXTS = [
  '',
  'x',
  '\0',
  '\u0301'.repeat(2_000),
  '%',
  '%00',
  '%2e%2e',
  '..',
  '/',
  '"',
  "'",
  ';',
  ',',
  '=',
  '{}',
  '[]',
];
const texts = fc.constantFrom(...TEXTS, ...INHERITED, '9'.repeat(400), '-1', '1e309', 'ü', '😀', '\ud800');

const paths = fc.constantFrom(
  ...new Set(operations.map(({ path }) => path)),
  '/',
  '/docs',
  '/metrics',
  '/tables',
  '/odata',
);
const targets = fc
  .tuple(paths, fc.array(fc.tuple(texts, texts), { maxLength: 3 }), fc.integer({ min: 0, max: 11 }))
  .map(([path, query, form]) => {
    const origin = path.replace(/\{\w+\}/g, () => '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a');
    const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    const target = search ? `${origin}?${search}` : origin;
    const others = [`http://atrium.test${target}`, 'http://[/x', '*', 'atrium.test:1', `//${target}`, `${target}?a?b`];
    return others[form] ?? target;
  });

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const HEADERS: Record<string, readonly string[]> = {
  'Content-Encoding': ['gzip', 'br', 'deflate', 'identity', 'gzip, br', ...INHERITED],
  'Accept-Encoding': ['br', 'gzip;q=x', '*;q=0', ...INHERITED],
  'Accept-Charset': INHERITED,
  Accept: ['application/json', '*/*;q=0', 'text/html', ...INHERITED],
  Authorization: ['Bearer x', 'Basic Og==', 'Basic %', 'Bearer', ...INHERITED],
  'X-API-Key': ['wsk_x', ...INHERITED],
  'Idempotency-Key': ['k', '"', 'k'.repeat(300), ...INHERITED],
  'If-Match': ['*', '"1"', 'W/"1"', '"'],
  'If-None-Match': ['*', '"1"', '"'],
  Range: ['bytes=0-1', 'bytes=-', 'bytes=9-1', 'x=1'],
  Expect: ['100-continue', 'constructor'],
  'X-Forwarded-For': ['1.1.1.1:1', '[::1', 'x'.repeat(1_000)],
  'X-Request-Id': ['x', 'x'.repeat(500)],
  Connection: ['close', 'keep-alive', 'upgrade', 'constructor'],
  Upgrade: ['websocket', 'h2c', 'constructor'],
  Host: ['atrium.test', '', '[', 'a b'],
  'Transfer-Encoding': ['chunked', 'gzip, chunked', 'constructor'],
};
const headers = fc.array(
  fc
    .constantFrom(...Object.keys(HEADERS))
    .chain((name) => fc.constantFrom(...HEADERS[name]!).map((value) => `${name}: ${value}`)),
  { maxLength: 4 },
);

const TYPES = [
  ...['application/json', 'application/json; charset=utf-16', 'application/json; charset=constructor', 'text/csv'],
  ...['multipart/form-data; boundary=field-case', 'multipart/form-data; boundary=b', 'multipart/form-data'],
  ...['application/x-www-form-urlencoded', 'application/x-ndjson', 'constructor', ''],
];
const CODERS = [gzipSync, deflateSync, brotliCompressSync, (bytes: Buffer) => bytes, (bytes: Buffer) => bytes];
const jsonBodies = fc.json({ maxDepth: 4, stringUnit: 'binary' }).map((text) => Buffer.from(text));
const nested = fc.integer({ min: 1, max: 20_000 }).map((depth) => Buffer.from('['.repeat(depth)));
const repeated = fc
  .tuple(texts, fc.integer({ min: 1, max: 4_000 }))
  .map(([text, count]) => Buffer.from(JSON.stringify({ title: text.repeat(count), externalId: text })));
const bodies = fc
  .tuple(fc.oneof(fc.constantFrom(...FILES), jsonBodies, nested, repeated), fc.constantFrom(...CODERS))
  .chain(([bytes, encode]) => mutations(bytes).map((mutated) => encode(mutated)));

/** Bytes with up to three changed, removed or repeated spans. */
function mutations(bytes: Buffer): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.integer({ min: 0, max: Math.max(0, bytes.length - 1) }),
    length: fc.integer({ min: 0, max: 40 }),
    by: fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      texts.map((text) => new Uint8Array(Buffer.from(text))),
    ),
  });
  return fc
    .array(change, { maxLength: 3 })
    .map((changes) =>
      changes.reduce<Buffer>(
        (all, { at, length, by }) => Buffer.concat([all.subarray(0, at), by, all.subarray(at + length)]),
        bytes,
      ),
    );
}

const requests = fc.record({
  method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'X'),
  target: targets,
  headers,
  type: fc.constantFrom(...TYPES),
  body: fc.option(bodies, { nil: Buffer.alloc(0) }),
  isSignedIn: fc.boolean(),
  /** The announced bytes minus those of the body. */
  missing: fc.constantFrom(0, 0, 0, 0, 1, 1_000, -1),
});
type Sent = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

const exchanges = fc.record({
  requests: fc.array(requests, { minLength: 1, maxLength: 4 }),
  /** What the sender does after a time. */
  end: fc.constantFrom('wait', 'wait', 'reset', 'half-close', 'destroy'),
  afterMs: fc.integer({ min: 0, max: 60 }),
  /** Bytes per write. */
  slice: fc.constantFrom(1_000_000, 1_000_000, 16_000, 700),
});

let database: TestDatabase;
let service: TestService;
let me: Credentials;

beforeAll(async () => {
  database = await TestDatabase.create();
  const limits = { RATE_LIMIT_PUBLIC: 'off', RATE_LIMIT_PUBLIC_TOGETHER: 'off', RATE_LIMIT_FAILURES: 'off' };
  service = await TestService.start(database, { ...limits, NODE_OPTIONS: preload('event-loop-stalls.mjs') });
  me = await service.provision();
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

function toBytes({ method, target, headers, type, body, isSignedIn, missing }: Sent): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: atrium.test', ...headers];
  if (isSignedIn) lines.push(`X-API-Key: ${me.apiKey}`);
  if (type) lines.push(`Content-Type: ${type}`);
  if (body.length > 0) lines.push(`Content-Length: ${body.length + missing}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

/** @returns the status lines of the responses */
async function exchange(
  planned: typeof exchanges extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<string[]> {
  const socket: Socket = connect(Number(service.env['PORT']), '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1'))).on('error', () => undefined);
  const closed = new Promise<void>((settle) => socket.once('close', () => settle()));
  const bytes = Buffer.concat(planned.requests.map(toBytes));
  for (let at = 0; at < bytes.length && !socket.destroyed; at += planned.slice) {
    socket.write(bytes.subarray(at, at + planned.slice));
    if (planned.slice < bytes.length / 20) await delay(0);
  }
  await Promise.race([closed, delay(planned.afterMs)]);
  if (planned.end === 'reset') socket.resetAndDestroy();
  else if (planned.end === 'half-close') socket.end();
  else if (planned.end === 'wait') await Promise.race([closed, until(() => received !== '', Boolean), delay(500)]);
  if (planned.end !== 'reset') socket.destroy();
  await closed;
  return received.match(/^HTTP\/1\.1 \d{3}/gm) ?? [];
}

const temporaryFiles = () => {
  const folder = join(service.env['DATA_DIR']!, 'temporary');
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    : [];
};

/** Bytes of the heap after a collection, as the metrics report them. */
async function heapBytes(): Promise<number> {
  const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(/^nodejs_heap_size_used_bytes ([\d.e+]+)$/m.exec(text)![1]);
}

it(
  'random requests, cut anywhere, end no process and stop no event loop',
  async () => {
    process.stderr.write(`The seed of the requests is ${SEED} (FUZZ_SEED).\n`);
    const endsAt = Date.now() + SECONDS * 1_000;
    const statuses = new Map<string, number>();
    const failures: unknown[] = [];
    const stalls: number[] = [];
    let sent = 0;
    await readLongestStall(service);
    const heapBefore = await heapBytes();
    const send = async (_: unknown, connection: number) => {
      const planned = fc.sample(exchanges, { seed: SEED + connection, numRuns: 200 });
      for (let round = 0; Date.now() < endsAt; round++) {
        const batch =
          round === 0 ? planned : fc.sample(exchanges, { seed: SEED + connection + 100 * round, numRuns: 200 });
        for (const each of batch) {
          if (Date.now() >= endsAt || failures.length > 5) return;
          for (const status of await exchange(each)) {
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
            if (/ 5\d\d$/.test(status) && !status.endsWith('503') && !status.endsWith('501'))
              failures.push({
                status,
                requests: each.requests.map((request) => toBytes(request).toString('latin1').slice(0, 2_000)),
              });
          }
          sent += each.requests.length;
        }
        stalls.push(await readLongestStall(service));
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    stalls.push(await readLongestStall(service));
    const output = service.output.join('');
    expect(failures).toEqual([]);
    expect(output).not.toMatch(/uncaughtException|unhandledRejection/);
    expect((await fetch(`${service.baseUrl}/health/live`)).status).toBe(200);
    expect(Math.max(...stalls)).toBeLessThan(MAX_STALL_MS);
    await until(() => temporaryFiles().length === 0, Boolean);
    // What remains is bounded: twice the heap before, or 100 MB more.
    await until(async () => (await heapBytes()) < Math.max(2 * heapBefore, heapBefore + 100_000_000), Boolean);
    recordMeasurement(
      'No caller ends or stops an instance',
      `${sent} random requests, longest stall ${Math.max(...stalls)} ms`,
    );
  },
  SECONDS * 1_000 + 120_000,
);
