import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DatabaseState } from '../database/database-state.js';

/** How long the metrics wait for the database, in milliseconds. */
const MAX_WAIT_MS = 1_000;

/**
 * The Prometheus metrics of the instance. Modules register their own: with `Registry` of prom-client, or with this
 * class if a metric is read from the database.
 */
@Injectable()
export class MetricsRegistry extends Registry {
  private lastRead: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: DatabaseState) {
    super();
  }

  /**
   * Reads from the database for a metric. Reads follow each other: a read that begins counts as waiting for a
   * connection for a moment, and another metric of the same scrape would be omitted.
   *
   * @returns undefined without a free connection or a database, or after a second: the other metrics are more
   *   important.
   */
  readInTime<T>(read: () => Promise<T>): Promise<T | undefined> {
    const late = delay(MAX_WAIT_MS, undefined, { ref: false });
    const result = this.lastRead.then(() => (this.database.poolState().waiting > 0 ? undefined : read()));
    const resultInTime = Promise.race([result, late]).catch(() => undefined);
    this.lastRead = resultInTime;
    return resultInTime;
  }
}
