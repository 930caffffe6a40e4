import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { type ClientSocket, socketOf } from './connection-pool.js';
import { sqlState } from '../../../packages/sql/src/sql-state.js';
import { ignoreErrors, listen } from '../listeners.js';

/** How often the connections in use are observed, in milliseconds. */
const INTERVAL_MS = 1_000;

/** Errors of a network on which nothing responds. Any other error of the probe is a response. */
const SILENT_CODES = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Notices that the database no longer responds, for example because its host is stopped or unreachable: without it,
 * statements would wait until the operating system gives up, which takes minutes. While connections are in use and none
 * receives a byte, a probe on its own connection runs `SELECT 1`. If it does not succeed in time, all connections are
 * closed: their statements fail, and the pool connects again. A slow statement is not affected, because the probe
 * succeeds meanwhile.
 */
export class ConnectionWatch {
  private readonly logger = new Logger(ConnectionWatch.name);
  private readonly sockets = new Map<PoolClient, ClientSocket>();
  /** Bytes that closed connections have received. */
  private closedBytes = 0;
  /** How often a connection was taken from the pool. */
  acquired = 0;
  private timer?: NodeJS.Timeout;
  private lastBytes = -1;
  private probe?: Client;
  private isProbing = false;

  constructor(
    private readonly pool: Pool,
    private readonly config: ClientConfig,
    private readonly timeoutMs: number,
  ) {
    listen(pool, 'remove', (client: PoolClient) => {
      this.closedBytes += this.sockets.get(client)?.bytesRead ?? 0;
      this.sockets.delete(client);
    });
    listen(pool, 'acquire', (client: PoolClient) => {
      this.acquired++;
      if (!this.sockets.has(client)) this.sockets.set(client, socketOf(client));
      this.timer ??= setInterval(() => void this.observe(), INTERVAL_MS).unref();
    });
  }

  /** Bytes that the connections have received in total. */
  receivedBytes(): number {
    let bytes = this.closedBytes;
    for (const { bytesRead } of this.sockets.values()) bytes += bytesRead;
    return bytes;
  }

  private async observe(): Promise<void> {
    if (this.isProbing) return;
    if (this.pool.totalCount === this.pool.idleCount) {
      this.stop();
      return;
    }
    const bytes = this.receivedBytes();
    const isSilent = bytes === this.lastBytes;
    this.lastBytes = bytes;
    if (!isSilent) return;
    this.isProbing = true;
    const isResponding = await this.responds();
    this.isProbing = false;
    if (!isResponding && this.receivedBytes() === bytes) this.closeAll();
  }

  /**
   * Also after an error that the server or its host has sent: then it responds, and the connections fail by themselves.
   */
  private async responds(): Promise<boolean> {
    const timeout = new AbortController();
    const isLate = delay(this.timeoutMs, false, { signal: timeout.signal, ref: false }).catch(() => false);
    const isAnswered = this.query().then(
      () => true,
      (error: unknown) => {
        this.closeProbe();
        return !SILENT_CODES.has(sqlState(error) ?? '');
      },
    );
    try {
      return await Promise.race([isAnswered, isLate]);
    } finally {
      timeout.abort();
    }
  }

  private async query(): Promise<void> {
    if (!this.probe) {
      // The time limit of the probe includes the connection.
      const probe = new Client({ ...this.config, connectionTimeoutMillis: 0 });
      ignoreErrors(probe);
      this.probe = probe;
      await probe.connect();
    }
    await this.probe.query('SELECT 1');
  }

  private closeAll(): void {
    this.logger.error(
      `The database has not responded for ${this.timeoutMs} ms; closing ${this.sockets.size} connections`,
    );
    const error = new Error('Connection terminated: the database does not respond');
    for (const socket of this.sockets.values()) socket.destroy(error);
    this.closeProbe();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.lastBytes = -1;
    this.closeProbe();
  }

  /** Without waiting for the server, which may not respond. */
  private closeProbe(): void {
    const { probe } = this;
    this.probe = undefined;
    if (probe) socketOf(probe).destroy();
  }
}
