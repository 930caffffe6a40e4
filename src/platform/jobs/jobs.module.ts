import { Global, Module } from '@nestjs/common';
import { BackgroundJobs } from './background-jobs.js';
import { CleanupJobs } from './cleanup-jobs.js';
import { JobQueues } from './job-queues.js';
import { JobQueuesRepository } from './job-queues.repository.js';

/** Recurring and queued work outside requests. */
@Global()
@Module({
  providers: [BackgroundJobs, CleanupJobs, JobQueues, JobQueuesRepository],
  exports: [BackgroundJobs, CleanupJobs, JobQueues],
})
export class JobsModule {}
