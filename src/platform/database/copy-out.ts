import { type Duplex, PassThrough, pipeline, type Readable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DataSource, QueryRunner } from 'typeorm';

/** What is read in the snapshot beside the rows, and how these come. */
export interface CopiedOut<T> {
  result: T;
  /** The statement, a `COPY … TO STDOUT`. */
  sql: string;
  /** What its bytes go through; absent, they are handed on as they are. */
  through?: Duplex;
}

/**
 * What a `COPY … TO STDOUT` gives, from one snapshot, as slowly as its reader takes it. The connection is its own until the
 * stream ends. A reader that goes away ends the connection with it: PostgreSQL stops at its next row.
 *
 * @param prepare reads what else is needed in the same snapshot. @returns its result, and the rows.
 */
export async function copyOut<T>(
  dataSource: DataSource,
  prepare: (runner: QueryRunner) => Promise<CopiedOut<T>>,
): Promise<{ result: T; stream: Readable }> {
  const runner = dataSource.createQueryRunner();
  const client = (await runner.connect()) as Client;
  try {
    await runner.startTransaction('REPEATABLE READ');
    // As long as a reader takes, which may be on a slow line.
    await runner.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
    await runner.query('SET TRANSACTION READ ONLY');
    const { result, sql, through: stream = new PassThrough() } = await prepare(runner);
    const rows = client.query(copyTo(sql));
    pipeline(rows, stream, (error) => void leave(runner, client, error));
    return { result, stream };
  } catch (error) {
    await leave(runner, client, undefined);
    throw error;
  }
}

/** The transaction has read alone: nothing is lost with it. */
async function leave(runner: QueryRunner, client: Client, error: Error | null | undefined): Promise<void> {
  try {
    // In the middle of a COPY a connection takes no other statement. One that ends is not used again by the pool.
    if (error) await client.end();
    else await runner.rollbackTransaction();
  } catch {
    // It is gone already.
  } finally {
    await runner.release().catch(() => undefined);
  }
}
