import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { CleanupJobs } from '../jobs/cleanup-jobs.js';
import { BodyMemory, BodyRelease } from '../body/body-memory.js';
import { EnvelopeInterceptor } from './envelope.js';
import { ErrorFilter } from './error.filter.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyKeys } from './idempotency/idempotency-keys.js';
import { dtoValidation } from './validation.pipe.js';

/** What every route shares: bounded bodies, validation, envelope, effects that happen once, one shape of error. */
@Global()
@Module({
  providers: [
    BodyMemory,
    IdempotencyKeys,
    { provide: APP_PIPE, useValue: dtoValidation },
    { provide: APP_INTERCEPTOR, useClass: BodyRelease },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: EnvelopeInterceptor },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
  exports: [BodyMemory],
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
