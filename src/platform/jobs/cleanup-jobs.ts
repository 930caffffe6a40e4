import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BackgroundJobs } from './background-jobs.js';

/** Rows per statement: few, so that their locks are short. */
const BATCH_ROWS = 1_000;

/** How many times as long as a statement the pause after it is, so that requests have the processors. */
const PAUSE_RATIO = 3;

/** Removes at most `batch` rows that have no effect any more. @returns the number of rows that it found. */
type Removal = (batch: number) => Promise<number>;

/**
 * Removes expired rows every few minutes. All instances run the same jobs, so a module registers a statement that finds
 * nothing if another instance removes the same rows.
 */
@Injectable()
export class CleanupJobs {
  private readonly logger = new Logger(CleanupJobs.name);
  private readonly removals = new Map<string, Removal>();

  constructor(
    private readonly config: Config,
    background: BackgroundJobs,
  ) {
    background.register('Cleanup', (stopping) => this.run(stopping), this.choosePause());
  }

  /** @param name a plural for the log, such as `idempotency keys`. */
  register(name: string, removal: Removal): void {
    this.removals.set(name, removal);
  }

  /** Removals take turns, so that one with millions of rows does not delay the others. */
  private async run(stopping: AbortSignal): Promise<number> {
    const removed = new Map([...this.removals.keys()].map((name) => [name, 0]));
    while (removed.size > 0) {
      for (const [name, before] of removed) {
        if (stopping.aborted) return this.choosePause();
        const startedAt = performance.now();
        const found = await this.remove(name);
        removed.set(name, before + found);
        if (found === BATCH_ROWS) await pause(PAUSE_RATIO * (performance.now() - startedAt), stopping);
        else {
          if (before + found > 0) this.logger.log(`Removed ${before + found} ${name}`);
          removed.delete(name);
        }
      }
    }
    return this.choosePause();
  }

  /** Random, so that instances that started together do not clean up together. */
  private choosePause(): number {
    return this.config.cleanup.intervalS * 1000 * (0.5 + Math.random());
  }

  /** A failure does not affect other removals; the next round repeats it. */
  private async remove(name: string): Promise<number> {
    try {
      return await this.removals.get(name)!(BATCH_ROWS);
    } catch (error) {
      this.logger.warn(`Removing ${name} failed: ${(error as Error).message}`);
      return 0;
    }
  }
}

/** Ends early when the service stops. */
async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: stopping, ref: false }).catch(() => undefined);
}
