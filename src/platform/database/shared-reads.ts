import { isDatabaseUnavailable } from './database.errors.js';

/** A read in progress. */
interface SharedRead<T> {
  result: Promise<T>;
  /** The read that begins afterwards, for the callers that have arrived since this one began. */
  next?: Promise<T>;
}

/**
 * Lets concurrent callers share a read without returning older data: while a read is in progress, callers with the same
 * key wait for it, and one further read serves all of them. Each caller receives the result of a read that began after
 * its call, or the error of an earlier one if the database is unavailable: another read would only make the callers
 * wait longer.
 */
export class SharedReads<T> {
  private readonly inProgress = new Map<string, SharedRead<T>>();

  /** @param read runs outside a transaction; `key` contains all its parameters. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const earlier = this.inProgress.get(key);
    if (!earlier) return this.start(key, read);
    const begin = () => this.start(key, read);
    earlier.next ??= earlier.result.then(begin, (error: unknown) => {
      if (!isDatabaseUnavailable(error)) return begin();
      this.inProgress.delete(key);
      throw error;
    });
    return earlier.next;
  }

  private start(key: string, read: () => Promise<T>): Promise<T> {
    const started: SharedRead<T> = { result: read() };
    this.inProgress.set(key, started);
    const end = () => {
      if (!started.next) this.inProgress.delete(key);
    };
    started.result.then(end, end);
    return started.result;
  }
}
