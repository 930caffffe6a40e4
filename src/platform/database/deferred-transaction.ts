import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/**
 * A transaction that stays open after the work that began it, until `commit` or `rollback`. It opens with the first
 * work. Later work runs behind a savepoint, so that a failure that the caller catches leaves no changes. Work runs one
 * after the other, since there is one connection.
 */
export class DeferredTransaction {
  private runner?: QueryRunner;
  private queue: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(private readonly dataSource: DataSource) {}

  /** Work that continues after the end of the transaction opens transactions of its own. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** Undefined while no transaction is open. */
  get manager(): EntityManager | undefined {
    return this.runner?.manager;
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = this.queue.then(() => (this.runner ? this.runner.manager.transaction(work) : this.begin(work)));
    this.queue = result.catch(() => undefined);
    return result;
  }

  async commit(): Promise<void> {
    await this.end((runner) => runner.commitTransaction());
  }

  /** Ignores a lost connection: PostgreSQL has rolled back already. */
  async rollback(): Promise<void> {
    await this.end((runner) => runner.rollbackTransaction().catch(() => undefined));
  }

  private async begin<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction();
      const result = await work(runner.manager);
      this.runner = runner;
      return result;
    } catch (error) {
      await runner.rollbackTransaction().catch(() => undefined);
      await runner.release();
      throw error;
    }
  }

  private async end(finish: (runner: QueryRunner) => Promise<void>): Promise<void> {
    await this.queue;
    this.ended = true;
    const { runner } = this;
    this.runner = undefined;
    if (!runner) return;
    try {
      await finish(runner);
    } finally {
      await runner.release();
    }
  }
}
