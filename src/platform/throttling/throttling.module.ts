import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { getOptionsToken, getStorageToken, type ThrottlerOptions } from '@nestjs/throttler';
import { CleanupJobs } from '../jobs/cleanup-jobs.js';
import { Config } from '../config/config.js';
import { LocalBuckets } from './local-buckets.js';
import { policiesOf } from './rate-limit.decorator.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { SharedBuckets } from './shared-buckets.js';

/** How often callers may do what: what the guards of the library find injected, wherever they stand. */
@Global()
@Module({
  providers: [
    LocalBuckets,
    SharedBuckets,
    { provide: getStorageToken(), useClass: RateLimitStorage },
    { provide: getOptionsToken(), inject: [Config], useFactory: throttlers },
  ],
  exports: [SharedBuckets, getStorageToken(), getOptionsToken()],
})
export class ThrottlingModule implements OnModuleInit {
  constructor(
    private readonly buckets: SharedBuckets,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('idle rate limits', (batch) => this.buckets.removeIdle(batch));
  }
}

/** The policies that are not off, as the library takes them. */
function throttlers({ rateLimits: { shared, local } }: Config): ThrottlerOptions[] {
  return Object.entries({ ...shared, ...local }).flatMap(([name, policy]) =>
    policy
      ? {
          name,
          limit: policy.attempts,
          ttl: policy.windowS * 1000,
          blockDuration: policy.blockS * 1000,
          skipIf: (context) => !policiesOf(context).includes(name),
        }
      : [],
  );
}
