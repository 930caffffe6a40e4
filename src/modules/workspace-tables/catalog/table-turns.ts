import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { SQLSTATE, sqlState } from '../../../../packages/sql/src/sql-state.js';
import { Sql } from '../../../../packages/sql/src/sql.js';
import { UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import { nameTable, type TableIdentity } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { HTTP_ERRORS } from '../../../../packages/errors/src/http.errors.js';
import { countShare, type Release, Turns, type Wait } from '../../../platform/turns.js';

/**
 * Part of the pool that the writers of one table may use. While the table is locked, the rest serves other requests.
 */
const POOL_SHARE = 0.4;

/**
 * Limits how many connections the writers of one table use at a time. The others wait here, without a connection, as
 * long as they may wait for a lock, or until one of the running writers did not get the lock in time. Requests with
 * several tables take their turns in the order of the keys, so that no two wait for each other.
 */
export class TableTurns {
  /** The turns of writers, by table. */
  private readonly turns: Turns;
  private readonly wait: Wait;

  constructor(
    private readonly sql: Sql,
    private readonly catalog: CatalogRepository,
    { poolSize, lockTimeoutMs }: { poolSize: number; lockTimeoutMs: number },
  ) {
    this.turns = new Turns(Infinity, countShare(poolSize, POOL_SHARE));
    this.wait = { timeoutMs: lockTimeoutMs, toError: createBusyError };
  }

  /** Writers of one table that run at a time. */
  get limit(): number {
    return this.turns.limit;
  }

  /**
   * Waits for a turn in each table, and runs the work.
   *
   * @throws {UnavailableError} `busy` if the work waits too long.
   */
  async run<T>(workspaceId: string, tables: readonly TableIdentity[], work: () => Promise<T>): Promise<T> {
    // Part of a transaction that has its turns.
    if (this.sql.hasConnection) return work();
    const keys = await this.listKeys(workspaceId, tables);
    const acquired = new Map<string, Release>();
    try {
      for (const key of keys) acquired.set(key, await this.turns.acquire(key, this.wait));
      return await work();
    } catch (error) {
      // The requests that wait would fail too, but each only after the time limit of a lock.
      if (sqlState(error) === SQLSTATE.lockNotAvailable)
        for (const key of acquired.keys()) this.turns.rejectWaiting(key);
      throw error;
    } finally {
      for (const release of acquired.values()) release();
    }
  }

  /** A table has one key, however requests name it: its name, which is read only if a request has the ID instead. */
  private async listKeys(workspaceId: string, tables: readonly TableIdentity[]): Promise<Set<string>> {
    const ids = tables.flatMap(({ id, name }) => (id !== undefined && isUuid(name) ? id : []));
    const found = ids.length === 0 ? [] : await this.catalog.listByIds(wholeView(workspaceId), ids);
    const names = tables.map((table) => nameTable(found.find(({ id }) => id === table.id) ?? table));
    return new Set(names.map((name) => `${workspaceId} ${name}`).sort());
  }
}

const createBusyError = () =>
  new UnavailableError(HTTP_ERRORS.busy, 'Other requests are changing the same table. Send the request again.');
