import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { startStatement } from '../telemetry/spans.js';
import { standaloneOptions } from './connection-pool.js';
import { ignoreErrors, listenOnce } from '../listeners.js';

/** Limit of a statement, such as the build of an index, in milliseconds: one day. */
const TIMEOUT_MS = 86_400_000;

/** Runs statements that PostgreSQL accepts only outside a transaction, such as CREATE INDEX CONCURRENTLY. */
@Injectable()
export class StandaloneStatements {
  constructor(
    private readonly dataSource: DataSource,
    private readonly config: Config,
  ) {}

  /**
   * Runs one statement on its own connection, for one day at most. The signal closes the connection; PostgreSQL notices
   * at the end of the statement.
   */
  async execute(statement: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const timeouts = { statement_timeout: TIMEOUT_MS, lock_timeout: TIMEOUT_MS };
    // Through a pooler the timeouts of the server apply: a session has none of its own.
    const limits = this.config.database.isPooledByTransaction ? {} : timeouts;
    const client = new Client({ ...standaloneOptions(this.dataSource), ...limits });
    const close = () => void client.end().catch(() => undefined);
    // The statement of a lost connection fails.
    ignoreErrors(client);
    const endListening = signal && listenOnce(signal, 'abort', close);
    const end = startStatement(statement);
    try {
      await client.connect();
      await client.query(statement);
      end?.();
    } catch (error) {
      end?.(error);
      throw error;
    } finally {
      endListening?.();
      await client.end().catch(() => undefined);
    }
  }
}
