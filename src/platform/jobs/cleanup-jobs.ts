import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BackgroundJobs } from './background-jobs.js';

/** Rows per statement: few, so that their locks are short. */
const BATCH_ROWS = 1_000;

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

  private async run(stopping: AbortSignal): Promise<number> {
    for (const [name, removal] of this.removals) await this.removeAll(name, removal, stopping);
    return this.choosePause();
  }

  /** Random, so that instances that started together do not clean up together. */
  private choosePause(): number {
    return this.config.cleanup.intervalS * 1000 * (0.5 + Math.random());
  }

  /** A failure does not affect other removals; the next round repeats it. */
  private async removeAll(name: string, removal: Removal, stopping: AbortSignal): Promise<void> {
    let removed = 0;
    try {
      for (let found = BATCH_ROWS; found === BATCH_ROWS && !stopping.aborted; removed += found) {
        found = await removal(BATCH_ROWS);
      }
      if (removed > 0) this.logger.log(`Removed ${removed} ${name}`);
    } catch (error) {
      this.logger.warn(`Removing ${name} failed: ${(error as Error).message}`);
    }
  }
}
