import { Global, Module } from '@nestjs/common';
import { BackgroundJobs } from './background-jobs.js';
import { CleanupJobs } from './cleanup-jobs.js';
import { JobQueues } from './job-queues.js';
import { JobQueuesRepository } from './job-queues.repository.js';
import { TableStatistics } from './table-statistics.js';
import { FixedTableStatisticsRepository } from './fixed-table-statistics.repository.js';

/** Recurring and queued work outside requests. */
@Global()
@Module({
  providers: [
    BackgroundJobs,
    CleanupJobs,
    JobQueues,
    JobQueuesRepository,
    TableStatistics,
    FixedTableStatisticsRepository,
  ],
  exports: [BackgroundJobs, CleanupJobs, JobQueues],
})
export class JobsModule {}
