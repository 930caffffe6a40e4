interface Bounds {
  min: number;
  initial: number;
  max: number;
}

/** Factor of the limit after a period with congestion. */
const DECREASE = 0.8;

/** Factor of the limit after a period without congestion in which it was used. */
const INCREASE = 1.25;

/** Share of the limit above which it counts as used. */
const USED_SHARE = 0.9;

/**
 * A limit of concurrent requests that follows the capacity: it increases while it is used and requests do not wait for
 * resources, and decreases while they do (as in the concurrency-limits library of Netflix).
 */
export class AdaptiveLimit {
  private limit: number;

  constructor(private readonly bounds: Bounds) {
    this.limit = bounds.initial;
  }

  get value(): number {
    return Math.floor(this.limit);
  }

  /** Called after each period. @param peak the highest number of concurrent requests in it. */
  adjust(isCongested: boolean, peak: number): void {
    const { min, max } = this.bounds;
    // A limit that is not used is not the cause of a congestion.
    if (peak < this.limit * USED_SHARE) return;
    if (isCongested) this.limit = Math.max(min, this.limit * DECREASE);
    else this.limit = Math.min(max, Math.max(this.limit + 1, this.limit * INCREASE));
  }

  /** After an idle time nothing is known. */
  reset(): void {
    this.limit = Math.max(this.limit, this.bounds.initial);
  }
}
