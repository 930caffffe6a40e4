import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { type BackgroundJob, BackgroundJobs, type Step } from './background-jobs.js';
import { JobQueuesRepository } from './job-queues.repository.js';

/** Work that is stored in the database, and the job of this instance that processes it. */
interface Queue {
  /** `SELECT workspace_id FROM …` of the entries that are due; parameters are not possible. */
  dueEntries: string;
  job: BackgroundJob;
  /** Whose age is a metric; absent for work that no caller waits for. */
  oldest: OldestEntry | undefined;
}

/** The oldest entry of a queue that callers wait for. */
export interface OldestEntry {
  /** Label of the metric. */
  queue: string;
  /** `SELECT … AS since FROM …`: one row, since when the oldest entry waits, or null. */
  select: string;
}

/**
 * Finds queued work of all kinds with one statement, so that an idle instance asks the database rarely (ADR 0039):
 * every JOB_POLL_S seconds, and immediately after this instance has committed new work. The interval limits how long
 * work waits that another instance has queued or abandoned.
 */
@Injectable()
export class JobQueues {
  private readonly queues: Queue[] = [];
  private readonly poll: BackgroundJob;

  constructor(
    private readonly background: BackgroundJobs,
    private readonly repository: JobQueuesRepository,
    private readonly database: Database,
    private readonly config: Config,
  ) {
    this.poll = background.register('Looking for queued work', () => this.runDue(), 0, false);
  }

  /**
   * @param name for the log.
   * @param dueEntries `SELECT workspace_id FROM …` without parameters that returns rows if work is due, using an index.
   * @param step locks or leases an entry and processes it. On a cluster it runs again if a node is unreachable
   *   (`Database.onReachableNodes`). It returns the pause before the next step in milliseconds, or undefined if nothing
   *   was due.
   * @param oldest for the metric of the age of the queue.
   * @returns the job, for a module that knows that work is due.
   */
  register(name: string, dueEntries: string, step: Step, oldest?: OldestEntry): BackgroundJob {
    const job = this.background.register(
      name,
      (stopping) => this.database.onReachableNodes(() => step(stopping)),
      undefined,
    );
    this.queues.push({ dueEntries, job, oldest });
    return job;
  }

  /** How long the oldest entry of each queue waits, in seconds; 0 if the queue is empty. */
  async ages(): Promise<Map<string, number>> {
    const reported = this.queues.flatMap(({ oldest }) => oldest ?? []);
    const ages = await this.repository.readAges(reported.map(({ select }) => select));
    return new Map(reported.map(({ queue }, position) => [queue, ages[position] ?? 0]));
  }

  /**
   * Call it when work has been queued: it is processed as soon as the open transaction, if there is one, is committed.
   */
  wakeAfterCommit(): void {
    this.database.afterCommit(() => this.poll.runSoon());
  }

  /** @returns the pause before the next call, in milliseconds. */
  private async runDue(): Promise<number> {
    const selects = this.queues.map(({ dueEntries }) => dueEntries);
    const due = await this.database.onReachableNodes(() => this.repository.findDue(selects));
    for (const position of due) this.queues[position]!.job.runSoon();
    return this.config.jobs.pollS * 1000;
  }
}
