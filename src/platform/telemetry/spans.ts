/** What the service uses of `@opentelemetry/api`, which only deployments with telemetry install. */
export interface TelemetryApi {
  trace: {
    getActiveSpan(): Span | undefined;
    getTracer(name: string): {
      startSpan(name: string, options: SpanOptions): Span;
      startActiveSpan<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
    };
  };
}

export interface Span {
  /** Only of spans that are recorded. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  spanContext(): { traceId: string };
  setAttribute(name: string, value: string): void;
  setStatus(status: { code: number }): void;
  updateName(name: string): void;
  end(): void;
}

interface SpanOptions {
  kind: number;
  attributes?: Record<string, string>;
  root?: boolean;
}

/** Numbers of the enumerations SpanKind and SpanStatusCode. */
const INTERNAL = 0;
const CLIENT = 2;
const ERROR = 2;

/** COPY accepts no parameters, so its text contains values. */
const LITERAL = /'(?:[^']|'')*'/g;

const STATEMENT_NAME = /^\s*(?:\/\*.*?\*\/\s*)?(\w+)/;

let api: TelemetryApi | undefined;

/** Enables the functions of this module; without it, they do nothing. */
export function useTelemetry(installed: TelemetryApi): void {
  api = installed;
}

export const isTracing = (): boolean => api !== undefined;

/** The trace of the current request, 32 hexadecimal digits; undefined without telemetry. */
export function currentTraceId(): string | undefined {
  return api?.trace.getActiveSpan()?.spanContext().traceId;
}

/**
 * Starts the span of a statement within that of its request or job. Its values are not recorded.
 *
 * @returns a function that ends it, with the error if there was one; undefined without telemetry.
 */
export function startStatement(sql: string): ((error?: unknown) => void) | undefined {
  if (!api?.trace.getActiveSpan()) return undefined;
  const [, operation = 'statement'] = STATEMENT_NAME.exec(sql) ?? [];
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': sql.replace(LITERAL, '?'),
  };
  const span = api.trace.getTracer('atrium').startSpan(`postgresql ${operation}`, { kind: CLIENT, attributes });
  return (error) => {
    if (error) span.setStatus({ code: ERROR });
    span.end();
  };
}

/** Runs work that belongs to no request, such as a step of a background job, in a trace of its own. */
export async function traceWork<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!api) return work();
  return api.trace.getTracer('atrium').startActiveSpan(name, { kind: INTERNAL, root: true }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
