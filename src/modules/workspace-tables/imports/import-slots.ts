import { Injectable } from '@nestjs/common';
import { UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import { Config } from '../../../platform/config/config.js';
import { type Release, Turns } from '../../../platform/turns.js';
import { IMPORT_ERRORS } from './imports.errors.js';

/** Imports that an instance executes at a time. Others wait with their files. */
const MAX_EXECUTED = 2;

const RETRY_AFTER_S = 5;

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

  /** @param userId the caller, who cannot occupy all slots. @throws {UnavailableError} `too_many_imports` */
  acquire(userId: string): ImportSlot {
    const release = this.open.acquireNow(userId, (limit) => {
      const message = `The limit of ${limit} concurrent imports is reached. Retry after ${RETRY_AFTER_S} seconds.`;
      return new UnavailableError(IMPORT_ERRORS.too_many_imports, message, { retryAfterS: RETRY_AFTER_S });
    });
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
