import { Global, Module } from '@nestjs/common';
import { Jobs } from './jobs.js';
import { JobsRepository } from './jobs.repository.js';

/** Recurring and queued work outside requests. */
@Global()
@Module({
  providers: [Jobs, JobsRepository],
  exports: [Jobs],
})
export class JobsModule {}
