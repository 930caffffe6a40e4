import type { IncomingMessage } from 'node:http';
import { DomainError } from './domain-error.js';

/** How long a body may stand still. */
const STILL_MS = 30_000;

/**
 * Waits for a body that is being read, and gives up on a sender who only means to hold its memory.
 *
 * @param withinMs by when the whole body must be there; without it, a body takes any time as long as it moves.
 * @throws {DomainError} `request_timeout`; the connection closes with the answer.
 */
export async function arrived(request: IncomingMessage, reading: Promise<void>, withinMs?: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(withinMs)), withinMs ?? STILL_MS);
  });
  const onData = () => timer?.refresh();
  if (withinMs === undefined) request.on('data', onData);
  try {
    await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    request.off('data', onData);
  }
}

function tooLate(withinMs: number | undefined): DomainError {
  const message =
    withinMs === undefined
      ? `Nothing of the body has come for ${STILL_MS / 1000} seconds.`
      : `The body did not come within ${withinMs / 1000} seconds.`;
  return new DomainError('timeout', 'request_timeout', message, { headers: { Connection: 'close' } });
}
