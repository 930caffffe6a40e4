import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../jobs/cleanup-jobs.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.repository.js';

/** Stores idempotency keys. The guards, interceptors and filter of this folder are in request-pipeline.ts. */
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
    this.cleanup.register('expired idempotency keys', (batch) => this.keys.removeExpired(batch));
  }
}
