import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { TableChangedError } from '../workspace-tables.errors.js';
import { CatalogRepository, type CatalogTable, type TableEntry } from './catalog.repository.js';
import { findFormerRows } from './physical-table.js';
import { type ReadWithEntry, ReplicaReads } from './replica-reads.js';
import { ReadMoments } from './read-moments.js';
import { TablePermissions } from './table-permissions.js';
import { isNamedBy, type TableRef } from './table-ref.decorator.js';

/** References to tables that an instance caches: about 5 MB. */
const MAX_CACHED_REFS = 10_000;

/** How often a read runs at most: it is repeated if the columns of its table have changed in the meantime. */
const MAX_READS = 20;

/**
 * Tables as this instance read them last. They may be outdated, so a statement that is compiled for one also finds out
 * whether it is current: a read returns the entry in its snapshot, a write locks the entry and compares it
 * (docs/explanation/performance.md#single-rows, docs/explanation/performance.md#table-and-rows-in-one-statement).
 */
@Injectable()
export class RecentTables {
  private readonly byRef = new LRUCache<string, CatalogTable>({ max: MAX_CACHED_REFS });

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly replica: ReplicaReads,
    private readonly permissions: TablePermissions,
    private readonly moments: ReadMoments,
  ) {}

  /** The table that the reference meant when it was read last; undefined if it was not read yet. */
  find(ref: TableRef): CatalogTable | undefined {
    // A former moment is read from the catalog each time: its history may expire.
    return this.moments.isPast ? undefined : this.byRef.get(this.toKey(ref));
  }

  /** Reads the table from the catalog. @throws {NotFoundError} */
  async read(ref: TableRef): Promise<CatalogTable> {
    this.byRef.delete(this.toKey(ref));
    const table = await this.catalog.get(ref);
    this.remember(ref, table);
    return table;
  }

  /**
   * Reads a table and its rows with one statement if this instance has read the table before: `read` returns, with its
   * result, the entry in the same snapshot. If the reference now means another table, or its columns have changed, the
   * result is discarded, the table read again, and the read repeated.
   *
   * @param options.fromReplica may a replica be read? For a small read the comparison with the primary costs as much as
   *   the read.
   * @throws {NotFoundError}
   * @throws {TableChangedError} if the columns change each time.
   */
  readInOneStatement<T>(
    ref: TableRef,
    read: ReadWithEntry<T>,
    { fromReplica = false } = {},
  ): Promise<{ table: CatalogTable; result: T }> {
    return this.catalog.readWithRetry(async () => {
      const copy = fromReplica ? await this.readReplica(ref, read) : undefined;
      if (copy) return copy;
      const recent = this.find(ref);
      let table = recent ?? (await this.read(ref));
      for (let reads = 1; reads <= MAX_READS; reads++) {
        try {
          const { entry, result } = await read(table);
          if (entry && isSameDefinition(entry, table) && isNamedBy(ref, entry)) {
            // A spread with further properties would be slow on Node 20
            // (docs/explanation/performance.md#prototypes-of-requests).
            const current = Object.assign(entry, {
              columns: table.columns,
              options: table.options,
              indexes: table.indexes,
              rows: table.rows,
              permission: table.permission,
            });
            if (findFormerRows(table)) current.revision = table.revision;
            this.remember(ref, current);
            return { table: current, result };
          }
        } catch (error) {
          // The error may be caused by outdated columns: another instance has added or dropped one.
          if (table !== recent) throw error;
        }
        table = await this.read(ref);
      }
      throw new TableChangedError();
    });
  }

  private async readReplica<T>(
    ref: TableRef,
    read: ReadWithEntry<T>,
  ): Promise<{ table: CatalogTable; result: T } | undefined> {
    const recent = this.find(ref);
    return recent && this.replica.readWithEntry(recent, () => this.read(ref), read);
  }

  private remember(ref: TableRef, table: CatalogTable): void {
    if (!this.moments.isPast) this.byRef.set(this.toKey(ref), table);
  }

  /** Callers with other policies see other columns and rows of the table. */
  private toKey({ workspaceId, entity, table }: TableRef): string {
    return `${workspaceId} ${entity} ${table} ${this.permissions.findVersion(workspaceId) ?? ''}`;
  }
}

/** Rules of policies name tables: a renamed table may be restricted in another way. */
function isSameDefinition(entry: TableEntry, { definitionId, nameKey, permission }: CatalogTable): boolean {
  return entry.definitionId === definitionId && (permission === undefined || entry.nameKey === nameKey);
}
