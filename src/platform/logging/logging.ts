import type { LoggerService } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { type Logger, pino, stdSerializers } from 'pino';
import { pinoHttp } from 'pino-http';
import type { Config } from '../config/config.js';
import { redactSecrets } from '../http/redact-secrets.js';

/** Monitoring requests these paths every few seconds; they are not logged. */
const UNLOGGED_PATHS = /^\/(health|metrics)\b/;

/** Logs to standard error: one JSON object per line, or readable lines on a terminal outside production. */
export async function createLogger(config: Config): Promise<Logger> {
  const { level, format } = config.logging;
  const readable = format === 'pretty' || (format === 'auto' && !config.production && process.stderr.isTTY);
  const options = { level, base: undefined, serializers: { err: serializeError } };
  if (readable) {
    // Loaded only if needed, because a deployed service logs JSON.
    const { default: pretty } = await import('pino-pretty');
    return pino(options, pretty({ destination: 2, ignore: 'context,requestId', messageFormat: '{msg}', sync: true }));
  }
  return pino(
    { ...options, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination(2),
  );
}

/** Omits the parameters of a failed statement, which contain data and secrets of callers. */
function serializeError(error: Error) {
  const { type, message, stack } = stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  return { type, message, stack, code };
}

/** Nest logs one line per module and route at start; they are logged at level debug. */
const START_CONTEXTS = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** Nest logs the error of a failed start before it throws it; `main.ts` prints it in one line. */
const START_ERROR_CONTEXTS = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

/** Passes the lines of Nest and of each module's `Logger` to the logger. */
export function nestLogger(logger: Logger): LoggerService {
  const logAt =
    (level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      if (level === 'info' && START_CONTEXTS.has(context)) logger.debug({ context }, String(message));
      else if (level === 'error' && START_ERROR_CONTEXTS.has(context))
        logger.debug({ context, err: message }, 'The start failed');
      else if (message instanceof Error) logger[level]({ context, err: message }, message.message);
      else logger[level]({ context }, String(message));
    };
  return {
    log: logAt('info'),
    error: logAt('error'),
    warn: logAt('warn'),
    debug: logAt('debug'),
    verbose: logAt('trace'),
    fatal: logAt('fatal'),
  };
}

/** The path without the query, with secrets that a caller sent in it redacted. */
function redactPath(url = ''): string {
  return redactSecrets(url.split('?')[0]);
}

/** Logs one line per request, without headers, query and body, which may contain secrets. */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (request: IncomingMessage) => request.requestId,
    customAttributeKeys: { reqId: 'requestId' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: redactPath(url) }),
      res: () => undefined,
    },
    wrapSerializers: true,
    autoLogging: { ignore: (request) => UNLOGGED_PATHS.test(request.url ?? '') },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: (request, response, ms) =>
      `${request.method} ${redactPath(request.url)} ${response.statusCode} ${Math.round(ms)} ms`,
    // The error filter logs the error itself.
    customErrorObject: (_request, _response, _error, value: object) => ({ ...value, err: undefined }),
    customErrorMessage: (request, response) => `${request.method} ${redactPath(request.url)} ${response.statusCode}`,
  });
}
