import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ReadReplica } from '../../../platform/database/read-replica.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable, TableEntry } from '../../../../packages/tables/src/catalog/catalog-table.js';

/**
 * How long the primary is read after the replica was found to be older, in milliseconds. Otherwise each read of a table
 * that is written all the time would read both servers.
 */
const OUTDATED_MS = 1_000;

/** Tables of which an instance remembers that the replica was older. */
const MAX_OUTDATED = 10_000;

/**
 * Reads tables on the replica. The entries of the tables there are compared with the entries on the primary, which are
 * read after the request has arrived: a result is returned only if the result contains everything that was committed
 * before. Otherwise, and without a replica, the methods return undefined, and the caller reads the primary (ADR 0076).
 */
@Injectable()
export class ReplicaReads {
  private readonly outdated = new LRUCache<string, true>({ max: MAX_OUTDATED, ttl: OUTDATED_MS });

  constructor(
    private readonly replica: ReadReplica,
    private readonly catalog: CatalogRepository,
  ) {}

  /**
   * Runs reads of several tables of a workspace, after the replica has been found to contain them.
   *
   * @param listCurrent reads the tables on the primary
   */
  async read<T>(listCurrent: () => Promise<readonly CatalogTable[]>, read: () => Promise<T>): Promise<T | undefined> {
    if (!this.replica.isAvailable) return undefined;
    const current = await listCurrent();
    // The revision of a former moment does not show whether the replica contains it.
    if (current.length === 0 || current[0]!.view.moment || this.wasOutdated(current)) return undefined;
    const found = await this.replica.read(async () =>
      (await this.contains(current)) ? { result: await read() } : 'outdated',
    );
    if (found === 'outdated') this.countOutdated(current);
    if (found === undefined || found === 'outdated') return undefined;
    this.replica.reads.used++;
    return found.result;
  }

  private wasOutdated(tables: readonly CatalogTable[]): boolean {
    return tables.some(({ id }) => this.outdated.has(id));
  }

  private async contains(current: readonly CatalogTable[]): Promise<boolean> {
    const ids = current.map(({ id }) => id);
    const tables = await this.catalog.listByIds(current[0]!.view, ids);
    const entries = new Map(tables.map((table) => [table.id, table]));
    return current.every((table) => {
      const entry = entries.get(table.id);
      return entry !== undefined && isCurrent(entry, table);
    });
  }

  private countOutdated(tables: readonly CatalogTable[]): void {
    this.replica.reads.outdated++;
    for (const { id } of tables) this.outdated.set(id, true);
  }
}

/** Does the entry of the replica have the columns of the primary, and the same or a later revision? */
function isCurrent(entry: TableEntry, current: CatalogTable): boolean {
  return entry.definitionId === current.definitionId && entry.revision >= current.revision;
}
