import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { DeferredTransaction } from './deferred-transaction.js';

/**
 * The transaction that the statements of the current work join, the work after its commit, and the server that
 * statements outside a transaction read.
 */
export class AmbientTransaction {
  private readonly transaction = new AsyncLocalStorage<EntityManager | DeferredTransaction | undefined>();
  private readonly server = new AsyncLocalStorage<DataSource>();
  private readonly afterCommit = new WeakMap<QueryRunner, (() => void)[]>();

  /** Is there a transaction, or a deferred one? */
  get isOpen(): boolean {
    return this.transaction.getStore() !== undefined;
  }

  /** The manager of the open transaction. A deferred transaction has one only after its first transaction. */
  get manager(): EntityManager | undefined {
    const ambient = this.transaction.getStore();
    return ambient instanceof DeferredTransaction ? ambient.manager : ambient;
  }

  /** A deferred transaction that has not ended. */
  get deferred(): DeferredTransaction | undefined {
    const ambient = this.transaction.getStore();
    return ambient instanceof DeferredTransaction && !ambient.hasEnded ? ambient : undefined;
  }

  /** @param transaction undefined: the work joins no transaction */
  run<T>(transaction: EntityManager | DeferredTransaction | undefined, work: () => Promise<T>): Promise<T> {
    return this.transaction.run(transaction, work);
  }

  /** The server that the current work reads; undefined for the primary. */
  get readSource(): DataSource | undefined {
    return this.server.getStore();
  }

  /** Runs work that reads another server than the primary. */
  readFrom<T>(server: DataSource, work: () => Promise<T>): Promise<T> {
    return this.server.run(server, work);
  }

  addAfterCommit(runner: QueryRunner, work: () => void): void {
    this.afterCommit.set(runner, [...(this.afterCommit.get(runner) ?? []), work]);
  }

  /** Runs the work after the commit of the runner. It does not run if the transaction was rolled back. */
  runAfterCommit(runner: QueryRunner | undefined): void {
    if (runner) for (const work of this.afterCommit.get(runner) ?? []) work();
  }
}
