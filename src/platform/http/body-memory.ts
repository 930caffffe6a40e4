import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { UnavailableError } from './domain-error.js';

/**
 * Bounds the memory that request bodies hold. A body's bytes are reserved before the first of them is read and given
 * back when its response is done; what does not fit is refused at once, so that a flood is shed and not suffered.
 *
 * A body of any allowed size gets in when nothing else is held, also where it is larger than the whole budget.
 */
@Injectable()
export class BodyMemory {
  private readonly budget: number;
  private held = 0;

  constructor(config: Config) {
    this.budget = config.body.memoryBytes;
  }

  /** @returns the call that gives the bytes back. @throws {UnavailableError} when the budget is spent. */
  reserve(bytes: number): () => void {
    if (this.held > 0 && this.held + bytes > this.budget) {
      throw new UnavailableError(
        'overloaded',
        'The service is holding as many request bodies as it can; try again shortly.',
      );
    }
    this.held += bytes;
    let returned = false;
    return () => {
      if (!returned) this.held -= bytes;
      returned = true;
    };
  }
}
