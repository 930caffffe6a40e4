import { CopyStreams } from '../database/copy-streams.js';
import { Sql } from '../../../packages/sql/src/sql.js';
import { UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { currentOrigin } from './middleware.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { listenOnce } from '../listeners.js';
import { countShare, type Release, Turns, type Wait } from '../turns.js';

/** Part of the pool that expensive reads use. The rest serves other requests. */
const POOL_SHARE = 0.5;

/**
 * Limits how many connections of the pool reads use that may take long: exports, comparisons, figures, exact counts and
 * searches. The others wait here, without a connection, in the order of their arrival, as long as they may wait for a
 * lock. One caller does not use all turns.
 */
export class ExpensiveReads {
  /** Reads that run at a time. */
  readonly turns: Turns;
  private readonly wait: Wait;

  /** Starts `CopyStreams.copyOut`, whose turn ends with the stream. */
  readonly copyOut: CopyStreams['copyOut'] = async (prepare, options) => {
    const release = await this.acquire();
    try {
      const copy = await this.copies.copyOut(prepare, options);
      listenOnce(copy.stream, 'close', release);
      return copy;
    } catch (error) {
      release();
      throw error;
    }
  };

  constructor(
    private readonly sql: Sql,
    private readonly copies: CopyStreams,
    { poolSize, lockTimeoutMs }: { poolSize: number; lockTimeoutMs: number },
  ) {
    this.turns = Turns.ofCallers(countShare(poolSize, POOL_SHARE));
    this.wait = { timeoutMs: lockTimeoutMs, toError: createBusyError };
  }

  /**
   * Runs the read when it is its turn. The read must not take another turn.
   *
   * @throws {UnavailableError} `busy` if it waits too long.
   */
  run<T>(read: () => Promise<T>): Promise<T> {
    // Part of a transaction that has a connection.
    if (this.sql.hasConnection) return read();
    return this.turns.run(callerKey(), read, this.wait);
  }

  /**
   * Waits for a turn.
   *
   * @returns a function that ends the turn; it may be called twice.
   * @throws {UnavailableError} `busy`
   */
  acquire(): Promise<Release> {
    return this.turns.acquire(callerKey(), this.wait);
  }
}

const callerKey = () => currentOrigin()?.userId ?? '';

const createBusyError = () =>
  new UnavailableError(HTTP_ERRORS.busy, 'Other requests are reading much data. Send the request again.');
