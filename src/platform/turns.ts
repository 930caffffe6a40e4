import { listenOnce } from './listeners.js';

/** Part of the turns that remains for other callers. */
const RESERVED_SHARE = 0.25;

/** Ends a turn; it may be called twice. */
export type Release = () => void;

/** How long to wait for a turn. Default: without a limit. */
export interface Wait {
  timeoutMs?: number;
  /** The error after `timeoutMs`, and of `rejectWaiting`. */
  toError?: () => Error;
  /** Its reason is the error if it is aborted. */
  signal?: AbortSignal;
}

interface Waiter {
  key: string;
  start: () => void;
  giveUp: () => void;
}

/**
 * Turns for what only a limited number may use at a time: all users together have at most `capacity` turns, those with
 * one key, such as a caller or a table, at most `limit`. A user is always in one of these states:
 *
 * | State    | Counts | Leaves the state                                                                  |
 * | -------- | ------ | --------------------------------------------------------------------------------- |
 * | waiting  | no     | to running, if a turn ends and no user before it may start; to rejected           |
 * | running  | yes    | to ended, by `Release`: the longest-waiting user that may start takes over        |
 * | rejected | no     | never: its time was over, its signal was aborted, or `rejectWaiting` named its key |
 * | ended    | no     | never                                                                             |
 *
 * Whatever ends waiting also stops its timer and its listener. No user waits while it may start.
 */
export class Turns {
  private readonly running = new Map<string, number>();
  private total = 0;
  /** In the order of their arrival. */
  private readonly waiting = new Set<Waiter>();

  constructor(
    readonly capacity: number,
    readonly limit = capacity,
  ) {}

  /** For callers as keys: at least one turn remains for other callers, unless there is only one. */
  static ofCallers(capacity: number): Turns {
    return new Turns(capacity, Math.max(1, capacity - Math.max(1, Math.floor(capacity * RESERVED_SHARE))));
  }

  /** The used share of the capacity, from 0 to 1. */
  get occupancy(): number {
    return this.total / this.capacity;
  }

  /** @param toError receives the limit that is reached. */
  acquireNow(key: string, toError: (limit: number) => Error): Release {
    if (!this.isFree(key)) throw toError(this.total >= this.capacity ? this.capacity : this.limit);
    return this.start(key);
  }

  /** Takes the turns that are free, at most `count`. */
  takeFree(key: string, count: number): Release[] {
    const taken: Release[] = [];
    while (taken.length < count && this.isFree(key)) taken.push(this.start(key));
    return taken;
  }

  /** Waits for a turn. */
  async acquire(key: string, { timeoutMs, toError, signal }: Wait = {}): Promise<Release> {
    signal?.throwIfAborted();
    if (this.isFree(key)) return this.start(key);
    return new Promise((resolve, reject) => {
      const endWaiting = () => {
        clearTimeout(timer);
        endListening?.();
        this.waiting.delete(waiter);
      };
      const start = () => {
        endWaiting();
        resolve(this.start(key));
      };
      const giveUp = () => {
        endWaiting();
        reject(signal?.aborted ? (signal.reason as Error) : toError!());
      };
      const waiter: Waiter = { key, start, giveUp };
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
      const endListening = signal && listenOnce(signal, 'abort', giveUp);
      this.waiting.add(waiter);
    });
  }

  /** Runs the work, which must not take another turn, when it has its turn. */
  async run<T>(key: string, work: () => Promise<T>, wait?: Wait): Promise<T> {
    const release = await this.acquire(key, wait);
    try {
      return await work();
    } finally {
      release();
    }
  }

  rejectWaiting(key: string): void {
    for (const waiter of [...this.waiting]) if (waiter.key === key) waiter.giveUp();
  }

  isFree(key: string): boolean {
    return this.total < this.capacity && (this.running.get(key) ?? 0) < this.limit;
  }

  private start(key: string): Release {
    this.total++;
    this.running.set(key, (this.running.get(key) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.end(key);
    };
  }

  private end(key: string): void {
    this.total--;
    const rest = this.running.get(key)! - 1;
    if (rest > 0) this.running.set(key, rest);
    else this.running.delete(key);
    for (const waiter of this.waiting) {
      if (!this.isFree(waiter.key)) continue;
      waiter.start();
      return;
    }
  }
}

/** The connections that are a part of a pool, from 0 to 1; at least one. */
export function countShare(poolSize: number, part: number): number {
  return Math.max(1, Math.floor(poolSize * part));
}
