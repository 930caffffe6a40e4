import { setTimeout as delay } from 'node:timers/promises';
import { SQLSTATE, sqlState } from '../../../packages/sql/src/sql-state.js';

/** How often a transaction or read runs at most if it fails with an error that a repetition may solve. */
const MAX_ATTEMPTS = 3;
const RETRIED_STATES: readonly string[] = [SQLSTATE.serializationFailure, SQLSTATE.deadlock];

/** Errors that a module registers: the work is repeated, and fails with `toFinalError` if no attempt succeeds. */
export interface RetryRule {
  matches: (error: unknown) => boolean;
  toFinalError: (cause: unknown) => Error;
}

/** Repeats work that fails with an error that a repetition may solve. */
export class Retries {
  private readonly rules: RetryRule[] = [];

  add(rule: RetryRule): void {
    this.rules.push(rule);
  }

  /**
   * Repeats the work after a registered error, a deadlock or a serialization failure.
   */
  repeat<T>(work: () => Promise<T>): Promise<T> {
    return this.run(work, isRepeatable);
  }

  /** Repeats the work after a registered error only. */
  repeatRegistered<T>(work: () => Promise<T>): Promise<T> {
    return this.run(work, () => false);
  }

  private async run<T>(work: () => Promise<T>, isRetried: (error: unknown) => boolean): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const rule = this.rules.find(({ matches }) => matches(error));
        if (!rule && !isRetried(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw rule ? rule.toFinalError(error) : error;
        // Random, so that two transactions that blocked each other do not meet again.
        await delay(Math.random() * 50 * attempt);
      }
    }
  }
}

function isRepeatable(error: unknown): boolean {
  return RETRIED_STATES.includes(sqlState(error) ?? '');
}
