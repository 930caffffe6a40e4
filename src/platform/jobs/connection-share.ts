/**
 * Limits how many connections of the pool one kind of background work uses at a time. Other work of this kind waits
 * without one.
 */
export class ConnectionShare {
  /** Connections that may be in use at a time. */
  readonly limit: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param part of the pool, from 0 to 1; at least one connection. */
  constructor(poolSize: number, part: number) {
    this.limit = Math.max(1, Math.floor(poolSize * part));
  }

  /** Runs the work, which must not use the share again. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.limit) this.running++;
    else await new Promise<void>((start) => this.waiting.push(start));
    try {
      return await work();
    } finally {
      // The next work takes over the connection.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
