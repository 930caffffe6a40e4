import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { traceWork } from '../telemetry/spans.js';
import { listenOnce } from '../listeners.js';

/**
 * Does the next part of the work. A long step ends early when the signal reports that the service stops.
 *
 * @returns the pause before the next step in milliseconds; undefined to wait for `BackgroundJob.runSoon`.
 */
export type Step = (stopping: AbortSignal) => Promise<number | undefined>;

/** Pause after a failed step, for example while the database is unavailable. */
const FAILURE_PAUSE_MS = 10_000;

/** Work that repeats a step until the service stops. */
export class BackgroundJob {
  private readonly logger = new Logger('BackgroundJobs');
  private readonly stopping = new AbortController();
  private pause = new AbortController();
  private isRequested = false;

  constructor(
    private readonly name: string,
    private readonly step: Step,
    private readonly firstPauseMs: number | undefined,
    private readonly isTraced: boolean,
  ) {}

  /** Runs the next step now, or after the step that is running. */
  runSoon(): void {
    this.isRequested = true;
    this.pause.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let pauseMs = this.firstPauseMs; ;) {
      await this.wait(pauseMs);
      if (signal.aborted) return;
      this.isRequested = false;
      pauseMs = await this.runStep(signal).catch(() => this.pauseAfterFailure(signal));
    }
  }

  /** Ends a pause. A step that is running receives the signal. */
  stop(): void {
    this.stopping.abort();
    this.pause.abort();
  }

  /** Logs a failure within the trace, whose ID the line contains. */
  private async runStep(stopping: AbortSignal): Promise<number | undefined> {
    const run = () =>
      this.step(stopping).catch((error: unknown) => {
        this.logger.warn(`${this.name} failed: ${(error as Error).message}`);
        throw error;
      });
    return this.isTraced ? traceWork(this.name, run) : run();
  }

  /** A request to run soon does not end this pause. @returns no further pause. */
  private async pauseAfterFailure(stopping: AbortSignal): Promise<number> {
    await delay(FAILURE_PAUSE_MS, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    return 0;
  }

  private async wait(ms: number | undefined): Promise<void> {
    if (this.isRequested || this.stopping.signal.aborted) return;
    this.pause = new AbortController();
    const { signal } = this.pause;
    if (ms !== undefined) await delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
    else await new Promise<void>((done) => listenOnce(signal, 'abort', () => done()));
  }
}

/** Runs work outside requests. All instances run the same jobs, so each step locks or leases what it processes. */
@Injectable()
export class BackgroundJobs implements BeforeApplicationShutdown {
  private readonly jobs: BackgroundJob[] = [];
  private running: Promise<unknown> = Promise.resolve();

  /**
   * @param name for the log.
   * @param firstPauseMs the pause before the first step, in milliseconds; undefined to wait for
   *   `BackgroundJob.runSoon`.
   * @param isTraced false for a step that is frequent and only looks for work.
   */
  register(name: string, step: Step, firstPauseMs: number | undefined, isTraced = true): BackgroundJob {
    const job = new BackgroundJob(name, step, firstPauseMs, isTraced);
    this.jobs.push(job);
    return job;
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
}
