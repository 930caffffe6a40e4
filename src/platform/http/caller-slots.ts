/** Part of the slots that remains for other callers. */
const RESERVED_SHARE = 0.25;

/** Limits the concurrent use of something scarce, such as exports: for an instance, and below that for each caller. */
export class CallerSlots {
  private readonly used = new Map<string, number>();
  private total = 0;

  constructor(readonly limit: number) {}

  /** The used share, from 0 to 1. */
  get occupancy(): number {
    return this.total / this.limit;
  }

  /** At least one slot remains for other callers, unless there is only one. */
  get limitPerCaller(): number {
    return Math.max(1, this.limit - Math.max(1, Math.floor(this.limit * RESERVED_SHARE)));
  }

  /** May the caller acquire a slot now? */
  isFree(caller: string): boolean {
    return this.total < this.limit && (this.used.get(caller) ?? 0) < this.limitPerCaller;
  }

  /**
   * @param toError receives the limit that is reached.
   * @returns a function that releases the slot; it may be called twice.
   */
  acquire(caller: string, toError: (limit: number) => Error): () => void {
    if (!this.isFree(caller)) throw toError(this.total >= this.limit ? this.limit : this.limitPerCaller);
    this.total++;
    this.used.set(caller, (this.used.get(caller) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.total--;
      const rest = this.used.get(caller)! - 1;
      if (rest > 0) this.used.set(caller, rest);
      else this.used.delete(caller);
    };
  }
}
