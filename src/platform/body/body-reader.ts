import type { IncomingMessage } from 'node:http';
import { DomainError } from '../http/domain-error.js';

/** How long a body may stand still. */
const STILL_MS = 30_000;

/** How long a body may take though it moves, where its route says nothing else. */
const MOST_MS = 300_000;

/** The least that comes of a body without an end in that time, in bytes for each `STILL_MS`: about 1 KiB a second. */
const LEAST_BYTES = 32 * 1024;

/**
 * Waits for a body that is being read, and gives up on a sender who only means to hold its memory.
 *
 * @param withinMs by when the whole body must be there; without it, it has to move.
 * @param mostMs how long it may take though it moves; Infinity for files of any length, which have to come fast enough.
 * @throws {DomainError} `request_timeout`; the connection closes with the answer.
 */
export async function readBody(
  request: IncomingMessage,
  reading: Promise<void>,
  withinMs?: number,
  mostMs = MOST_MS,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let end: NodeJS.Timeout | undefined;
  let came = 0;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(withinMs)), withinMs ?? STILL_MS);
    const check = () => {
      if (came < LEAST_BYTES) reject(tooSlow(came));
      came = 0;
    };
    if (mostMs < Infinity) end = setTimeout(() => reject(tooLate(mostMs)), mostMs);
    else end = setInterval(check, STILL_MS);
  });
  const onData = ({ length }: Buffer) => {
    came += length;
    timer?.refresh();
  };
  if (withinMs === undefined) request.on('data', onData);
  try {
    await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
    request.off('data', onData);
  }
}

function tooLate(withinMs: number | undefined): DomainError {
  const message =
    withinMs === undefined
      ? `Nothing of the body has come for ${STILL_MS / 1000} seconds.`
      : `The body did not come within ${withinMs / 1000} seconds.`;
  return timeout(message);
}

function tooSlow(bytes: number): DomainError {
  const seconds = STILL_MS / 1000;
  return timeout(
    `Only ${bytes} bytes of the body have come within ${seconds} seconds; at least ${LEAST_BYTES} have to.`,
  );
}

function timeout(message: string): DomainError {
  return new DomainError('timeout', 'request_timeout', message, { headers: { Connection: 'close' } });
}
