import type { QueryRunner } from 'typeorm';

/** Work that runs after the commit of a transaction, and not if it is rolled back. */
export class CommitHooks {
  private readonly after = new WeakMap<QueryRunner, (() => void)[]>();

  addAfter(runner: QueryRunner, work: () => void): void {
    this.after.set(runner, [...(this.after.get(runner) ?? []), work]);
  }

  runAfter(runner: QueryRunner | undefined): void {
    if (runner) for (const work of this.after.get(runner) ?? []) work();
  }
}
