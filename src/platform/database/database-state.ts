import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Config } from '../config/config.js';
import { poolOf, standaloneOptions } from './connection-pool.js';
import { ConnectionWatch } from './connection-watch.js';
import { Database } from './database.js';

/** Tables, connections and availability of the database: for readiness, metrics and the limit of running requests. */
@Injectable()
export class DatabaseState {
  private readonly watch: ConnectionWatch;

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    config: Config,
  ) {
    this.watch = new ConnectionWatch(
      poolOf(dataSource)!,
      standaloneOptions(dataSource),
      config.database.probeTimeoutMs,
    );
  }

  async isReachable(): Promise<boolean> {
    return this.database.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }

  /**
   * Bytes that the connections have received in total: they increase as long as the database responds to statements.
   */
  receivedBytes(): number {
    return this.watch.receivedBytes();
  }

  /** How often a connection was taken from the pool since the start. */
  acquiredConnections(): number {
    return this.watch.acquired;
  }

  /** Number of pool connections. */
  poolState(): { total: number; idle: number; waiting: number } {
    const { totalCount = 0, idleCount = 0, waitingCount = 0 } = poolOf(this.dataSource) ?? {};
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }
}
