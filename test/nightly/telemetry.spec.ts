import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { ROOT, TestDatabase, TestService } from '../support/service.js';
import { Tables, text, unique } from '../support/tables.js';
import { until } from '../support/until.js';

const FOLDER = join(ROOT, 'test/telemetry');
const MODULES = join(FOLDER, 'node_modules');
/** The trace of a caller, as `traceparent` of W3C Trace Context transports it. */
const TRACE = '0af7651916cd43dd8448eb211c80319c';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

let receiver: Server;
let endpoint: string;
const spans: Span[] = [];
const metrics = new Set<string>();
let database: TestDatabase;

/** Receives OTLP over HTTP with JSON. */
function receive(path: string, body: any): void {
  for (const resource of body.resourceSpans ?? [])
    for (const scope of resource.scopeSpans) if (path === '/v1/traces') spans.push(...(scope.spans as Span[]));
  for (const resource of body.resourceMetrics ?? [])
    for (const scope of resource.scopeMetrics) for (const { name } of scope.metrics) metrics.add(name as string);
}

beforeAll(async () => {
  if (!existsSync(MODULES))
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: FOLDER });
  receiver = createServer((request, response) => {
    void json(request)
      .then((body) => receive(request.url!, body))
      .then(() => response.end('{}'));
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  database = await TestDatabase.create();
}, 300_000);

afterAll(async () => {
  receiver?.close();
  await database?.drop();
});

const startTraced = () =>
  TestService.start(database, {
    NODE_PATH: MODULES,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
    OTEL_METRIC_EXPORT_TIMEOUT: '150',
  });

/** The log line of a request. */
function lineOf(service: TestService, requestId: string): { traceId?: string } | undefined {
  const line = service.output
    .join('')
    .split('\n')
    .find((text) => text.includes(`"requestId":"${requestId}"`));
  return line === undefined ? undefined : (JSON.parse(line) as { traceId?: string });
}

const attribute = ({ attributes }: Span, name: string) => attributes.find(({ key }) => key === name)?.value.stringValue;

it('sends the trace of a request with its statements, and metrics, to the receiver of OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
  const service = await startTraced();
  try {
    const api = new Api(service.baseUrl).withKey((await service.provision()).apiKey);
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    const found = await api.get('/v1/api/projects/0190d0b4-0000-7000-8000-000000000000', { traceparent });
    // Without an X-Request-Id of the caller, an error contains the ID of its trace.
    expect([found.status, found.body.requestId]).toEqual([404, TRACE]);
    const named = await api.get('/v1/api/projects', { traceparent, 'X-Request-Id': 'mine' });
    expect([named.headers.get('X-Request-Id'), named.headers.get('X-Trace-Id')]).toEqual(['mine', TRACE]);
    const signed = await api.get(
      '/v1/public/attachments/0190d0b4-0000-7000-8000-000000000000?expires=1&signature=secret',
    );
    expect(signed.headers.get('X-Trace-Id')).toMatch(/^[0-9a-f]{32}$/);

    const ofTrace = () => spans.filter(({ traceId }) => traceId === TRACE);
    await until(() => ofTrace().some((span) => attribute(span, 'atrium.request_id') === 'mine'), Boolean);
    const request = ofTrace().find(({ name }) => name === 'GET /v1/api/projects/:id')!;
    expect(attribute(request, 'http.route')).toBe('/v1/api/projects/:id');
    const statement = ofTrace().find(({ parentSpanId }) => parentSpanId === request.spanId)!;
    expect(statement.name).toBe('postgresql SELECT');
    expect(attribute(statement, 'db.query.text')).toMatch(/^SELECT .*\$1/s);
    await until(() => metrics.has('http.server.request.duration') || metrics.has('http.server.duration'), Boolean);
    await until(() => lineOf(service, 'mine')?.traceId === TRACE, Boolean);
    expect(spans.filter((span) => attribute(span, 'http.target')?.startsWith('/health'))).toEqual([]);
    const signedTrace = signed.headers.get('X-Trace-Id');
    await until(() => spans.some(({ traceId, parentSpanId }) => traceId === signedTrace && !parentSpanId), Boolean);
    expect(JSON.stringify(spans)).not.toContain('signature=secret');
  } finally {
    expect(await service.stop()).toBe(0);
  }
}, 120_000);

it('sends spans of COPY without its values, and a trace per step of a background job', async () => {
  spans.length = 0;
  const service = await startTraced();
  try {
    const me = await service.provision();
    const tables = Tables.of(service, me);
    const name = unique('Pumps');
    await tables.bulk('assets', { name, columns: [text('Code')], items: [{ code: 'confidential' }] });
    const path = `${tables.path}/assets/${encodeURIComponent(name)}/export?filter[code][eq]=confidential`;
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    expect((await tables.api.send(path, { headers: { traceparent } })).status).toBe(200);
    const isCopy = ({ name: of, traceId }: Span) => of === 'postgresql COPY' && traceId === TRACE;
    await until(() => spans.some(isCopy), Boolean);
    expect(attribute(spans.find(isCopy)!, 'db.query.text')).toMatch(/^COPY .*\?/s);
    const job = await until(
      () => spans.find((span) => span.name === 'Numbering events'),
      (span) => span !== undefined,
    );
    expect(job!.parentSpanId ?? '').toBe('');
    await until(() => spans.some(({ parentSpanId }) => parentSpanId === job!.spanId), Boolean);
    expect(JSON.stringify(spans)).not.toContain('confidential');
  } finally {
    expect(await service.stop()).toBe(0);
  }
}, 120_000);

it('does not start with OTEL_* if the packages of OpenTelemetry are not installed', async () => {
  const start = TestService.start(database, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  await expect(start).rejects.toThrow('npm install --no-save @opentelemetry/sdk-node');
});
