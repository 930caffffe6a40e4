import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type DataSource, QueryFailedError } from 'typeorm';
import { AmbientTransaction } from './ambient-transaction.js';
import { isDatabaseUnavailable } from './database.errors.js';
import { sqlState, SQLSTATE } from '../../../packages/sql/src/sql-state.js';

/** How long the replica is not used after it has failed, in milliseconds. It is then connected again. */
const PAUSE_MS = 5_000;

/** The result of a read of the replica was returned, was older than the primary, or the read failed. */
export type ReplicaReadResult = 'used' | 'outdated' | 'failed';

/**
 * The server of `DATABASE_READ_URL`, which replays the changes of the primary. It is optional at any time: the service
 * starts without it, does not use it while it fails, and connects again in the background (ADR 0076).
 */
export class ReadReplica implements OnApplicationShutdown {
  private readonly logger = new Logger(ReadReplica.name);
  /** The number of reads by their result, for the metrics. */
  readonly reads: Record<ReplicaReadResult, number> = { used: 0, outdated: 0, failed: 0 };
  private connected?: DataSource;
  private connecting?: Promise<void>;
  private retry?: NodeJS.Timeout;
  private hasEnded = false;

  /** @param open connects to the replica; absent if there is none. */
  constructor(
    private readonly ambient: AmbientTransaction,
    private readonly open?: () => Promise<DataSource>,
  ) {
    if (open) this.connect(open);
  }

  /** Is there a replica that work could read now? Within a transaction there is none. */
  get isAvailable(): boolean {
    return this.connected !== undefined && !this.ambient.isOpen;
  }

  /**
   * Runs work whose statements read the replica, each in its own snapshot. They may return older data than the primary:
   * the caller compares what it has read (ADR 0076).
   *
   * @returns undefined if there is no replica, or a statement fails: the caller then reads the primary. A statement
   *   that exceeds the time limit throws, because the primary would take as long.
   */
  async read<T>(work: () => Promise<T>): Promise<T | undefined> {
    const source = this.connected;
    if (!source || !this.isAvailable) return undefined;
    try {
      return await this.ambient.readFrom(source, work);
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

  private connect(open: () => Promise<DataSource>): void {
    const connected = open().then((source) => {
      this.connected = source;
      this.logger.log('Reads use the replica of DATABASE_READ_URL');
    });
    this.connecting = connected.catch((error: unknown) => this.pause(error));
  }

  /** Ends its use, and connects again later. Reads in progress end by themselves. */
  private pause(error: unknown): void {
    void this.connected?.destroy().catch(() => undefined);
    this.connected = undefined;
    if (this.hasEnded) return;
    this.logger.warn(`DATABASE_READ_URL is not used for ${PAUSE_MS / 1_000} s: ${(error as Error).message}`);
    this.retry = setTimeout(() => this.connect(this.open!), PAUSE_MS).unref();
  }
}
