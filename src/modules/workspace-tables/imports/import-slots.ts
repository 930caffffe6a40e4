import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { type Release, Turns } from '../../../platform/turns.js';
import { TooManyImportsError } from './imports.errors.js';

/** Imports that an instance executes at a time. Others wait with their files. */
const MAX_EXECUTED = 2;

/** One of the concurrent imports of an instance. */
export interface ImportSlot {
  /** Waits until the import may be executed. @throws the signal's reason. */
  waitForTurn(signal: AbortSignal): Promise<void>;
  /** Frees the slot. */
  release(): void;
}

/**
 * Limits the imports of an instance. Many may upload, so that slow connections do not delay others; few are executed,
 * in the order in which their uploads were complete.
 */
@Injectable()
export class ImportSlots {
  private readonly open: Turns;
  private readonly executed = new Turns(MAX_EXECUTED);

  constructor({ imports }: Config) {
    this.open = Turns.ofCallers(imports.maxOpen);
  }

  /** The used share of the slots, from 0 to 1. */
  get occupancy(): number {
    return this.open.occupancy;
  }

  /** @param userId the caller, who cannot occupy all slots. @throws {TooManyImportsError} */
  acquire(userId: string): ImportSlot {
    const release = this.open.acquireNow(userId, (limit) => new TooManyImportsError(limit));
    let endTurn: Release | undefined;
    return {
      waitForTurn: async (signal) => {
        endTurn = await this.executed.acquire('', { signal });
      },
      release: () => {
        release();
        endTurn?.();
      },
    };
  }
}
