import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;

/** Polls until the condition is met; without `isDone`, until the value is truthy. Throws after the timeout. */
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
  for (const end = Date.now() + withinMs; ;) {
    const value = await poll();
    if (isDone(value)) return value;
    if (Date.now() > end) throw new Error(`The condition was not met in time: ${JSON.stringify(value)}`);
    await delay(50);
  }
}
