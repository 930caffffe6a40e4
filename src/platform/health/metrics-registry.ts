import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DatabaseState } from '../database/database-state.js';

/** How long the metrics wait for the database, in milliseconds. */
const MAX_WAIT_MS = 1_000;

/** The Prometheus metrics of the instance. Modules register their own. */
@Injectable()
export class MetricsRegistry extends Registry {
  constructor(private readonly database: DatabaseState) {
    super();
  }

  /**
   * Reads from the database for a metric.
   *
   * @returns undefined without a free connection or a database, or after a second: the other metrics are more
   *   important.
   */
  async readInTime<T>(read: () => Promise<T>): Promise<T | undefined> {
    if (this.database.poolState().waiting > 0) return undefined;
    const late = delay(MAX_WAIT_MS, undefined, { ref: false });
    return Promise.race([read(), late]).catch(() => undefined);
  }
}
