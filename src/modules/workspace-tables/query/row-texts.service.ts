import { Injectable } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { getNativeType } from '../../../../packages/tables/src/catalog/column-types.js';
import { TableSummaryDto, toTableSummary } from '../catalog/dto/table-summary.dto.js';
import { ENTITY_BY_PATH } from '../../../../packages/tables/src/catalog/entity-kind.js';
import { getPrimaryKey } from '../../../../packages/tables/src/catalog/physical-table.js';
import { RowsRepository } from '../../../../packages/tables/src/catalog/rows.repository.js';
import { getNameColumnKey } from '../../../../packages/tables/src/catalog/row-sql.js';
import { callerView } from '../catalog/caller-view.js';
import { wholeView } from '../../../../packages/tables/src/catalog/view.js';
import { ChangeFeedRepository } from '../../../../packages/tables/src/reader/change-feed.repository.js';

/** A table in responses. */
export type TableSchema = TableSummaryDto;

/** A table as the search reads it. */
export interface SearchedTable extends Pick<CatalogTable, 'id' | 'name' | 'entity' | 'revision' | 'changesSince'> {
  /** The table with its columns; of a caller with a policy with those that are visible. */
  readonly table: CatalogTable;
  readonly summary: TableSchema;
}

/** A text of a row. */
export interface RowText {
  /** Column key. */
  column: string;
  text: string;
  isKey: boolean;
  isTitle: boolean;
}

/** The texts of a row; undefined for a row that was deleted. */
export interface RowTexts {
  key: string;
  texts: RowText[] | undefined;
}

/** A position in the change feed: after a row of a revision, or after the whole revision if `key` is null. */
export interface RowPosition {
  revision: number;
  key: string | null;
}

/** The position before all rows. */
export const FIRST_POSITION: RowPosition = { revision: -1, key: null };

/** The texts of rows, for the search of a workspace. */
@Injectable()
export class RowTextsService {
  /** The class of a table in responses, for the OpenAPI document. */
  static readonly tableSchema = TableSummaryDto;

  constructor(
    private readonly catalog: CatalogRepository,
    private readonly changes: ChangeFeedRepository,
    private readonly rows: RowsRepository,
  ) {}

  /** Runs reads of the tables and of their rows in one snapshot; repeats them if a table is dropped meanwhile. */
  readTogether<T>(work: () => Promise<T>): Promise<T> {
    return this.catalog.readTogether(work);
  }

  /** All tables, whatever the caller may read: only for the index. */
  async listTables(workspaceId: string): Promise<SearchedTable[]> {
    return (await this.catalog.listAll(wholeView(workspaceId))).map(toSearchedTable);
  }

  /** The tables that the caller may read. */
  async listVisibleTables(workspaceId: string): Promise<SearchedTable[]> {
    return (await this.catalog.listAll(callerView(workspaceId))).map(toSearchedTable);
  }

  /**
   * The texts of rows that were changed after a position, in the order of the change feed.
   *
   * @param table of `listTables`.
   * @returns the position after them: that of the whole table if no other row follows.
   */
  async listChanges(
    { table }: SearchedTable,
    { revision, key }: RowPosition,
    limit: number,
  ): Promise<{ rows: RowTexts[]; position: RowPosition }> {
    const after = key === null ? undefined : [revision, key];
    const { items, hasMore } = await this.changes.list(table, revision, after, limit);
    const last = items.at(-1);
    const position = hasMore && last ? toPosition(last) : { revision: table.revision, key: null };
    const rows = items.map(({ key: changed, item }) => ({
      key: changed,
      texts: item ? toTexts(table, item) : undefined,
    }));
    return { rows, position };
  }

  /**
   * The texts of the rows with these keys that exist for the caller, read page by page, because rows may be large.
   *
   * @param table of `listVisibleTables`.
   */
  async *readRows(
    { table }: SearchedTable,
    keys: readonly string[],
  ): AsyncGenerator<{ key: string; texts: RowText[] }> {
    for (let unread = [...keys]; unread.length > 0;) {
      const { items, hasMore } = await this.rows.readByKeys(table, unread);
      for (const { key, item } of items) yield { key, texts: toTexts(table, item) };
      if (!hasMore) return;
      const read = new Set(items.map(({ key }) => key));
      unread = unread.filter((key) => !read.has(key));
    }
  }

  /**
   * Keys of rows that exist for the caller, at most `limit` of each table.
   *
   * @param tables of `listVisibleTables`.
   */
  listKeys(tables: readonly SearchedTable[], limit: number): Promise<{ id: string; keys: string[] }[]> {
    return this.rows.listKeys(
      tables.map(({ table }) => table),
      limit,
    );
  }
}

/** Finds the table that a request names: by its ID, or by its entity and name such as `assets/Pumps`. */
export function findNamedTable(tables: readonly SearchedTable[], name: string): SearchedTable | undefined {
  const byId = tables.find(({ id }) => id === name.toLowerCase());
  const [path = '', ...rest] = name.split('/');
  if (byId || rest.length === 0 || !Object.hasOwn(ENTITY_BY_PATH, path)) return byId;
  const entity = ENTITY_BY_PATH[path as keyof typeof ENTITY_BY_PATH];
  const nameKey = normalizeName(rest.join('/'));
  return tables.find(({ table }) => table.entity === entity && (table.nameKey === nameKey || table.id === nameKey));
}

function toSearchedTable(table: CatalogTable): SearchedTable {
  const { id, name, entity, revision, changesSince } = table;
  return { id, name, entity, revision, changesSince, table, summary: toTableSummary(table) };
}

function toPosition({ revision, key }: { revision: number; key: string }): RowPosition {
  return { revision, key };
}

/** The texts of a row. Numbers, dates and checkboxes are omitted: filters find them. */
function toTexts({ columns, options }: CatalogTable, item: Record<string, unknown>): RowText[] {
  const name = getNameColumnKey(options);
  const key = getPrimaryKey(columns).key;
  return columns.flatMap((column) => {
    const text = item[column.key];
    if (typeof text !== 'string' || text === '') return [];
    const isKey = column.key === key;
    if (!isKey && (column.type === 'date' || getNativeType(column.type) !== 'text')) return [];
    return [{ column: column.key, text, isKey, isTitle: column.key === name }];
  });
}
