import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/**
 * A transaction that stays open behind the work that began it, until it is told how to end. Nothing is open before the
 * first work comes. Later work joins behind a savepoint, so that work which fails, and whose failure is caught further
 * out, leaves nothing behind; one at a time, since there is one connection.
 */
export class DeferredTransaction {
  private runner?: QueryRunner;
  private turn: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(private readonly dataSource: DataSource) {}

  /** Whoever is left over from the work when all is over works by itself again. */
  get isOver(): boolean {
    return this.ended;
  }

  /** Undefined where nothing is open. */
  get manager(): EntityManager | undefined {
    return this.runner?.manager;
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const mine = this.turn.then(() => (this.runner ? this.runner.manager.transaction(work) : this.begin(work)));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  async commit(): Promise<void> {
    await this.end((runner) => runner.commitTransaction());
  }

  /** The connection may be the very thing that failed, and then there is nothing to roll back. */
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

  private async end(how: (runner: QueryRunner) => Promise<void>): Promise<void> {
    await this.turn;
    this.ended = true;
    const { runner } = this;
    this.runner = undefined;
    if (!runner) return;
    try {
      await how(runner);
    } finally {
      await runner.release();
    }
  }
}
