import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { listenOnce } from '../listeners.js';
import { traceWork } from '../telemetry/spans.js';

/**
 * Does the next part of the work. A long step ends early when the signal reports that the service stops.
 *
 * @returns the pause before the next step in milliseconds; undefined to wait for `Job.runSoon`.
 */
export type Step = (stopping: AbortSignal) => Promise<number | undefined>;

const FAILURE_PAUSE_MS = 10_000;

export interface JobOptions {
  /** Before the first step, in milliseconds; undefined to wait for `Job.runSoon`. */
  firstPauseMs?: number;
  /** After a failed step, for example while the database is unavailable, in milliseconds. Default: ten seconds. */
  failurePauseMs?: number;
  /** False for a step that is frequent and only looks for work. Default: true. */
  isTraced?: boolean;
}

/**
 * Work that repeats a step until the service stops. Its states:
 *
 * - pausing: until the pause ends, or `runSoon()` ends it. A pause without a length has no other end.
 * - running: a step. It ends in a pause of the length that it returns. `runSoon()` omits this pause.
 * - failed: a step has failed. The pause has its full length; the next step follows.
 * - stopped: by `stop()`, which ends a pause. A running step receives the signal, and the job stops after it.
 */
export class Job {
  private readonly logger = new Logger('Jobs');
  private readonly stopping = new AbortController();
  private pause = new AbortController();
  private isRequested = false;

  /** @param name for the log and traces. */
  constructor(
    private readonly name: string,
    private readonly step: Step,
    private readonly options: JobOptions = {},
  ) {}

  /** Runs the next step now, or after the step that is running. */
  runSoon(): void {
    this.isRequested = true;
    this.pause.abort();
  }

  /** Resolves when the job has stopped. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let pauseMs = this.options.firstPauseMs; ;) {
      await this.wait(pauseMs);
      if (signal.aborted) return;
      this.isRequested = false;
      pauseMs = await this.runStep(signal).catch(() => this.pauseAfterFailure(signal));
    }
  }

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
    return this.options.isTraced === false ? run() : traceWork(this.name, run);
  }

  /** @returns no further pause. */
  private async pauseAfterFailure(stopping: AbortSignal): Promise<number> {
    const pauseMs = this.options.failurePauseMs ?? FAILURE_PAUSE_MS;
    await delay(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
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
