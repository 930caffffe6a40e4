import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { RatePolicy } from './rate-policy.js';
import { type RateLimitStatus, rateLimitStatus } from './rate-limit-status.js';

interface Window {
  /** Attempts so far; one more than allowed once one was refused. */
  count: number;
  /** On the clock of `performance.now()`. */
  endsAt: number;
}

/** Callers remembered at once; beyond that the one not seen for longest begins anew. */
const MAX_CALLERS = 50_000;

/**
 * Counts for this instance alone, in memory: two numbers a caller, whatever the limit. (The library's own storage keeps
 * every hit and looks through all of them each time.) A window begins with a caller's first attempt.
 */
@Injectable()
export class LocalBuckets {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_CALLERS });

  count(key: string, { attempts, windowS, blockS }: RatePolicy): RateLimitStatus {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) this.windows.set(key, (window = { count: 0, endsAt: now + windowS * 1000 }));
    if (window.count <= attempts) {
      window.count++;
      // Once: the attempts after the first that is refused do not prolong the block.
      if (window.count > attempts && blockS > 0) window.endsAt = now + blockS * 1000;
    }
    return rateLimitStatus(window.count > attempts, Math.min(window.count, attempts), (window.endsAt - now) / 1000);
  }
}
