import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { SQLSTATE, sqlState } from '../../../platform/database/database.errors.js';
import { Database } from '../../../platform/database/database.js';
import { UnavailableError } from '../../../platform/http/domain-error.js';
import type { TableIdentity } from './catalog.repository.js';
import { compareLockOrder } from './catalog-writes.repository.js';
import { normalizeName } from './entity-kind.js';
import { HTTP_ERRORS } from '../../../platform/http/http.errors.js';

/**
 * Part of the pool that the writers of one table may use. While the table is locked, the rest serves other requests.
 */
const POOL_SHARE = 0.4;

/** A request that waits for its turn. Each function ends the waiting, with its timer. */
interface Waiter {
  start: () => void;
  giveUp: () => void;
}

interface TableState {
  running: number;
  /** In the order of their arrival. */
  waiting: Set<Waiter>;
}

/**
 * Limits how many connections the writers of one table use at a time. The others wait here, without a connection, as
 * long as they may wait for a lock, or until one of the running writers did not get the lock in time. Requests with
 * several tables take their turns in the common order, so that no two wait for each other.
 */
@Injectable()
export class TableTurns {
  /** Writers of one table that run at a time. */
  readonly limit: number;
  private readonly timeoutMs: number;
  private readonly tables = new Map<string, TableState>();

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
    this.limit = Math.max(1, Math.floor(config.database.poolSize * POOL_SHARE));
    this.timeoutMs = config.database.lockTimeoutMs;
  }

  /**
   * Waits for a turn in each table, and runs the work.
   *
   * @throws {UnavailableError} `busy` if the work waits too long.
   */
  async run<T>(workspaceId: string, tables: readonly TableIdentity[], work: () => Promise<T>): Promise<T> {
    // Part of a transaction that has its turns.
    if (this.database.hasConnection) return work();
    const ordered = [...tables].sort(compareLockOrder).map(({ entity, name }) => `${entity}:${normalizeName(name)}`);
    const acquired: string[] = [];
    try {
      for (const name of new Set(ordered)) {
        const key = `${workspaceId}:${name}`;
        await this.acquire(key);
        acquired.push(key);
      }
      return await work();
    } catch (error) {
      // The requests that wait would fail too, but each only after the time limit of a lock.
      if (sqlState(error) === SQLSTATE.lockNotAvailable) for (const key of acquired) this.rejectWaiting(key);
      throw error;
    } finally {
      for (const key of acquired) this.release(key);
    }
  }

  private async acquire(key: string): Promise<void> {
    let table = this.tables.get(key);
    if (!table) this.tables.set(key, (table = { running: 0, waiting: new Set() }));
    const { waiting } = table;
    if (table.running < this.limit) {
      table.running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(waiter);
      };
      const start = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(
          new UnavailableError(HTTP_ERRORS.busy, 'Other requests are changing the same table. Send the request again.'),
        );
      };
      const waiter: Waiter = { start, giveUp };
      const timer = setTimeout(giveUp, this.timeoutMs);
      waiting.add(waiter);
    });
  }

  private rejectWaiting(key: string): void {
    for (const { giveUp } of [...this.tables.get(key)!.waiting]) giveUp();
  }

  /** The next request takes over the turn. */
  private release(key: string): void {
    const table = this.tables.get(key)!;
    const [next] = table.waiting;
    if (next) next.start();
    else if (--table.running === 0) this.tables.delete(key);
  }
}
