import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** Until it is so, or for as long as a busy machine may take. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error('It does not come to be');
    await delay(50);
  }
}
