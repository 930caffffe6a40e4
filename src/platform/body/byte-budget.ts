import { randomInt } from 'node:crypto';
import { UnavailableError } from '../http/domain-error.js';

/** Callers who are refused are asked to come back within this time, in seconds. */
const MAX_RETRY_AFTER_S = 3;

/**
 * Bytes that one instance may hold at once. What does not fit is refused before it is read, so that a flood is shed and
 * not suffered. What is larger than the whole budget gets in when nothing else is held.
 */
export class ByteBudget {
  private held = 0;

  /** @param refusal what a caller is told when the budget is spent. */
  constructor(
    private readonly bytes: number,
    private readonly refusal: string,
  ) {}

  /** @returns the call that gives the bytes back. @throws {UnavailableError} when the budget is spent. */
  reserve(bytes: number): () => void {
    if (this.held > 0 && this.held + bytes > this.bytes) {
      // Not all at the same moment, or most of them are refused again.
      throw new UnavailableError('overloaded', this.refusal, randomInt(1, MAX_RETRY_AFTER_S + 1));
    }
    this.held += bytes;
    let returned = false;
    return () => {
      if (!returned) this.held -= bytes;
      returned = true;
    };
  }
}
