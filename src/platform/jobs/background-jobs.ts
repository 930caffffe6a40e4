import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

/**
 * Processes the next item of a queue, if there is one. A long step ends early when the signal reports that the service
 * stops.
 *
 * @returns the pause before the next step, in milliseconds.
 */
type Step = (stopping: AbortSignal) => Promise<number>;

/** Pause after a failed step, for example while the database is unavailable. */
const FAILURE_PAUSE_MS = 10_000;

/**
 * Runs queued work outside requests. Each module registers a step that locks or leases its item, because all instances run
 * the same jobs.
 */
@Injectable()
export class BackgroundJobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BackgroundJobs.name);
  private readonly jobs: { name: string; step: Step; firstPauseMs: number }[] = [];
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();

  /** @param name for the log. @param firstPauseMs the pause before the first step, in milliseconds. */
  register(name: string, step: Step, firstPauseMs = 0): void {
    this.jobs.push({ name, step, firstPauseMs });
  }

  /** Called by the service, but not by the operator CLI, which ends after one command. */
  start(): void {
    this.running = Promise.all(this.jobs.map(({ name, step, firstPauseMs }) => this.run(name, step, firstPauseMs)));
  }

  /** Waits for running steps, which need the database. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(name: string, step: Step, firstPauseMs: number): Promise<void> {
    const { signal } = this.stopping;
    for (let pauseMs = firstPauseMs; ;) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = await step(signal).catch((error: unknown) => {
        this.logger.warn(`${name} failed: ${(error as Error).message}`);
        return FAILURE_PAUSE_MS;
      });
    }
  }
}
