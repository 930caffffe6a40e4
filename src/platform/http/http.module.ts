import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../jobs/cleanup-jobs.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';

/** What every route shares: bounded bodies, validation, envelope, effects that happen once, one shape of error. */
@Global()
@Module({
  providers: [IdempotencyKeys],
  exports: [IdempotencyKeys],
})
export class HttpModule implements OnModuleInit {
  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly cleanup: CleanupJobs,
  ) {}

  onModuleInit(): void {
    this.cleanup.register('idempotency keys', (batch) => this.keys.removeOver(batch));
  }
}
