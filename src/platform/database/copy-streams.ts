import { type Duplex, PassThrough, pipeline, type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { DataSource, type QueryRunner } from 'typeorm';
import { AmbientTransaction } from './ambient-transaction.js';

/** A statement to stream, and what was read in the same snapshot. */
export interface CopyOut<T> {
  result: T;
  /** A `COPY … TO STDOUT` statement. */
  sql: string;
  /** Transforms the bytes; absent, they are passed on unchanged. */
  through?: Duplex;
}

export interface CopyOutOptions {
  /** May `prepare` only read? Otherwise it may create temporary tables. The transaction is always rolled back. */
  readOnly?: boolean;
}

/** Streams the results of statements. */
@Injectable()
export class CopyStreams {
  constructor(
    private readonly dataSource: DataSource,
    private readonly ambient: AmbientTransaction,
  ) {}

  /**
   * Streams the bytes of a `COPY … TO STDOUT` from one snapshot at the speed of the reader, without a time limit.
   * Occupies a connection until the stream ends. A reader that disconnects closes the connection: PostgreSQL stops at
   * its next row.
   *
   * @param prepare reads in the same snapshot and returns the statement.
   */
  async copyOut<T>(
    prepare: () => Promise<CopyOut<T>>,
    { readOnly = true }: CopyOutOptions = {},
  ): Promise<{ result: T; stream: Readable }> {
    const runner = (this.ambient.readSource ?? this.dataSource).createQueryRunner();
    const client = (await runner.connect()) as Client;
    try {
      await runner.startTransaction('REPEATABLE READ');
      // A reader on a slow line may take longer than the usual limits.
      await runner.query('SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0');
      if (readOnly) await runner.query('SET TRANSACTION READ ONLY');
      const { result, sql, through: stream = new PassThrough() } = await this.ambient.run(runner.manager, prepare);
      const rows = client.query(copyTo(sql));
      pipeline(rows, stream, (error) => void release(runner, client, error));
      return { result, stream };
    } catch (error) {
      await release(runner, client, undefined);
      throw error;
    }
  }
}

async function release(runner: QueryRunner, client: Client, error: Error | null | undefined): Promise<void> {
  try {
    // During a COPY a connection accepts no other statement; the pool does not reuse a closed connection.
    if (error) await client.end();
    else await runner.rollbackTransaction();
  } catch {
    // The connection is closed already.
  } finally {
    await runner.release().catch(() => undefined);
  }
}
