import type { QueryRunner } from 'typeorm';

/** Work that runs at the commit of a transaction, and not if it is rolled back. */
export class CommitHooks {
  private readonly before = new WeakMap<QueryRunner, (() => Promise<void>)[]>();
  private readonly after = new WeakMap<QueryRunner, (() => void)[]>();

  addBefore(runner: QueryRunner, work: () => Promise<void>): void {
    this.before.set(runner, [...(this.before.get(runner) ?? []), work]);
  }

  addAfter(runner: QueryRunner, work: () => void): void {
    this.after.set(runner, [...(this.after.get(runner) ?? []), work]);
  }

  /** The transaction is open, and the work joins it. */
  async runBefore(runner: QueryRunner | undefined): Promise<void> {
    if (runner) for (const work of this.before.get(runner) ?? []) await work();
  }

  runAfter(runner: QueryRunner | undefined): void {
    if (runner) for (const work of this.after.get(runner) ?? []) work();
  }
}
