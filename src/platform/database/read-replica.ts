import { AsyncLocalStorage } from 'node:async_hooks';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type DataSource, QueryFailedError } from 'typeorm';
import type { Config } from '../config/config.js';
import { poolOf, standaloneOptions } from './connection-pool.js';
import { AmbientTransaction } from './ambient-transaction.js';
import { ConnectionWatch } from './connection-watch.js';
import { isDatabaseUnavailable, sqlState, SQLSTATE } from './database.errors.js';

/** How long the replica is not used after it has failed, in milliseconds. It is then connected again. */
const PAUSE_MS = 5_000;

/** The result of a read of the replica was returned, was older than the primary, or the read failed. */
export type ReplicaReadResult = 'used' | 'outdated' | 'failed';

/**
 * The server of `DATABASE_READ_URL`, which replays the changes of the primary. It is optional at any time: the service starts
 * without it, does not use it while it fails, and connects again in the background (ADR 0076).
 */
export class ReadReplica implements OnApplicationShutdown {
  private readonly logger = new Logger(ReadReplica.name);
  /** The number of reads by their result, for the metrics. */
  readonly reads: Record<ReplicaReadResult, number> = { used: 0, outdated: 0, failed: 0 };
  /** Set during work that reads the replica. */
  private readonly work = new AsyncLocalStorage<true>();
  private connected?: DataSource;
  private connecting?: Promise<void>;
  private retry?: NodeJS.Timeout;
  private hasEnded = false;

  /** @param createSource absent: there is no replica. */
  constructor(
    private readonly config: Config,
    private readonly ambient: AmbientTransaction,
    private readonly createSource?: () => DataSource,
  ) {
    if (createSource) this.connect(createSource);
  }

  /** Is there a replica that work could read now? Within a transaction there is none. */
  get isAvailable(): boolean {
    return this.connected !== undefined && !this.ambient.isOpen;
  }

  /** The replica, if the current work reads it. */
  get readSource(): DataSource | undefined {
    return this.work.getStore() && this.connected;
  }

  /**
   * Runs work whose statements read the replica, each in its own snapshot. They may return older data than the primary: the
   * caller compares what it has read (ADR 0076).
   *
   * @returns undefined if there is no replica, or a statement fails: the caller then reads the primary. A statement that exceeds the time
   * limit throws, because the primary would take as long.
   */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.isAvailable) return undefined;
    const source = this.connected;
    try {
      return await this.work.run(true, work);
    } catch (error) {
      if (sqlState(error) === SQLSTATE.queryCanceled) throw error;
      const isUnavailable = isDatabaseUnavailable(error);
      // Other errors are those of an invalid query: the primary reports them.
      if (isUnavailable || error instanceof QueryFailedError) this.reads.failed++;
      if (isUnavailable && source === this.connected) this.pause(error);
      return undefined;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.retry);
    await this.connecting;
    await this.connected?.destroy().catch(() => undefined);
  }

  private connect(createSource: () => DataSource): void {
    this.connecting = this.open(createSource()).catch((error: unknown) => this.pause(error));
  }

  private async open(dataSource: DataSource): Promise<void> {
    await dataSource.initialize();
    try {
      const [server] = await dataSource.query<{ isReplica: boolean }[]>('SELECT pg_is_in_recovery() AS "isReplica"');
      // A copy that accepts writes may have the same revisions with other rows.
      if (!server?.isReplica) throw new Error('the server is not a replica: it accepts writes');
    } catch (error) {
      await dataSource.destroy();
      throw error;
    }
    new ConnectionWatch(poolOf(dataSource)!, standaloneOptions(dataSource), this.config.database.probeTimeoutMs);
    this.connected = dataSource;
    this.logger.log('Reads use the replica of DATABASE_READ_URL');
  }

  /** Ends its use, and connects again later. Reads in progress end by themselves. */
  private pause(error: unknown): void {
    void this.connected?.destroy().catch(() => undefined);
    this.connected = undefined;
    if (this.hasEnded) return;
    this.logger.warn(`DATABASE_READ_URL is not used for ${PAUSE_MS / 1_000} s: ${(error as Error).message}`);
    this.retry = setTimeout(() => this.connect(this.createSource!), PAUSE_MS).unref();
  }
}
