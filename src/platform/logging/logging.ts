import { setTimeout as delay } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { type Logger, pino, stdSerializers } from 'pino';
import type { Config } from '../config/config.js';
import { currentTraceId, isTracing } from '../telemetry/spans.js';
import { REQUEST_FIELDS } from './request-log.js';

/**
 * Bytes of lines that are written together: a write per line takes a twentieth of the CPU time of a small request.
 * Errors are written at once, other lines after 250 ms at the latest, and all when the process exits.
 */
const WRITTEN_AT_ONCE = 4096;
const FLUSH_INTERVAL_MS = 250;
/** How long the last lines may wait for a reader. */
const LAST_LINES_MS = 1_000;

/** Logs to standard error: one JSON object per line, or readable lines on a terminal outside production. */
export async function createLogger(config: Config): Promise<Logger> {
  const { level, format } = config.logging;
  const readable = format === 'pretty' || (format === 'auto' && !config.production && process.stderr.isTTY);
  const options = {
    level,
    base: undefined,
    serializers: { err: serializeError },
    mixin: isTracing() ? () => ({ traceId: currentTraceId() }) : undefined,
  };
  if (readable) {
    // Loaded only if needed, because a deployed service logs JSON.
    const { default: pretty } = await import('pino-pretty');
    const ignore = ['context', ...REQUEST_FIELDS].join(',');
    return pino(options, pretty({ destination: 2, ignore, messageFormat: '{msg}', sync: true }));
  }
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: WRITTEN_AT_ONCE,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  return pino(
    {
      ...options,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(parameters, log, logLevel) {
          log.apply(this, parameters);
          if (logLevel >= pino.levels.values['error']!) destination.flush();
        },
      },
    },
    destination,
  );
}

/**
 * Writes the last lines. If nothing reads standard error any more, it discards them: pino would try to write them when
 * the process exits, without end.
 */
export async function closeLogger(logger: Logger): Promise<void> {
  const flushed = new Promise<boolean>((resolve) => {
    logger.flush((error) => {
      resolve(!error);
    });
  });
  if (await Promise.race([flushed, delay(LAST_LINES_MS, false, { ref: false })])) return;
  const { [pino.symbols.streamSym]: destination } = logger as unknown as Record<symbol, { destroy(): void }>;
  destination!.destroy();
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
      // Further fields of the line.
      const fields = rest.length > 1 && typeof rest[0] === 'object' ? rest[0] : undefined;
      if (level === 'info' && START_CONTEXTS.has(context)) logger.debug({ context }, String(message));
      else if (level === 'error' && START_ERROR_CONTEXTS.has(context))
        logger.debug({ context, err: message }, 'The start failed');
      else if (message instanceof Error) logger[level]({ ...fields, context, err: message }, message.message);
      else logger[level]({ ...fields, context }, String(message));
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
