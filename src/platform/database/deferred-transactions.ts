import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AmbientTransaction } from './ambient-transaction.js';
import { Database } from './database.js';
import { DeferredTransaction } from './deferred-transaction.js';

/**
 * Runs work whose transactions commit together with a record of the result, such as a response by its
 * `Idempotency-Key`.
 */
@Injectable()
export class DeferredTransactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ambient: AmbientTransaction,
    private readonly database: Database,
  ) {}

  /**
   * Runs the work in a deferred transaction: its transactions commit together, after `finish` has received the result
   * (with the idempotency record, for example). The deferred transaction begins with the first transaction of the work.
   * A failed inner transaction is rolled back on its own, everything if the work or `finish` fails. Therefore a change
   * that must outlast a rejection is written by `Database.outsideTransaction`, and other processes are notified only
   * after this returns.
   */
  async run<T>(work: () => Promise<T>, finish: (result: T) => Promise<void>): Promise<T> {
    const deferred = new DeferredTransaction(this.dataSource);
    return this.ambient.run(deferred, async () => {
      try {
        const result = await work();
        await this.database.transaction(() => finish(result));
        const runner = deferred.manager?.queryRunner;
        await deferred.commit();
        this.ambient.runAfterCommit(runner);
        return result;
      } catch (error) {
        await deferred.rollback();
        throw error;
      }
    });
  }
}
