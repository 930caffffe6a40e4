import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { CallerSlots } from '../../../platform/http/caller-slots.js';
import { TooManyImportsError } from './imports.errors.js';
import { listenOnce } from '../../../platform/listeners.js';

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
  private readonly open: CallerSlots;
  private executing = 0;
  private readonly waiting = new Set<() => void>();

  constructor({ imports }: Config) {
    this.open = new CallerSlots(imports.maxOpen);
  }

  /** The used share of the slots, from 0 to 1. */
  get occupancy(): number {
    return this.open.occupancy;
  }

  /** @param userId the caller, who cannot occupy all slots. @throws {TooManyImportsError} */
  acquire(userId: string): ImportSlot {
    const release = this.open.acquire(userId, (limit) => new TooManyImportsError(limit));
    let hasTurn = false;
    return {
      waitForTurn: async (signal) => {
        await this.waitForTurn(signal);
        hasTurn = true;
      },
      release: () => {
        release();
        if (hasTurn) this.passTurn();
      },
    };
  }

  private async waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.executing < MAX_EXECUTED) {
      this.executing++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        endListening();
        resolve();
      };
      const endListening = listenOnce(signal, 'abort', () => {
        this.waiting.delete(start);
        reject(signal.reason as Error);
      });
      this.waiting.add(start);
    });
  }

  /** The longest-waiting import is next. */
  private passTurn(): void {
    const [start] = this.waiting;
    if (!start) {
      this.executing--;
      return;
    }
    this.waiting.delete(start);
    start();
  }
}
