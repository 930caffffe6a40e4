import type { Sql } from './sql.js';

/** A part of the open transaction that can be undone. It is ended either way: savepoints of one name do not nest. */
export class Savepoint {
  constructor(
    private readonly sql: Sql,
    private readonly name: string,
  ) {}

  async begin(): Promise<void> {
    await this.sql.query(`SAVEPOINT ${this.name}`);
  }

  /** Ends the part with its changes. */
  async release(): Promise<void> {
    await this.sql.query(`RELEASE SAVEPOINT ${this.name}`);
  }

  /** Undoes the changes of the part, and ends it. */
  async rollBack(): Promise<void> {
    await this.sql.query(`ROLLBACK TO SAVEPOINT ${this.name}`);
    await this.release();
  }
}
