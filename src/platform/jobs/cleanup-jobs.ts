import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';

/** Rows per statement: few, so that their locks are short. */
const BATCH_ROWS = 1_000;

/** Removes at most `batch` rows that have no effect any more. @returns the number of rows that it found. */
type Removal = (batch: number) => Promise<number>;

/**
 * Removes expired rows every few minutes. Modules register statements that skip rows which another instance is removing
 * (`FOR UPDATE SKIP LOCKED`), because all instances run the same jobs.
 */
@Injectable()
export class CleanupJobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(CleanupJobs.name);
  private readonly removals = new Map<string, Removal>();
  private readonly stopping = new AbortController();
  private running = Promise.resolve();

  constructor(private readonly config: Config) {}

  /** @param name a plural for the log, such as `idempotency keys`. */
  register(name: string, removal: Removal): void {
    this.removals.set(name, removal);
  }

  /** Called by the service, but not by the operator CLI, which ends after one command. */
  start(): void {
    this.running = this.run();
  }

  /** Waits for the running statement, which needs the database. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Random, so that instances that started together do not clean up together.
      const pauseMs = this.config.cleanup.intervalS * 1000 * (0.5 + Math.random());
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      for (const [name, removal] of this.removals) await this.removeAll(name, removal);
    }
  }

  /** A failure does not affect other removals; the next round repeats it. */
  private async removeAll(name: string, removal: Removal): Promise<void> {
    let removed = 0;
    try {
      for (let found = BATCH_ROWS; found === BATCH_ROWS && !this.stopping.signal.aborted; removed += found) {
        found = await removal(BATCH_ROWS);
      }
      if (removed > 0) this.logger.log(`Removed ${removed} ${name}`);
    } catch (error) {
      this.logger.warn(`Removing ${name} failed: ${(error as Error).message}`);
    }
  }
}
