import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** Looks until it is so, or for as long as a busy machine may take. Without `isSo`: until there is anything. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T>;
export async function until<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean, withinMs?: number): Promise<T>;
export async function until<T>(
  look: () => Promise<T> | T,
  isSo: (seen: T) => boolean = Boolean,
  withinMs = PATIENCE_MS,
): Promise<T> {
  for (const end = Date.now() + withinMs; ;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > end) throw new Error(`It does not come to be: ${JSON.stringify(seen)}`);
    await delay(50);
  }
}
