import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DatabaseState } from '../database/database-state.js';

/** How long the metrics wait for the database, in milliseconds. */
const MAX_WAIT_MS = 1_000;

/** Pause between two collections, in milliseconds. */
const PAUSE_MS = 1_000;

/**
 * The Prometheus metrics of the instance. Modules register their own: with `Registry` of prom-client, or with this
 * class if a metric is read from the database.
 */
@Injectable()
export class MetricsRegistry extends Registry {
  private lastRead: Promise<unknown> = Promise.resolve();
  /** The collection that has not begun. */
  private next?: Promise<string>;
  private pause: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: DatabaseState) {
    super();
  }

  /**
   * Anyone may scrape the metrics. One collection at a time, with a pause before the next one, is for all scrapes that
   * were received before it.
   */
  override metrics(): Promise<string> {
    this.next ??= this.collectAfterPause();
    return this.next;
  }

  private async collectAfterPause(): Promise<string> {
    await this.pause;
    this.next = undefined;
    const collected = super.metrics();
    const startPause = () => delay(PAUSE_MS, undefined, { ref: false });
    this.pause = collected.then(startPause, startPause);
    return collected;
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
