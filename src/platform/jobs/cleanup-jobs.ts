import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';

/** Rows removed by one statement: few enough to hold their locks for a moment alone. */
const BATCH = 1_000;

/** Removes up to so many rows that mean nothing any more. @returns how many it found. */
type Removal = (batch: number) => Promise<number>;

/**
 * Removes what is over, every few minutes. Modules register what they have to remove, in statements that pass over rows
 * which another instance is removing (`FOR UPDATE SKIP LOCKED`): all instances may clean up at once, and none must.
 */
@Injectable()
export class CleanupJobs implements BeforeApplicationShutdown {
  private readonly logger = new Logger(CleanupJobs.name);
  private readonly removals = new Map<string, Removal>();
  private readonly stopping = new AbortController();
  private rounds = Promise.resolve();

  constructor(private readonly config: Config) {}

  register(what: string, removal: Removal): void {
    this.removals.set(what, removal);
  }

  /** Begins; the service calls it, and a command of the operator, which is gone in a moment, does not. */
  start(): void {
    this.rounds = this.run();
  }

  /** A round under way ends with its statement, before the database goes. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.rounds;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Instances that were started together need not clean up together.
      const pauseMs = this.config.cleanup.intervalS * 1000 * (0.5 + Math.random());
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      for (const [what, removal] of this.removals) await this.removeAll(what, removal);
    }
  }

  /** What fails is tried again in the next round, and keeps nothing else from being removed. */
  private async removeAll(what: string, removal: Removal): Promise<void> {
    let removed = 0;
    try {
      for (let found = BATCH; found === BATCH && !this.stopping.signal.aborted; removed += found) {
        found = await removal(BATCH);
      }
      if (removed > 0) this.logger.log(`Removed ${removed} ${what}`);
    } catch (error) {
      this.logger.warn(`Removing ${what} failed: ${(error as Error).message}`);
    }
  }
}
