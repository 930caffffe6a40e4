import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable, Optional } from '@nestjs/common';
import { Client, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  QueryFailedError,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { Config } from '../config/config.js';
import { startStatement } from '../telemetry/spans.js';
import { CommitHooks } from './commit-hooks.js';
import { poolOf, queryPool, standaloneOptions } from './connection-pool.js';
import { ConnectionWatch } from './connection-watch.js';
import { type CopyOut, copyOut, type CopyOutOptions } from './copy-out.js';
import { DatabaseLayout } from './database-layout.js';
import { DeferredTransaction } from './deferred-transaction.js';
import { NodeOutages } from './node-outages.js';
import { ReadReplica } from './read-replica.js';
import { Retries, type RetryRule } from './retries.js';
import type { StatementOptions } from './statement-options.js';

/** Limit of a statement with its own connection, such as the build of an index: one day. */
const STANDALONE_TIMEOUT_MS = 86_400_000;

/** The only access to the database. Calls within `transaction` join that transaction. */
@Injectable()
export class Database {
  private readonly ambient = new AsyncLocalStorage<EntityManager | DeferredTransaction | undefined>();
  /** Set during work that reads the replica. */
  private readonly replicaWork = new AsyncLocalStorage<true>();
  private readonly retries = new Retries();
  private readonly hooks = new CommitHooks();

  private readonly watch?: ConnectionWatch;
  private readonly outages: NodeOutages;
  private readonly isPooledByTransaction: boolean;

  constructor(
    private readonly dataSource: DataSource,
    @Optional() config?: Config,
    @Optional() private readonly layout?: DatabaseLayout,
    @Optional() private readonly replica?: ReadReplica,
  ) {
    this.isPooledByTransaction = config?.database.isPooledByTransaction ?? false;
    this.outages = new NodeOutages(dataSource);
    const pool = poolOf(dataSource);
    if (config && pool)
      this.watch = new ConnectionWatch(pool, standaloneOptions(dataSource), config.database.probeTimeoutMs);
  }

  /**
   * Are the tables distributed over the nodes of a cluster? A statement then uses either fixed tables or the tables of one workspace.
   */
  get isDistributed(): boolean {
    return this.layout?.isDistributed ?? false;
  }

  /**
   * SQL: a condition on rows of all workspaces, which excludes those on nodes of a cluster that are known to be unreachable.
   *
   * @param column with the workspace.
   */
  isOnReachableNode(column: string): string {
    return `/* of all workspaces */ ${this.outages.restrict(column)}`;
  }

  /** Runs work on all workspaces. If a node of a cluster is unreachable, the work runs again without its workspaces (`isOnReachableNode`). */
  onReachableNodes<T>(work: () => Promise<T>): Promise<T> {
    return this.isDistributed ? this.outages.run(work) : work();
  }

  /**
   * Finds rows of all workspaces, for background work, outside a transaction. A cluster accepts neither locks nor changes of rows of several
   * workspaces in one statement: another statement, on one workspace, writes what this one has found, if it still matches.
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
    return this.ambient.getStore() !== undefined;
  }

  /** Does the current work use a connection already? A deferred transaction uses one only after its first transaction. */
  get hasConnection(): boolean {
    return this.openManager !== undefined;
  }

  /** Names of the tables that have an entity. */
  get fixedTables(): string[] {
    return this.dataSource.entityMetadatas.map(({ tableName }) => tableName);
  }

  /** The TypeORM repository of a fixed table, for CRUD. Outside a transaction each statement commits by itself. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return (this.openManager ?? this.dataSource.manager).getRepository(entity);
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
   * Runs the work in a transaction (READ COMMITTED), or joins the open one. After a deadlock, a serialization failure or a
   * registered error (`retryOn`) the whole work runs again, three times at most: it must be repeatable.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const { deferred } = this;
    if (this.openManager && !deferred) return work();
    const run = () =>
      deferred ? deferred.transaction((manager) => this.ambient.run(manager, work)) : this.commit(work);
    return this.retries.repeat(run);
  }

  /** The same for work that is one statement: outside a transaction it commits by itself, without BEGIN and COMMIT. */
  async singleStatement<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.getStore() ? this.transaction(work) : this.retries.repeat(work);
  }

  /**
   * Runs a read outside a transaction and repeats it after a registered error (`retryOn`). Within a transaction the error
   * repeats that whole transaction.
   */
  async readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    return this.openManager ? work() : this.retries.repeatRegistered(work);
  }

  /**
   * Runs reads in one snapshot (REPEATABLE READ), or in the open transaction. On a cluster each node has a snapshot of its own.
   */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    if (this.ambient.getStore()) return work();
    return this.source.transaction('REPEATABLE READ', (manager) => this.ambient.run(manager, work));
  }

  /**
   * Runs the work in a deferred transaction: its transactions commit together, after `finish` has received the result
   * (with the idempotency record, for example). The deferred transaction begins with the first transaction of the work.
   * A failed inner transaction is rolled back on its own, everything if the work or `finish` fails. Therefore a change that
   * must outlast a rejection is written by `outsideTransaction`, and other processes are notified only after this returns.
   */
  async defer<T>(work: () => Promise<T>, finish: (result: T) => Promise<void>): Promise<T> {
    const deferred = new DeferredTransaction(this.dataSource);
    return this.ambient.run(deferred, async () => {
      try {
        const result = await work();
        await this.transaction(() => finish(result));
        const runner = deferred.manager?.queryRunner;
        await deferred.commit();
        this.hooks.runAfter(runner);
        return result;
      } catch (error) {
        await deferred.rollback();
        throw error;
      }
    });
  }

  /**
   * Runs the work after the commit of the open transaction, or now if none is open. It does not run if the transaction is
   * rolled back, but may if only a part of a deferred one was.
   */
  afterCommit(work: () => void): void {
    const runner = this.openManager?.queryRunner;
    if (runner) this.hooks.addAfter(runner, work);
    else work();
  }

  /**
   * Runs the work outside the open transaction, on other connections, with one commit per statement: for facts that must
   * survive a rollback, such as a counted failure. Within a transaction it needs a second connection of the pool.
   */
  async outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.run(undefined, work);
  }

  /** Runs one statement. @returns the rows of SELECT or RETURNING. */
  async query<Row = Record<string, unknown>>(
    sql: string,
    parameters: readonly unknown[] = [],
    options?: StatementOptions,
  ): Promise<Row[]> {
    return (await this.execute<Row>(sql, parameters, options)).rows;
  }

  /** Runs one statement. @returns the number of rows that it wrote. */
  async affected(sql: string, parameters: readonly unknown[] = [], options?: StatementOptions): Promise<number> {
    return (await this.execute(sql, parameters, options)).affected;
  }

  /** Runs one statement. @returns its rows and the number of rows that it wrote. */
  async execute<Row>(
    sql: string,
    parameters: readonly unknown[],
    { planEachTime = false }: StatementOptions = {},
  ): Promise<{ rows: Row[]; affected: number }> {
    const values = parameters as unknown[];
    const query = planEachTime ? { text: sql, values } : sql;
    const toError = (cause: Error) => new QueryFailedError(sql, values, cause);
    const runner = this.openManager?.queryRunner;
    const { rows, rowCount } = runner
      ? await ((await runner.connect()) as PoolClient).query(query, values).catch((cause: unknown) => {
          throw toError(cause as Error);
        })
      : await queryPool(this.source, query, values, toError);
    return { rows: rows as Row[], affected: rowCount ?? 0 };
  }

  /** Runs `COPY … FROM STDIN` in the open transaction, with backpressure on the source. */
  async copyIn(sql: string, source: AsyncIterable<Buffer>): Promise<void> {
    const runner = this.openManager?.queryRunner;
    if (!runner) throw new Error('COPY needs an open transaction.');
    const client = (await runner.connect()) as PoolClient;
    await pipeline(source, client.query(copyFrom(sql)));
  }

  /**
   * Streams the bytes of a `COPY … TO STDOUT` without a time limit, on its own connection.
   *
   * @param prepare reads in the same snapshot and returns the statement.
   */
  copyOut<T>(prepare: () => Promise<CopyOut<T>>, options?: CopyOutOptions): Promise<{ result: T; stream: Readable }> {
    return copyOut(this.source, (runner) => this.ambient.run(runner.manager, prepare), options);
  }

  /** Is there a replica that work could read now? Within a transaction there is none. */
  get hasReplica(): boolean {
    return this.replica?.dataSource !== undefined && this.ambient.getStore() === undefined;
  }

  /**
   * Runs work whose statements read the replica, each in its own snapshot. They may return older data than the primary: the
   * caller compares what it has read (ADR 0076).
   *
   * @returns undefined if there is no replica, or a statement fails: the caller then reads the primary.
   */
  async readReplica<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.hasReplica) return undefined;
    return this.replica!.attempt(() => this.replicaWork.run(true, work));
  }

  /** Counts what became of the result of `readReplica`. */
  countReplicaRead(result: 'used' | 'outdated'): void {
    if (this.replica) this.replica.reads[result]++;
  }

  /** The number of reads of the replica since the start, by their result. */
  replicaReads(): Readonly<Record<string, number>> {
    return this.replica?.reads ?? {};
  }

  /**
   * Runs one statement that PostgreSQL accepts only outside a transaction, such as CREATE INDEX CONCURRENTLY, on its own
   * connection, for one day at most. The signal closes the connection; PostgreSQL notices at the end of the statement.
   */
  async executeStandalone(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const timeouts = { statement_timeout: STANDALONE_TIMEOUT_MS, lock_timeout: STANDALONE_TIMEOUT_MS };
    // Through a pooler the timeouts of the server apply: a session has none of its own.
    const client = new Client({ ...standaloneOptions(this.dataSource), ...(!this.isPooledByTransaction && timeouts) });
    const close = () => void client.end().catch(() => undefined);
    // Without a listener a lost connection would end the process; the statement fails anyway.
    client.on('error', () => undefined);
    signal?.addEventListener('abort', close, { once: true });
    const end = startStatement(statement);
    try {
      await client.connect();
      await client.query(statement);
      end?.();
    } catch (error) {
      end?.(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', close);
      await client.end().catch(() => undefined);
    }
  }

  async isReachable(): Promise<boolean> {
    return this.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  /** Bytes that the connections have received in total: they increase as long as the database responds to statements. */
  receivedBytes(): number {
    return this.watch?.receivedBytes() ?? 0;
  }

  /** How often a connection was taken from the pool since the start. */
  acquiredConnections(): number {
    return this.watch?.acquired ?? 0;
  }

  /** Number of pool connections, for the metrics. */
  poolState(): { total: number; idle: number; waiting: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = poolOf(this.dataSource) ?? {};
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  /** The server that the current work reads. */
  private get source(): DataSource {
    return (this.replica && this.replicaWork.getStore() && this.replica.dataSource) ?? this.dataSource;
  }

  private async commit<T>(work: () => Promise<T>): Promise<T> {
    let runner: QueryRunner | undefined;
    const result = await this.dataSource.transaction((manager) => {
      runner = manager.queryRunner;
      return this.ambient.run(manager, work);
    });
    this.hooks.runAfter(runner);
    return result;
  }

  private get openManager(): EntityManager | undefined {
    const ambient = this.ambient.getStore();
    return ambient instanceof DeferredTransaction ? ambient.manager : ambient;
  }

  private get deferred(): DeferredTransaction | undefined {
    const ambient = this.ambient.getStore();
    return ambient instanceof DeferredTransaction && !ambient.hasEnded ? ambient : undefined;
  }
}
