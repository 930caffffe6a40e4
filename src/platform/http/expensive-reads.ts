import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { CopyStreams } from '../database/copy-streams.js';
import { Database } from '../database/database.js';
import { UnavailableError } from './domain-error.js';
import { currentOrigin } from './middleware.js';

/** Part of the pool that expensive reads use. The rest serves other requests. */
const POOL_SHARE = 0.5;

/** Part of the turns that remains for other callers. */
const RESERVED_SHARE = 0.25;

/** A read that waits for its turn. */
interface Waiter {
  caller: string;
  start: () => void;
}

/**
 * Limits how many connections of the pool reads use that may take long: exports, comparisons, figures, exact counts and searches.
 * The others wait here, without a connection, in the order of their arrival, as long as they may wait for a lock. One caller does not
 * use all turns.
 */
@Injectable()
export class ExpensiveReads {
  /** Reads that run at a time, of all callers and of one. */
  readonly limit: number;
  readonly limitPerCaller: number;
  private readonly timeoutMs: number;
  private running = 0;
  private readonly ofCaller = new Map<string, number>();
  private readonly waiting = new Set<Waiter>();

  /** Starts `CopyStreams.copyOut`, whose turn ends with the stream. */
  readonly copyOut: CopyStreams['copyOut'] = async (prepare, options) => {
    const release = await this.acquire();
    try {
      const copy = await this.copies.copyOut(prepare, options);
      copy.stream.once('close', release);
      return copy;
    } catch (error) {
      release();
      throw error;
    }
  };

  constructor(
    private readonly database: Database,
    private readonly copies: CopyStreams,
    config: Config,
  ) {
    this.limit = Math.max(1, Math.floor(config.database.poolSize * POOL_SHARE));
    this.limitPerCaller = Math.max(1, this.limit - Math.max(1, Math.floor(this.limit * RESERVED_SHARE)));
    this.timeoutMs = config.database.lockTimeoutMs;
  }

  /** Runs the read when it is its turn. The read must not take another turn. @throws {UnavailableError} `busy` if it waits too long. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    // Part of a transaction that has a connection.
    if (this.database.hasConnection) return read();
    const release = await this.acquire();
    try {
      return await read();
    } finally {
      release();
    }
  }

  /** Waits for a turn. @returns a function that ends the turn; it may be called twice. @throws {UnavailableError} `busy` */
  async acquire(): Promise<() => void> {
    const caller = currentOrigin()?.userId ?? '';
    if (this.mayStart(caller)) this.start(caller);
    else await this.wait(caller);
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.end(caller);
    };
  }

  private mayStart(caller: string): boolean {
    return this.running < this.limit && (this.ofCaller.get(caller) ?? 0) < this.limitPerCaller;
  }

  private start(caller: string): void {
    this.running++;
    this.ofCaller.set(caller, (this.ofCaller.get(caller) ?? 0) + 1);
  }

  private wait(caller: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.waiting.delete(waiter);
        reject(new UnavailableError('busy', 'Other requests are reading much data. Send the request again.'));
      };
      const timer = setTimeout(giveUp, this.timeoutMs);
      const start = () => {
        clearTimeout(timer);
        this.waiting.delete(waiter);
        this.start(caller);
        resolve();
      };
      const waiter: Waiter = { caller, start };
      this.waiting.add(waiter);
    });
  }

  /** The longest-waiting read that may start takes over the turn. */
  private end(caller: string): void {
    this.running--;
    const rest = this.ofCaller.get(caller)! - 1;
    if (rest > 0) this.ofCaller.set(caller, rest);
    else this.ofCaller.delete(caller);
    const next = [...this.waiting].find((waiter) => this.mayStart(waiter.caller));
    next?.start();
  }
}
