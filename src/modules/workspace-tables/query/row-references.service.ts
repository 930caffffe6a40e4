import { Injectable } from '@nestjs/common';
import { lookUpOnce } from '../../../records/lookups.js';
import type { RowReferenceDto } from '../../../records/row-reference.dto.js';
import {
  type NamedRows,
  type ReferredEntity,
  type ReferredRow,
  type ReferredTable,
  type RowColumns,
  type RowKeys,
  type WithRowReferences,
} from '../../../records/row-references.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { coerceKey } from '../../../../packages/tabular/src/coercions.js';
import { isUuid } from '../../../../packages/sql/src/uuid.js';
import { ENTITY_KINDS, type EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import type { KeySpace } from '../../../../packages/tables/src/catalog/row-sql.js';
import { type FoundRow, RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { callerView } from '../catalog/caller-view.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import {
  AmbiguousRowError,
  UnknownRowError,
  UnknownTableError,
} from '../../../../packages/tables/src/catalog/tables.errors.js';

/** Characters of the largest ID of a tag. */
const TAG_ID_LENGTH = 10;

/** A reference to a row, as records store it. */
export type RowReference = Pick<ReferredRow, 'tableId' | 'key'>;

/**
 * Locations and assets that records, such as notes and tags, refer to. Keys are normalized as in bulk requests; deleted
 * rows are not found.
 */
@Injectable()
export class RowReferencesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: RowsRepository,
  ) {}

  /**
   * Resolves named rows to columns; omitted fields are absent. Within a transaction the rows are locked, so that their
   * keys cannot change until it ends. Lock an existing record after this call, in the order of a rename, to prevent
   * deadlocks.
   *
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  async resolve(workspaceId: string, named: NamedRows): Promise<Partial<RowColumns>> {
    const columns: Partial<RowColumns> = {};
    if (named.location !== undefined || named.locationKey) {
      const row = await this.resolveRow(workspaceId, 'location', named.location, named.locationKey);
      columns.locationTableId = row?.tableId ?? null;
      columns.locationKey = row?.key ?? null;
    }
    if (named.asset !== undefined || named.assetKey) {
      const row = await this.resolveRow(workspaceId, 'asset', named.asset, named.assetKey);
      columns.assetTableId = row?.tableId ?? null;
      columns.assetKey = row?.key ?? null;
    }
    return columns;
  }

  /**
   * Replaces the columns in records of one workspace by DTOs with the names of the rows. Runs one statement per table.
   */
  async expand<T extends RowColumns>(workspaceId: string, records: readonly T[]): Promise<WithRowReferences<T>[]> {
    const references = records.flatMap((record) => [
      toReference(record.locationTableId, record.locationKey),
      toReference(record.assetTableId, record.assetKey),
    ]);
    const found = await this.find(
      workspaceId,
      references.filter((reference) => reference !== null),
    );
    const rows = new Map(found.map((row) => [toMapKey(row), row]));
    return records.map(({ locationTableId, locationKey, assetTableId, assetKey, ...record }) => ({
      ...record,
      location: toReferenceDto(toReference(locationTableId, locationKey), rows),
      asset: toReferenceDto(toReference(assetTableId, assetKey), rows),
    }));
  }

  /**
   * Finds the rows with this key in all tables of the entity, or in one table. Within a transaction the rows are
   * locked, so that their keys cannot change until it ends. Lock a row before the records that refer to it, in the
   * order of a rename, to prevent deadlocks.
   *
   * @param idOrName the name or ID of the table.
   * @throws {UnknownTableError}
   */
  lockByKey(workspaceId: string, entity: ReferredEntity, key: string, idOrName?: string): Promise<ReferredRow[]> {
    const lookUp = async () => {
      const stored = coerceKey(key);
      if (typeof stored !== 'string') return [];
      const tables = await this.listNamed(workspaceId, entity, idOrName);
      return (await this.rows.lockInTables(tables, stored)).map(toReferredRow);
    };
    const name = ['row', workspaceId, entity, key, idOrName];
    return lookUpOnce(name, () => this.catalog.readWithRetry(lookUp));
  }

  /**
   * The keys of a row and its subtree, in each Locations table that contains the row, or in one table. The hierarchy is
   * defined by the first `hierarchyParent` column.
   *
   * @param idOrName the name or ID of the table.
   * @throws {UnknownTableError}
   */
  findSubtree(workspaceId: string, key: string, idOrName?: string): Promise<RowKeys[]> {
    return this.listSubtrees(key, () => this.listNamed(workspaceId, 'location', idOrName));
  }

  /** As `findSubtree`, in all tables, with the rows that access policies hide from the caller. */
  findWholeSubtree(workspaceId: string, key: string): Promise<RowKeys[]> {
    return this.listSubtrees(key, () => this.catalog.list(wholeView(workspaceId), 'location'));
  }

  /** Those of the locations that are in the subtree of a row, also those that access policies hide from the caller. */
  listInWholeSubtree(workspaceId: string, key: string, locations: readonly RowReference[]): Promise<RowReference[]> {
    return this.catalog.readWithRetry(async () => {
      const [root, keys] = [coerceKey(key), groupKeys(locations)];
      if (typeof root !== 'string') return [];
      const found: RowReference[] = [];
      for (const table of await this.catalog.listByIds(wholeView(workspaceId), [...keys.keys()]))
        for (const inside of await this.rows.listInSubtree(table, root, [...keys.get(table.id)!]))
          found.push({ tableId: table.id, key: inside });
      return found;
    });
  }

  /** The tables of all entities with this ID or name that exist for the caller. */
  async findTables(workspaceId: string, idOrName: string): Promise<ReferredTable[]> {
    const view = callerView(workspaceId);
    if (isUuid(idOrName)) return (await this.catalog.listByIds(view, [idOrName])).map(toReferredTable);
    const named = await this.catalog.findAll(
      view,
      ENTITY_KINDS.map((entity) => ({ entity, name: idOrName })),
    );
    return named.flatMap((table) => (table ? [toReferredTable(table)] : []));
  }

  /** Those of the tables that exist for the caller. */
  async listTables(workspaceId: string, ids: readonly string[]): Promise<ReferredTable[]> {
    if (ids.length === 0) return [];
    return (await this.catalog.listByIds(callerView(workspaceId), ids)).map(toReferredTable);
  }

  /**
   * As `lockByKey`, of the table with this ID: the row with the key, or else the rows with this name, two at most.
   * Empty if the table does not exist for the caller.
   */
  lockByKeyOrName(workspaceId: string, tableId: string, text: string): Promise<ReferredRow[]> {
    return this.catalog.readWithRetry(async () => {
      const [table] = await this.catalog.listByIds(callerView(workspaceId), [tableId]);
      if (!table) return [];
      const key = coerceKey(text);
      const found = typeof key === 'string' ? await this.rows.lockInTables([table], key) : [];
      return (found.length > 0 ? found : await this.rows.lockByName(table, text)).map(toReferredRow);
    });
  }

  /** The first keys of a table in their order, for messages. */
  listFirstKeys(workspaceId: string, tableId: string, limit: number): Promise<string[]> {
    return this.catalog.readWithRetry(async () => {
      const [table] = await this.catalog.listByIds(callerView(workspaceId), [tableId]);
      return table ? this.rows.listFirstKeys(table, limit) : [];
    });
  }

  /** The values of the `locationTag` columns of the rows that can be IDs of tags, as they exist for the caller. */
  listLocationTags(workspaceId: string, rows: readonly RowKeys[]): Promise<string[]> {
    return this.catalog.readWithRetry(async () => {
      const values: string[] = [];
      const ids = rows.map(({ tableId }) => tableId);
      for (const table of ids.length === 0 ? [] : await this.catalog.listByIds(callerView(workspaceId), ids)) {
        const columns = table.columns.filter(({ type }) => type === 'locationTag');
        if (columns.length === 0) continue;
        for (const { keys } of rows.filter(({ tableId }) => tableId === table.id))
          values.push(...(await this.rows.listTexts(table, columns, keys, TAG_ID_LENGTH)));
      }
      return values;
    });
  }

  private listSubtrees(key: string, listTables: () => Promise<KeySpace>): Promise<RowKeys[]> {
    return this.catalog.readWithRetry(async () => {
      const stored = coerceKey(key);
      if (typeof stored !== 'string') return [];
      const subtrees: RowKeys[] = [];
      for (const { table } of await this.rows.findInTables(await listTables(), stored))
        subtrees.push({ tableId: table.id, keys: await this.rows.readSubtree(table, stored) });
      return subtrees;
    });
  }

  /** Those of the rows that exist for the caller. Runs one statement per table. */
  async find(workspaceId: string, references: readonly RowReference[]): Promise<ReferredRow[]> {
    const keys = groupKeys(references);
    if (keys.size === 0) return [];
    return this.catalog.readWithRetry(async () => {
      const rows: ReferredRow[] = [];
      for (const table of await this.catalog.listByIds(callerView(workspaceId), [...keys.keys()]))
        rows.push(...(await this.rows.listByKeys([table], [...keys.get(table.id)!])).map(toReferredRow));
      return rows;
    });
  }

  /** The named table, or all tables of the entity. @throws {UnknownTableError} */
  private async listNamed(workspaceId: string, entity: EntityKind, idOrName?: string): Promise<CatalogTable[]> {
    const view = callerView(workspaceId);
    if (idOrName === undefined) return this.catalog.list(view, entity);
    const table = await this.catalog.find(view, entity, idOrName);
    if (!table) throw new UnknownTableError(entity, idOrName);
    return [table];
  }

  private async resolveRow(
    workspaceId: string,
    field: ReferredEntity,
    key: string | null | undefined,
    table: string | null | undefined,
  ): Promise<RowReference | null> {
    const tableField = `${field}Key`;
    const isTableNamed = table !== null && table !== undefined;
    if (key === null || key === undefined) {
      if (isTableNamed) throw new UnknownRowError(tableField, 'required', `"${tableField}" requires "${field}".`);
      return null;
    }
    const found = await this.lockByKey(workspaceId, field, key, table ?? undefined).catch((error: unknown) => {
      if (error instanceof UnknownTableError) throw new UnknownRowError(tableField, 'unknown_table', error.message);
      throw error;
    });
    const [row, ...others] = found;
    if (!row) {
      const message = `No ${field} has the key "${key.slice(0, 255)}"${isTableNamed ? ' in that table' : ''}.`;
      throw new UnknownRowError(field, 'not_found', message);
    }
    if (others.length > 0) {
      const tables = found.map((each) => each.table);
      throw new AmbiguousRowError(field, tableField, key, tables);
    }
    return { tableId: row.tableId, key: row.key };
  }
}

function toReference(tableId: string | null, key: string | null): RowReference | null {
  return tableId !== null && key !== null ? { tableId, key } : null;
}

function toReferenceDto(
  reference: RowReference | null,
  rows: ReadonlyMap<string, ReferredRow>,
): RowReferenceDto | null {
  if (!reference) return null;
  const { table = null, name = null } = rows.get(toMapKey(reference)) ?? {};
  return { ...reference, table, name };
}

function toReferredRow({ table, key, name }: FoundRow): ReferredRow {
  return { tableId: table.id, table: table.name, key, name };
}

function toReferredTable({ id, entity, name }: CatalogTable): ReferredTable {
  return { id, entity, name };
}

/** A reference as the key of a map. */
function toMapKey({ tableId, key }: RowReference): string {
  return `${tableId} ${key}`;
}

/** The keys by the IDs of their tables. */
function groupKeys(rows: readonly RowReference[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const { tableId, key } of rows) keys.set(tableId, (keys.get(tableId) ?? new Set()).add(key));
  return keys;
}
