import type { LoggerService } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { type Logger, pino, stdSerializers } from 'pino';
import { pinoHttp } from 'pino-http';
import pretty from 'pino-pretty';
import type { Config } from '../config/config.js';
import { redactSecrets } from '../http/secrets-in-text.js';

/** Paths that are asked for every few seconds and say nothing when all is well. */
const QUIET = /^\/(health|metrics)\b/;

/** One line of JSON an event in production, readable lines on a terminal. Written to standard error. */
export function createLogger(config: Config): Logger {
  const { level, format } = config.logging;
  const readable = format === 'pretty' || (format === 'auto' && !config.production && process.stderr.isTTY);
  const options = { level, base: undefined, serializers: { err: serializeError } };
  if (readable)
    return pino(options, pretty({ destination: 2, ignore: 'context,requestId', messageFormat: '{msg}', sync: true }));
  return pino(
    { ...options, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination(2),
  );
}

/** An error without what a statement carried: its parameters are the callers' data and secrets. */
function serializeError(error: Error) {
  const { type, message, stack } = stdSerializers.err(error);
  const { code } = error as { code?: unknown };
  return { type, message, stack, code };
}

/** What Nest says of its own start: a line a module and a route, of use to those who look for a fault in it. */
const BOOT_CONTEXTS = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** What Nest says of a failing start, before it throws it: `main.ts` says it in a line. */
const BOOT_FAILURES = new Set<unknown>(['ExceptionHandler', 'NestApplication']);

/** Nest's own lines and those of the modules' `Logger`s, through the same logger. */
export function nestLogger(logger: Logger): LoggerService {
  const at =
    (level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      if (level === 'info' && BOOT_CONTEXTS.has(context)) logger.debug({ context }, String(message));
      else if (level === 'error' && BOOT_FAILURES.has(context))
        logger.debug({ context, err: message }, 'The start failed');
      else if (message instanceof Error) logger[level]({ context, err: message }, message.message);
      else logger[level]({ context }, String(message));
    };
  return {
    log: at('info'),
    error: at('error'),
    warn: at('warn'),
    debug: at('debug'),
    verbose: at('trace'),
    fatal: at('fatal'),
  };
}

/** Without the query, and without a secret that stands in the wrong place. */
function pathOf(url = ''): string {
  return redactSecrets(url.split('?')[0]);
}

/** One line a request: no headers, no query, no body, so that no secret can stand in it. */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (request: IncomingMessage) => request.requestId,
    customAttributeKeys: { reqId: 'requestId' },
    serializers: {
      req: ({ method, url }: { method: string; url: string }) => ({ method, path: pathOf(url) }),
      res: () => undefined,
    },
    wrapSerializers: true,
    autoLogging: { ignore: (request) => QUIET.test(request.url ?? '') },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: (request, response, ms) =>
      `${request.method} ${pathOf(request.url)} ${response.statusCode} ${Math.round(ms)} ms`,
    // The error itself has its own line, from the error filter.
    customErrorObject: (_request, _response, _error, value: object) => ({ ...value, err: undefined }),
    customErrorMessage: (request, response) => `${request.method} ${pathOf(request.url)} ${response.statusCode}`,
  });
}
