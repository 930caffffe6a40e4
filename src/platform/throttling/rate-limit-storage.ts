import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../config/config.js';
import type { RatePolicy } from '../config/rate-policy.js';
import { LocalBuckets } from './local-buckets.js';
import type { RateLimitStatus } from './rate-limit-status.js';
import { bucketKey, SharedBucketsRepository } from './shared-buckets.repository.js';

/** Separates the parts of a tracker; each part is hashed separately in the key of a shared bucket. */
export const TRACKER_SEPARATOR = '|';

/** Storage of the library's guard: shared policies count in PostgreSQL, all others in memory. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  constructor(
    private readonly shared: SharedBucketsRepository,
    private readonly local: LocalBuckets,
    private readonly config: Config,
  ) {}

  /** `ttl` and `block` in milliseconds. */
  increment(tracker: string, ttl: number, limit: number, block: number, name: string): Promise<RateLimitStatus> {
    return this.count(name, { attempts: limit, windowS: ttl / 1000, blockS: block / 1000 }, tracker);
  }

  /** Counts an attempt. */
  async count(name: string, policy: RatePolicy, tracker: string): Promise<RateLimitStatus> {
    return this.isShared(name)
      ? this.shared.count(toSharedKey(name, tracker), policy)
      : this.local.count(toLocalKey(name, tracker), policy);
  }

  /** Returns the status that an attempt would have now, without counting it. */
  async peek(name: string, policy: RatePolicy, tracker: string): Promise<RateLimitStatus> {
    return this.isShared(name)
      ? this.shared.peek(toSharedKey(name, tracker), policy)
      : this.local.peek(toLocalKey(name, tracker), policy);
  }

  private isShared(name: string): boolean {
    return Object.hasOwn(this.config.rateLimits.shared, name);
  }
}

function toSharedKey(name: string, tracker: string): string {
  return bucketKey(name, ...tracker.split(TRACKER_SEPARATOR));
}

function toLocalKey(name: string, tracker: string): string {
  return `${name}:${tracker}`;
}
