/** Part of the slots that remains for other callers. */
const RESERVED_SHARE = 0.25;

/** Limits the concurrent use of something scarce, such as exports: for an instance, and below that for each caller. */
export class CallerSlots {
  private readonly used = new Map<string, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** The used share, from 0 to 1. */
  get occupancy(): number {
    return this.total / this.limit;
  }

  /** At least one slot remains for other callers, unless there is only one. */
  get limitPerCaller(): number {
    return Math.max(1, this.limit - Math.max(1, Math.floor(this.limit * RESERVED_SHARE)));
  }

  /** @param toError receives the limit that is reached. @returns a function that releases the slot; it may be called twice. */
  acquire(caller: string, toError: (limit: number) => Error): () => void {
    const ofCaller = this.used.get(caller) ?? 0;
    if (this.total >= this.limit) throw toError(this.limit);
    if (ofCaller >= this.limitPerCaller) throw toError(this.limitPerCaller);
    this.total++;
    this.used.set(caller, ofCaller + 1);
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
