import type { Logger } from 'pino';
import { listen } from '../listeners.js';

/**
 * After an error that no code has caught, the state of the process is unknown: a lock may never be released, a queue
 * never be continued, and readiness would not show it. So the process ends, but in order: Node's default would end the
 * requests of all other callers. Registers for exceptions and for rejected promises without a handler, which Node
 * reports as exceptions.
 *
 * @param end drains and ends the process with code 1; called once. Later errors are only logged.
 * @param limitMs after which the process ends anyway, because the error may prevent the end.
 */
export function endAfterUncaughtErrors(logger: Logger, end: () => Promise<void>, limitMs: number): void {
  let isEnding = false;
  listen(process, 'uncaughtException', (error: unknown, origin: string) => {
    logger.fatal({ err: error }, `${origin}: ${error instanceof Error ? error.message : String(error)}`);
    if (isEnding) return;
    isEnding = true;
    const exit = () => process.exit(1);
    setTimeout(exit, limitMs).unref();
    end().catch(exit);
  });
}
