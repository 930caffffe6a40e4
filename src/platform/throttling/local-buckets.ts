import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { RatePolicy } from '../config/rate-policy.js';
import { type RateLimitStatus, rateLimitStatus } from './rate-limit-status.js';

interface Window {
  /** Attempts; one more than the policy allows after a rejected attempt. */
  count: number;
  /** On the clock of `performance.now()`. */
  endsAt: number;
}

/** Number of callers that an instance counts; beyond it the count of the least recent caller is lost. */
const MAX_CALLERS = 50_000;

/**
 * Rate limits of this instance, in memory, with two numbers per caller. (The storage of the library stores every hit
 * and reads all of them each time.) A window begins with the first attempt of a caller.
 */
@Injectable()
export class LocalBuckets {
  private readonly windows = new LRUCache<string, Window>({ max: MAX_CALLERS });

  /** Counts an attempt. */
  count(key: string, { attempts, windowS, blockS }: RatePolicy): RateLimitStatus {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) this.windows.set(key, (window = { count: 0, endsAt: now + windowS * 1000 }));
    if (window.count <= attempts) {
      window.count++;
      // Only the first rejected attempt begins the block; later ones do not prolong it.
      if (window.count > attempts && blockS > 0) window.endsAt = now + blockS * 1000;
    }
    return rateLimitStatus(window.count > attempts, Math.min(window.count, attempts), (window.endsAt - now) / 1000);
  }

  /** Returns the status that an attempt would have now, without counting it. */
  peek(key: string, { attempts, windowS }: RatePolicy): RateLimitStatus {
    const now = performance.now();
    const window = this.windows.get(key);
    if (!window || window.endsAt <= now) return rateLimitStatus(false, 0, windowS);
    return rateLimitStatus(window.count >= attempts, Math.min(window.count, attempts), (window.endsAt - now) / 1000);
  }
}
