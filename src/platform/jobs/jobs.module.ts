import { Global, Module } from '@nestjs/common';
import { BackgroundJobs } from './background-jobs.js';
import { CleanupJobs } from './cleanup-jobs.js';

/** Recurring and queued work outside requests. */
@Global()
@Module({ providers: [BackgroundJobs, CleanupJobs], exports: [BackgroundJobs, CleanupJobs] })
export class JobsModule {}
