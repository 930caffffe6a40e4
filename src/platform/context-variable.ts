import { AsyncLocalStorage } from 'node:async_hooks';

/** All variables share it: on Node 20 each storage takes time for every promise of every request. */
const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** A value that belongs to asynchronous work, for example to a request or to a transaction. */
export class ContextVariable<T> {
  /** That of the current work; undefined if there is none. */
  get value(): T | undefined {
    return storage.getStore()?.get(this) as T | undefined;
  }

  /** Runs work, and everything that it starts, with a value. @param value undefined: without one. */
  run<R>(value: T | undefined, work: () => R): R {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }
}
