import { finished, pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import {
  DataSource,
  type EntityTarget,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { Sql } from '../../../packages/sql/src/sql.js';
import { AmbientTransaction } from './ambient-transaction.js';
import { awaitCommits } from './commits.js';
import { queryPool } from './connection-pool.js';
import { NodeOutages } from './node-outages.js';
import type { PreparedStatement } from './prepared-statements.js';
import { Retries, type RetryRule } from './retries.js';

/** Transactions, and the statements in them. Calls within `transaction` join that transaction. */
export class Database extends Sql {
  private readonly retries = new Retries();
  private readonly outages: NodeOutages;

  /**
   * @param isDistributed Were the tables distributed over the nodes of a cluster (Citus) when the service started? A
   *   statement then uses either fixed tables or the tables of one workspace.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly ambient = new AmbientTransaction(),
    readonly isDistributed = false,
  ) {
    super();
    this.outages = new NodeOutages(dataSource);
  }

  /**
   * SQL: a condition on rows of all workspaces, which excludes those on nodes of a cluster that are known to be
   * unreachable.
   *
   * @param column with the workspace.
   */
  isOnReachableNode(column: string): string {
    return `/* of all workspaces */ ${this.outages.restrict(column)}`;
  }

  /**
   * Runs work on all workspaces. If a node of a cluster is unreachable, the work runs again without its workspaces
   * (`isOnReachableNode`).
   */
  onReachableNodes<T>(work: () => Promise<T>): Promise<T> {
    return this.isDistributed ? this.outages.run(work) : work();
  }

  /**
   * Finds rows of all workspaces, for background work, outside a transaction. A cluster accepts neither locks nor
   * changes of rows of several workspaces in one statement: another statement, on one workspace, writes what this one
   * has found, if it still matches.
   *
   * @param build returns a SELECT with the condition `isReachable` on its column with the workspace.
   */
  queryAllWorkspaces<Row>(
    build: (isReachable: (column: string) => string) => string,
    parameters: readonly unknown[] = [],
  ): Promise<Row[]> {
    return this.onReachableNodes(() =>
      this.query<Row>(
        build((column) => this.isOnReachableNode(column)),
        parameters,
      ),
    );
  }

  /** Do statements join a transaction, or a deferred one? */
  get isInTransaction(): boolean {
    return this.ambient.isOpen;
  }

  /**
   * Does the current work use a connection already? A deferred transaction uses one only after its first transaction.
   */
  get hasConnection(): boolean {
    return this.ambient.manager !== undefined;
  }

  /** The TypeORM repository of a fixed table, for CRUD. Outside a transaction each statement commits by itself. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return (this.ambient.manager ?? this.dataSource.manager).getRepository(entity);
  }

  /**
   * Registers errors after which `transaction` and `readWithRetry` repeat the whole work, in addition to deadlocks and
   * serialization failures. Modules call it when they start.
   *
   * @param toFinalError returns the error for the caller if the last attempt fails too.
   */
  retryOn(matches: RetryRule['matches'], toFinalError: RetryRule['toFinalError']): void {
    this.retries.add({ matches, toFinalError });
  }

  /**
   * Runs the work in a transaction (READ COMMITTED), or joins the open one. After a deadlock, a serialization failure
   * or a registered error (`retryOn`) the whole work runs again, three times at most: it must be repeatable.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const { deferred } = this.ambient;
    if (this.ambient.manager && !deferred) return work();
    const run = () =>
      deferred ? deferred.transaction((manager) => this.ambient.run(manager, work)) : this.commit(work);
    return this.retries.repeat(run);
  }

  /**
   * Runs a read outside a transaction and repeats it after a registered error (`retryOn`). Within a transaction the
   * error repeats that whole transaction.
   */
  async readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.manager ? work() : this.retries.repeatRegistered(work);
  }

  /**
   * Runs reads in one snapshot (REPEATABLE READ), or in the open transaction. On a cluster each node has a snapshot of
   * its own.
   */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    if (this.ambient.isOpen) return work();
    return this.source.transaction('REPEATABLE READ', (manager) => this.ambient.run(manager, work));
  }

  /**
   * Runs the work after the commit of the open transaction, or now if none is open. It does not run if the transaction
   * is rolled back, but may if only a part of a deferred one was.
   */
  afterCommit(work: () => void): void {
    const runner = this.ambient.manager?.queryRunner;
    if (runner) this.ambient.addAfterCommit(runner, work);
    else work();
  }

  /**
   * Runs the work outside the open transaction, on other connections, with one commit per statement: for facts that
   * must survive a rollback, such as a counted failure. Within a transaction it needs a second connection of the pool.
   */
  async outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.run(undefined, work);
  }

  /** Runs one statement. @param name prepares it. @returns the rows of SELECT or RETURNING. */
  async query<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[] = [],
    name?: PreparedStatement,
  ): Promise<Row[]> {
    return (await this.execute<Row>(sql, parameters, name)).rows;
  }

  /** Runs one statement. @param name prepares it. @returns the number of rows that it wrote. */
  async affected(sql: string, parameters: readonly unknown[] = [], name?: PreparedStatement): Promise<number> {
    return (await this.execute(sql, parameters, name)).affected;
  }

  /** Runs `COPY … FROM STDIN` in the open transaction, with backpressure on the source. */
  async copyIn(sql: string, source: AsyncIterable<Buffer>): Promise<void> {
    const client = await this.getClient();
    await pipeline(source, client.query(copyFrom(sql)));
  }

  /** Runs `COPY … TO STDOUT` in the open transaction, at the speed of the reader. */
  async *copyOut(sql: string): AsyncGenerator<Buffer> {
    const client = await this.getClient();
    const rows = client.query(copyTo(sql));
    try {
      yield* rows.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    } finally {
      // A connection executes its next statement, such as a rollback, only after the last row was read.
      await finished(rows.resume()).catch(() => undefined);
    }
  }

  async awaitCommits(workspaceId: string): Promise<void> {
    if (this.isDistributed) await awaitCommits(this, workspaceId);
  }

  private async getClient(): Promise<PoolClient> {
    const runner = this.ambient.manager?.queryRunner;
    if (!runner) throw new Error('COPY needs an open transaction.');
    return (await runner.connect()) as PoolClient;
  }

  /** The server that the current work reads. */
  private get source(): DataSource {
    return this.ambient.readSource ?? this.dataSource;
  }

  private async execute<Row>(
    sql: string,
    parameters: readonly unknown[],
    name: PreparedStatement | undefined,
  ): Promise<{ rows: Row[]; affected: number }> {
    const values = parameters as unknown[];
    const query = { name, text: sql, values };
    const toError = (cause: Error) => new QueryFailedError(sql, values, cause);
    const runner = this.ambient.manager?.queryRunner;
    const { rows, rowCount } = runner
      ? await ((await runner.connect()) as PoolClient).query(query).catch((cause: unknown) => {
          throw toError(cause as Error);
        })
      : await queryPool(this.source, query, toError);
    return { rows: rows as Row[], affected: rowCount ?? 0 };
  }

  private async commit<T>(work: () => Promise<T>): Promise<T> {
    let runner: QueryRunner | undefined;
    const result = await this.dataSource.transaction((manager) => {
      runner = manager.queryRunner;
      return this.ambient.run(manager, work);
    });
    this.ambient.runAfterCommit(runner);
    return result;
  }
}
