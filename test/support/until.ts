import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;

/**
 * Polls until the condition is met; without `isDone`, until the value is truthy. Throws after the timeout, also if a
 * poll hangs.
 */
export async function until<T>(poll: () => Promise<T | undefined | false>): Promise<T>;
export async function until<T>(
  poll: () => Promise<T> | T,
  isDone: (value: T) => boolean,
  withinMs?: number,
): Promise<T>;
export async function until<T>(
  poll: () => Promise<T> | T,
  isDone: (value: T) => boolean = Boolean,
  withinMs = TIMEOUT_MS,
): Promise<T> {
  const timer = new AbortController();
  let last: T | undefined;
  const timeout = delay(withinMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`The condition was not met within ${withinMs / 1000} s. The last value: ${JSON.stringify(last)}`);
  });
  // The loop may end first, by a value or an error.
  timeout.catch(() => undefined);
  try {
    for (;;) {
      last = await Promise.race([Promise.resolve(poll()), timeout]);
      if (isDone(last)) return last;
      await Promise.race([delay(50), timeout]);
    }
  } finally {
    timer.abort();
  }
}
