import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../config/config.js';
import { LocalBuckets } from './local-buckets.js';
import { bucketKey, SharedBuckets } from './shared-buckets.js';
import type { RateLimitStatus } from './rate-limit-status.js';

/** Between the parts of what is counted; the key of a bucket in PostgreSQL has a hash for each. */
export const PART = '|';

/** Where the library's guard counts: shared policies in PostgreSQL, all others in memory. */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage {
  constructor(
    private readonly shared: SharedBuckets,
    private readonly local: LocalBuckets,
    private readonly config: Config,
  ) {}

  /** `ttl` and `block` in milliseconds. */
  async increment(tracker: string, ttl: number, limit: number, block: number, name: string): Promise<RateLimitStatus> {
    const policy = { attempts: limit, windowS: ttl / 1000, blockS: block / 1000 };
    return name in this.config.rateLimits.shared
      ? this.shared.count(bucketKey(name, ...tracker.split(PART)), policy)
      : this.local.count(`${name}:${tracker}`, policy);
  }
}
