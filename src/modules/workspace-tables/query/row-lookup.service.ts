import { Injectable } from '@nestjs/common';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { coerceKey } from '../catalog/column-types.js';
import type { EntityKind } from '../catalog/entity-kind.js';
import { type FoundRow, RowsRepository } from '../catalog/rows.repository.js';
import { UnknownTableError } from '../workspace-tables.errors.js';

/** A row that records refer to. */
export interface TableRow {
  tableId: string;
  /** The table's name. */
  table: string;
  key: string;
  /** The value of the column `name` or, if it is empty, the key. */
  name: string;
}

/** A reference to a row, as records store it. */
export interface RowReference {
  tableId: string;
  key: string;
}

/** Finds rows for modules whose records refer to rows. Keys are normalized as in bulk requests; deleted rows are not found. */
@Injectable()
export class RowLookupService {
  /** A reference as the key of a map. */
  static readonly toMapKey = ({ tableId, key }: RowReference): string => `${tableId} ${key}`;

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /**
   * Finds the rows with this key in all tables of the entity, or in one table. Within a transaction the rows are locked, so
   * that their keys cannot change until it ends. Lock a row before the records that refer to it, in the order of a rename, to
   * prevent deadlocks.
   *
   * @param idOrName the ID of the table, or its name in any letter case.
   * @throws {UnknownTableError}
   */
  async lockByKey(workspaceId: string, entity: EntityKind, key: string, idOrName?: string): Promise<TableRow[]> {
    return this.catalog.readWithRetry(async () => {
      const tables = await this.listTables(workspaceId, entity, idOrName);
      const stored = coerceKey(key);
      return typeof stored === 'string' ? (await this.rows.lockInTables(tables, stored)).map(toTableRow) : [];
    });
  }

  /** The existing rows by their `toMapKey`. Runs one statement per table. */
  async findNames(workspaceId: string, references: readonly RowReference[]): Promise<Map<string, TableRow>> {
    const keys = new Map<string, Set<string>>();
    for (const { tableId, key } of references) keys.set(tableId, (keys.get(tableId) ?? new Set()).add(key));
    if (keys.size === 0) return new Map();
    return this.catalog.readWithRetry(async () => {
      const names = new Map<string, TableRow>();
      for (const table of await this.catalog.listByIds(workspaceId, [...keys.keys()])) {
        for (const row of (await this.rows.listByKeys(table, [...keys.get(table.id)!])).map(toTableRow))
          names.set(RowLookupService.toMapKey(row), row);
      }
      return names;
    });
  }

  /**
   * The keys of a row and its subtree, in each Locations table that contains the row, or in one table. The hierarchy is defined
   * by the first `hierarchyParent` column.
   *
   * @param idOrName the ID of the table, or its name in any letter case.
   * @throws {UnknownTableError}
   */
  findSubtree(workspaceId: string, key: string, idOrName?: string): Promise<{ tableId: string; keys: string[] }[]> {
    return this.catalog.readWithRetry(async () => {
      const tables = await this.listTables(workspaceId, 'location', idOrName);
      const stored = coerceKey(key);
      const subtrees: { tableId: string; keys: string[] }[] = [];
      for (const { table } of typeof stored === 'string' ? await this.rows.findInTables(tables, stored) : [])
        subtrees.push({ tableId: table.id, keys: await this.rows.listSubtree(table, stored as string) });
      return subtrees;
    });
  }

  private async listTables(workspaceId: string, entity: EntityKind, idOrName?: string): Promise<CatalogTable[]> {
    if (idOrName === undefined) return this.catalog.list(workspaceId, entity);
    const table = await this.catalog.find(workspaceId, entity, idOrName);
    if (!table) throw new UnknownTableError(entity, idOrName);
    return [table];
  }
}

function toTableRow({ table, key, name }: FoundRow): TableRow {
  return { tableId: table.id, table: table.name, key, name };
}
