import { Injectable } from '@nestjs/common';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { type FoundRow, RowLookupRepository } from './row-lookup.repository.js';
import { UnknownTableError } from '../workspace-tables.errors.js';

/** A row that others refer to. */
export interface TableRow {
  tableId: string;
  /** The table's name. */
  table: string;
  key: string;
  /** What people call the row: what its column `name` says, else its key. */
  name: string;
}

/** Where a row is, as others keep it. */
export interface RowReference {
  tableId: string;
  key: string;
}

/** A link as the key of a map. */
export function rowReferenceKey({ tableId, key }: RowReference): string {
  return `${tableId} ${key}`;
}

/** Rows for the modules that refer to some. Keys are compared as bulk stores them; deleted rows do not count. */
@Injectable()
export class RowLookupService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowLookupRepository,
  ) {}

  /**
   * The rows with this key among the workspace's tables of the entity, or in the one table named. In a transaction each
   * is locked: it keeps its key until the transaction ends. Who writes records that follow a row locks the row first and
   * its records then, as a rename does.
   *
   * @param idOrName the table's id, or its name whatever its case.
   * @throws {UnknownTableError}
   */
  async lockByKey(workspaceId: string, entity: EntityKind, key: string, idOrName?: string): Promise<TableRow[]> {
    return this.catalog.readWithRetry(async () => {
      const tables = await this.tables(workspaceId, entity, idOrName);
      const stored = coerceKey(key);
      return typeof stored === 'string' ? (await this.rows.lock(tables, stored)).map(rowOf) : [];
    });
  }

  /** The rows by their `linkKey`, in one statement a table. What is gone is missing. */
  async findNames(workspaceId: string, links: readonly RowReference[]): Promise<Map<string, TableRow>> {
    const keys = new Map<string, Set<string>>();
    for (const { tableId, key } of links) keys.set(tableId, (keys.get(tableId) ?? new Set()).add(key));
    if (keys.size === 0) return new Map();
    return this.catalog.readWithRetry(() => this.namesOf(workspaceId, keys));
  }

  private async namesOf(workspaceId: string, keys: ReadonlyMap<string, Set<string>>): Promise<Map<string, TableRow>> {
    const names = new Map<string, TableRow>();
    for (const table of await this.catalog.listByIds(workspaceId, [...keys.keys()])) {
      for (const row of (await this.rows.findAll(table, [...keys.get(table.id)!])).map(rowOf))
        names.set(rowReferenceKey(row), row);
    }
    return names;
  }

  /**
   * The keys of a row and of all rows below it, in each Locations table that has the row, or in the one named. Where the
   * table has several columns of parents, by the first.
   *
   * @param idOrName the table's id, or its name whatever its case.
   * @throws {UnknownTableError}
   */
  async findSubtree(
    workspaceId: string,
    key: string,
    idOrName?: string,
  ): Promise<{ tableId: string; keys: string[] }[]> {
    return this.catalog.readWithRetry(() => this.subtrees(workspaceId, key, idOrName));
  }

  private async subtrees(workspaceId: string, key: string, idOrName?: string) {
    const tables = await this.tables(workspaceId, 'location', idOrName);
    const stored = coerceKey(key);
    if (typeof stored !== 'string') return [];
    const subtrees: { tableId: string; keys: string[] }[] = [];
    for (const { table } of await this.rows.find(tables, stored))
      subtrees.push({ tableId: table.id, keys: await this.rows.subtree(table, stored) });
    return subtrees;
  }

  private async tables(workspaceId: string, entity: EntityKind, idOrName?: string): Promise<CatalogTable[]> {
    if (idOrName === undefined) return this.catalog.list(workspaceId, entity);
    const table = await this.catalog.find(workspaceId, entity, idOrName);
    if (!table) throw new UnknownTableError(entity, idOrName);
    return [table];
  }
}

function rowOf({ table, key, name }: FoundRow): TableRow {
  return { tableId: table.id, table: table.name, key, name };
}
