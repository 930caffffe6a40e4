import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type QueryRunner,
  type Repository,
} from 'typeorm';
import { isConcurrentlyDropped, SQLSTATE, sqlState } from './database.errors.js';
import { type CopiedOut, copyOut } from './copy-out.js';
import { DeferredTransaction } from './deferred-transaction.js';

/** How often a whole transaction is tried where PostgreSQL asks for another try. */
const TRIES = 3;
const RETRIED: readonly string[] = [SQLSTATE.serializationFailure, SQLSTATE.deadlock];

/** How long a statement may take that has a connection of its own, in milliseconds: a day. */
const ALONE_TIMEOUT_MS = 86_400_000;

/** The service's one way to its database. Whoever calls within `transaction` works in that transaction. */
@Injectable()
export class Database {
  private readonly ambient = new AsyncLocalStorage<EntityManager | DeferredTransaction | undefined>();

  constructor(private readonly dataSource: DataSource) {}

  /** The open transaction's manager, else one that commits each statement by itself. */
  get manager(): EntityManager {
    return this.open ?? this.dataSource.manager;
  }

  /** The TypeORM repository of a fixed table's entity, in the open transaction if there is one. For CRUD. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  /**
   * Runs the work in a transaction (READ COMMITTED); joins the open one where there is one. The whole is tried again,
   * up to three times, where PostgreSQL found a deadlock or a serialization failure, or where a workspace's table that was
   * found in the catalog was dropped before it was read, so the work must be repeatable.
   */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const { held } = this;
    if (this.open && !held) return work();
    for (let attempt = 1; ; attempt++) {
      try {
        return await (held ?? this.dataSource).transaction((manager) => this.ambient.run(manager, work));
      } catch (error) {
        if (attempt === TRIES || !isWorthAnotherTry(error)) throw error;
        await delay(Math.random() * 50 * attempt);
      }
    }
  }

  /**
   * Runs work that looks a workspace's table up and then reads it; again where it was dropped or changed in between. Within
   * a transaction the whole of that is tried again.
   */
  async readWithRetry<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === TRIES || this.open || !isConcurrentlyDropped(error)) throw error;
      }
    }
  }

  /**
   * Runs the work; what its transactions wrote is committed once `finish`, which takes part, has seen the result. Nothing
   * is open before the work begins its first transaction, and from then on everything of it is in that one. What fails is
   * rolled back as it fails, all of it where the work or `finish` does: nothing that must outlast a refusal may be written
   * but by `apart`, and nothing may be told to others before this has returned.
   */
  async defer<T>(work: () => Promise<T>, finish: (result: T) => Promise<void>): Promise<T> {
    const held = new DeferredTransaction(this.dataSource);
    return this.ambient.run(held, async () => {
      try {
        const result = await work();
        await this.transaction(() => finish(result));
        await held.commit();
        return result;
      } catch (error) {
        await held.rollback();
        throw error;
      }
    });
  }

  /**
   * Runs the work outside of the open transaction, on connections of its own, each statement committed by itself: what
   * must be known also where the transaction is rolled back, such as that something was tried. Within a transaction it
   * takes a second connection, so where many do that at once the pool must have room for both.
   */
  async outsideTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.ambient.run(undefined, work);
  }

  /** Runs one statement and gives its rows: what a SELECT finds, or what RETURNING names. */
  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.execute<Row>(sql, parameters)).rows;
  }

  /** Runs one statement and gives the number of rows it wrote. */
  async affected(sql: string, parameters: readonly unknown[] = []): Promise<number> {
    return (await this.execute(sql, parameters)).affected;
  }

  /** Runs one statement and gives both. */
  async execute<Row>(sql: string, parameters: readonly unknown[]): Promise<{ rows: Row[]; affected: number }> {
    const open = this.open?.queryRunner;
    const runner: QueryRunner = open ?? this.dataSource.createQueryRunner();
    try {
      const { records, affected } = await runner.query(sql, parameters as unknown[], true);
      return { rows: records as Row[], affected: affected ?? 0 };
    } finally {
      if (!open) await runner.release();
    }
  }

  /** Runs `COPY … FROM STDIN` in the open transaction. Who makes the bytes is asked for more as the server takes them. */
  async copyIn(sql: string, source: AsyncIterable<Buffer>): Promise<void> {
    const runner = this.open?.queryRunner;
    if (!runner) throw new Error('COPY needs an open transaction.');
    const client = (await runner.connect()) as PoolClient;
    await pipeline(source, client.query(copyFrom(sql)));
  }

  /**
   * Runs one statement that may be in no transaction, such as CREATE INDEX CONCURRENTLY, on a connection of its own, which
   * goes with it: it may take a day. On the signal the connection is closed, and PostgreSQL finds that out when it has done.
   */
  async executeStandalone(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { url, extra } = this.dataSource.options as { url?: string; extra?: ClientConfig };
    const client = new Client({
      connectionString: url,
      ...extra,
      application_name: 'atrium',
      statement_timeout: ALONE_TIMEOUT_MS,
      lock_timeout: ALONE_TIMEOUT_MS,
    });
    const close = () => void client.end().catch(() => undefined);
    // A connection that is lost fails the statement, which says so.
    client.on('error', () => undefined);
    signal?.addEventListener('abort', close, { once: true });
    try {
      await client.connect();
      await client.query(statement);
    } finally {
      signal?.removeEventListener('abort', close);
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Streams what a `COPY … TO STDOUT` gives, from one snapshot that `prepare` reads in too, on a connection of its own and
   * without a time limit.
   *
   * @param prepare reads what it needs. @returns a result of its own, and the rows.
   */
  copyOut<T>(prepare: () => Promise<CopiedOut<T>>): Promise<{ result: T; stream: Readable }> {
    return copyOut(this.dataSource, (runner) => this.ambient.run(runner.manager, prepare));
  }

  private get open(): EntityManager | undefined {
    const ambient = this.ambient.getStore();
    return ambient instanceof DeferredTransaction ? ambient.manager : ambient;
  }

  private get held(): DeferredTransaction | undefined {
    const ambient = this.ambient.getStore();
    return ambient instanceof DeferredTransaction && !ambient.isOver ? ambient : undefined;
  }

  /** Connections of the pool, for the metrics. */
  poolState(): { total: number; idle: number; waiting: number } {
    const { master } = this.dataSource.driver as unknown as { master?: Pool };
    return { total: master?.totalCount ?? 0, idle: master?.idleCount ?? 0, waiting: master?.waitingCount ?? 0 };
  }
}

function isWorthAnotherTry(error: unknown): boolean {
  return RETRIED.includes(sqlState(error) ?? '') || isConcurrentlyDropped(error);
}
