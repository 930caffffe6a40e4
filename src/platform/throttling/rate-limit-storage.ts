import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Config } from '../config/config.js';
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
  async increment(tracker: string, ttl: number, limit: number, block: number, name: string): Promise<RateLimitStatus> {
    const policy = { attempts: limit, windowS: ttl / 1000, blockS: block / 1000 };
    return name in this.config.rateLimits.shared
      ? this.shared.count(bucketKey(name, ...tracker.split(TRACKER_SEPARATOR)), policy)
      : this.local.count(`${name}:${tracker}`, policy);
  }
}
