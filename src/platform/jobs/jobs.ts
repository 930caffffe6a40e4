import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { Job, type Step } from './job.js';
import { JobsRepository } from './jobs.repository.js';

/** Rows that a cleanup removes per statement: few, so that their locks are short. */
const BATCH_ROWS = 1_000;

/** How many times as long as a statement of a cleanup the pause after it is, so that requests have the processors. */
const PAUSE_RATIO = 3;

/** Work that is stored in the database. */
interface Queue {
  /** For the log. */
  name: string;
  /** `SELECT workspace_id FROM …` without parameters that returns rows if work is due, using an index. */
  due: string;
  /**
   * Locks or leases an entry and processes it. On a cluster it runs again if a node is unreachable
   * (`Database.onReachableNodes`). It returns undefined if nothing was due.
   */
  run: Step;
  /** Whose age is a metric; absent for work that no caller waits for. */
  oldest?: OldestEntry;
}

/** The oldest entry of a queue that callers wait for. */
interface OldestEntry {
  /** Label of the metric. */
  queue: string;
  /** `SELECT … AS since FROM …`: one row, since when the oldest entry waits, or null. */
  select: string;
}

/**
 * Removes at most `batch` rows that have no effect any more, or as many of each workspace.
 *
 * @returns the number of rows that it found.
 */
type Removal = (batch: number) => Promise<number>;

/**
 * The work outside requests: queues, and cleanups every few minutes. All instances run the same jobs, so each step
 * locks or leases what it processes, and a removal finds nothing if another instance removes the same rows.
 *
 * Queued work of all kinds is found by one statement, so that an idle instance asks the database rarely (ADR 0039):
 * every JOB_POLL_S seconds, and immediately after this instance has committed new work. The interval limits how long
 * work waits that another instance has queued or abandoned.
 */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Jobs.name);
  private readonly jobs: Job[] = [];
  private readonly queues: (Queue & { job: Job })[] = [];
  private readonly poll = this.add(
    new Job('Looking for queued work', () => this.runDue(), { firstPauseMs: 0, isTraced: false }),
  );
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly repository: JobsRepository,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** @returns the job, for a module that knows that work is due. */
  processQueue(queue: Queue): Job {
    const job = this.add(new Job(queue.name, (stopping) => this.database.onReachableNodes(() => queue.run(stopping))));
    this.queues.push({ ...queue, job });
    return job;
  }

  /** Removes expired rows every few minutes. @param name a plural for the log, such as `idempotency keys`. */
  cleanUp(name: string, removal: Removal): void {
    let removed = 0;
    const step = async () => {
      const startedAt = performance.now();
      const found = await removal(BATCH_ROWS);
      removed += found;
      if (found >= BATCH_ROWS) return PAUSE_RATIO * (performance.now() - startedAt);
      if (removed > 0) this.logger.log(`Removed ${removed} ${name}`);
      removed = 0;
      return this.choosePause();
    };
    this.add(
      new Job(`Removing ${name}`, step, { firstPauseMs: this.choosePause(), failurePauseMs: this.choosePause() }),
    );
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

  /** Called by the service, but not by the operator CLI, which ends after one command. */
  start(): void {
    this.running = Promise.all(this.jobs.map((job) => job.run()));
  }

  /** Waits for running steps, which need the database. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const job of this.jobs) job.stop();
    await this.running;
  }

  private add(job: Job): Job {
    this.jobs.push(job);
    return job;
  }

  /** @returns the pause before the next call, in milliseconds. */
  private async runDue(): Promise<number> {
    const selects = this.queues.map(({ due }) => due);
    const due = await this.database.onReachableNodes(() => this.repository.findDue(selects));
    for (const position of due) this.queues[position]!.job.runSoon();
    return this.config.jobs.pollS * 1000;
  }

  /** Random, so that instances that started together do not clean up together. In milliseconds. */
  private choosePause(): number {
    return this.config.cleanup.intervalS * 1000 * (0.5 + Math.random());
  }
}
