import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

/**
 * Does the next piece of work, where there is one. What takes longer than a moment is broken off when the signal says that
 * the service stops. @returns how long to wait for the one after, in milliseconds.
 */
type Step = (stopping: AbortSignal) => Promise<number>;

/** What waits where a step failed: the database, say, will be back. */
const PAUSE_AFTER_FAILURE_MS = 10_000;

/**
 * Work that goes on beside the requests. Modules register a step each, which claims what it works on, so that all
 * instances may work at once.
 */
@Injectable()
export class BackgroundJobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BackgroundJobs.name);
  private readonly steps = new Map<string, Step>();
  private readonly stopping = new AbortController();
  private work: Promise<unknown> = Promise.resolve();

  register(what: string, step: Step): void {
    this.steps.set(what, step);
  }

  /** Begins; the service calls it, and a command of the operator, which is gone in a moment, does not. */
  start(): void {
    this.work = Promise.all([...this.steps].map(([what, step]) => this.run(what, step)));
  }

  /** A step under way ends before the database goes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async run(what: string, step: Step): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const pauseMs = await step(signal).catch((error: unknown) => {
        this.logger.warn(`${what} failed: ${(error as Error).message}`);
        return PAUSE_AFTER_FAILURE_MS;
      });
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
