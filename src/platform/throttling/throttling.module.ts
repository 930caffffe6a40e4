import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { getOptionsToken, getStorageToken, type ThrottlerOptions } from '@nestjs/throttler';
import { Jobs } from '../jobs/jobs.js';
import { Config } from '../config/config.js';
import { FailureLimit } from './failure-limit.js';
import { LocalBuckets } from './local-buckets.js';
import { findPolicies } from './rate-limit.decorator.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { SharedBucketsRepository } from './shared-buckets.repository.js';

/** Rate limits. Exports the providers that the library's guard injects in each module. */
@Global()
@Module({
  providers: [
    FailureLimit,
    LocalBuckets,
    RateLimitStorage,
    SharedBucketsRepository,
    { provide: getStorageToken(), useExisting: RateLimitStorage },
    { provide: getOptionsToken(), inject: [Config], useFactory: toThrottlers },
  ],
  exports: [FailureLimit, SharedBucketsRepository, getStorageToken(), getOptionsToken()],
})
export class ThrottlingModule implements OnModuleInit {
  constructor(
    private readonly buckets: SharedBucketsRepository,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('idle rate limit buckets', (batch) => this.buckets.removeIdle(batch));
  }
}

/** The policies that are not off, in the format of the library. */
function toThrottlers({ rateLimits: { shared, local } }: Config): ThrottlerOptions[] {
  return Object.entries({ ...shared, ...local }).flatMap(([name, policy]) =>
    policy
      ? {
          name,
          limit: policy.attempts,
          ttl: policy.windowS * 1000,
          blockDuration: policy.blockS * 1000,
          skipIf: (context) => !findPolicies(context).includes(name),
        }
      : [],
  );
}
