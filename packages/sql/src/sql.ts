/**
 * What runs statements: the transaction of the caller if one is open. A database service implements it; code with this
 * argument knows neither a driver nor a pool.
 */
export abstract class Sql {
  /**
   * Are the tables distributed over the nodes of a cluster? A statement then uses either fixed tables or the tables of
   * one workspace.
   */
  abstract readonly isDistributed: boolean;

  /** Do statements join a transaction? */
  abstract readonly isInTransaction: boolean;

  /** Does the current work use a connection already? */
  abstract readonly hasConnection: boolean;

  /** Runs one statement. @param name prepares it. @returns the rows of SELECT or RETURNING. */
  abstract query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    name?: string,
  ): Promise<Row[]>;

  /** Runs one statement. @param name prepares it. @returns the number of rows that it wrote. */
  abstract affected(sql: string, parameters?: readonly unknown[], name?: string): Promise<number>;

  /** Runs `COPY … FROM STDIN` in the open transaction, with backpressure on the source. */
  abstract copyIn(sql: string, source: AsyncIterable<Buffer>): Promise<void>;

  /** Runs the work in a transaction, or joins the open one. The work may run again: it must be repeatable. */
  abstract transaction<T>(work: () => Promise<T>): Promise<T>;

  /** Runs reads in one snapshot, or in the open transaction. */
  abstract snapshot<T>(work: () => Promise<T>): Promise<T>;

  /** Runs a read outside a transaction, and repeats it if what it reads is removed in between. */
  abstract readWithRetry<T>(work: () => Promise<T>): Promise<T>;

  /** Runs the work outside the open transaction, on other connections, with one commit per statement. */
  abstract outsideTransaction<T>(work: () => Promise<T>): Promise<T>;

  /** Runs the work after the commit of the open transaction, or now if none is open. */
  abstract afterCommit(work: () => void): void;

  /** Waits until all that was read is visible to the next statements: nodes of a cluster commit one after the other. */
  abstract awaitCommits(workspaceId: string): Promise<void>;
}
