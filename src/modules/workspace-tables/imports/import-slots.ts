import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { TooManyImportsError } from './imports.errors.js';

/** An import's place among those of its instance. */
export interface ImportSlot {
  /** Waits until it may be carried out. @throws the signal's reason. */
  turn(signal: AbortSignal): Promise<void>;
  /** It is over. */
  leave(): void;
}

/**
 * The imports that an instance has at once. Many may be sending, so that slow lines keep nobody else waiting; few are carried
 * out, in the order in which their files were complete.
 */
@Injectable()
export class ImportSlots {
  private readonly limits: Config['imports'];
  private open = 0;
  private carriedOut = 0;
  private readonly waiting = new Set<() => void>();

  constructor({ imports }: Config) {
    this.limits = imports;
  }

  /** @throws {TooManyImportsError} */
  take(): ImportSlot {
    const { maxOpen } = this.limits;
    if (this.open >= maxOpen) throw new TooManyImportsError(maxOpen);
    this.open++;
    let hasTurn = false;
    return {
      turn: async (signal) => {
        await this.turn(signal);
        hasTurn = true;
      },
      leave: () => {
        this.open--;
        if (hasTurn) this.passOn();
      },
    };
  }

  private async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.carriedOut < this.limits.concurrency) {
      this.carriedOut++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.waiting.delete(go);
        reject(signal.reason as Error);
      };
      this.waiting.add(go);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** To whoever has waited longest. */
  private passOn(): void {
    const [go] = this.waiting;
    if (!go) {
      this.carriedOut--;
      return;
    }
    this.waiting.delete(go);
    go();
  }
}
