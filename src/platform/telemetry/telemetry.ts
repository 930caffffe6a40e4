import type { IncomingMessage } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type Span, type TelemetryApi, useTelemetry } from './spans.js';

/** Settings of OpenTelemetry that name an exporter or its address. Without one of them, nothing is loaded. */
const ENABLING = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
];

const PACKAGES = ['@opentelemetry/sdk-node', '@opentelemetry/instrumentation-http'] as const;

/** Monitoring requests these paths every few seconds. */
const IGNORED = /^\/(health|metrics)\b/;

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}

interface SdkNode {
  api: TelemetryApi;
  NodeSDK: new (options: { serviceName?: string; instrumentations: unknown[] }) => Sdk;
}

interface HttpInstrumentation {
  HttpInstrumentation: new (options: {
    ignoreIncomingRequestHook: (request: IncomingMessage) => boolean;
    applyCustomAttributesOnSpan: (span: Span, request: RoutedRequest) => void;
  }) => unknown;
}

/** A request as Express has completed it. */
interface RoutedRequest {
  method?: string;
  requestId?: string;
  route?: { path?: string };
}

let sdk: Sdk | undefined;

/**
 * Starts the SDK of OpenTelemetry if the environment configures an exporter (ADR 0059). It reads all other variables
 * `OTEL_*` itself.
 *
 * @param redact masks secrets in a path.
 * @param program the path of the running program, next to whose packages those of OpenTelemetry are installed.
 * @throws Error if they are not installed.
 */
export function startTelemetry(
  environment: NodeJS.ProcessEnv,
  program: string,
  redact: (path: string) => string,
): void {
  if (environment['OTEL_SDK_DISABLED'] === 'true' || !ENABLING.some((name) => environment[name])) return;
  const require = createRequire(program);
  const [{ api, NodeSDK }, { HttpInstrumentation }] = loadPackages(require);
  sdk = new NodeSDK({
    serviceName: environment['OTEL_SERVICE_NAME'] ?? 'atrium',
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => IGNORED.test(url ?? ''),
        applyCustomAttributesOnSpan: (span, request) => {
          describeRequest(span, request);
          removeQueries(span, redact);
        },
      }),
    ],
  });
  sdk.start();
  // The instrumentation changes the modules when they are required; they were imported before.
  for (const module of ['http', 'https']) require(module);
  syncBuiltinESMExports();
  useTelemetry(api);
}

/** Sends what is not sent yet. */
export async function stopTelemetry(): Promise<void> {
  // A receiver that does not respond must not prevent the stop.
  await sdk?.shutdown().catch(() => undefined);
}

function loadPackages(require: NodeJS.Require): [SdkNode, HttpInstrumentation] {
  try {
    return PACKAGES.map((name) => require(name) as unknown) as [SdkNode, HttpInstrumentation];
  } catch (error) {
    const advice = `Run npm install --no-save ${PACKAGES.join(' ')}, or unset the variables OTEL_*.`;
    throw new Error(`OpenTelemetry is not installed. ${advice}`, { cause: error });
  }
}

/** The attributes with paths, by the old and the stable names of OpenTelemetry. */
const PATHS = ['http.target', 'http.url', 'url.full', 'url.path', 'url.query'];

/** As in the log: a query contains values and signatures, those of receivers of events may contain credentials. */
function removeQueries(span: Span, redact: (path: string) => string): void {
  for (const name of PATHS) {
    const value = span.attributes?.[name];
    if (typeof value === 'string') span.setAttribute(name, name === 'url.query' ? '' : redact(value.split('?')[0]!));
  }
}

/** Called at the end of a request. */
function describeRequest(span: Span, { method, requestId, route }: RoutedRequest): void {
  if (requestId) span.setAttribute('atrium.request_id', requestId);
  if (!route?.path) return;
  span.setAttribute('http.route', route.path);
  span.updateName(`${method} ${route.path}`);
}
