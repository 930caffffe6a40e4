import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { encodeCursor } from '../../../platform/http/cursor.js';
import { InvalidRequestError } from '../../../platform/http/domain-error.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { toTableSummary } from '../catalog/dto/table.dto.js';
import { getParentColumn } from '../catalog/subtree.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { RowTitlesService } from './row-titles.service.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { getColumn } from '../catalog/column-finder.js';
import { names, placeOf, readCursor } from './row-order.js';
import { QueryRowsRepository } from './query-rows.repository.js';
import { identityOf, type RowSelection, selectRows } from './row-selection.js';

/** Rows read back (specification, section 4.5). */
@Injectable()
export class QueryRowsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly items: QueryRowsRepository,
    private readonly titles: RowTitlesService,
    private readonly config: Config,
  ) {}

  /** Runs work that finds a table and reads its rows; again where it is dropped or changed in between. */
  reading<T>(work: () => Promise<T>): Promise<T> {
    return this.catalog.readWithRetry(work);
  }

  /** @throws {NotFoundError} */
  getTable(path: TableRef): Promise<CatalogTable> {
    return this.catalog.get(path);
  }

  /**
   * A page of a table's rows. Rows neither skip nor repeat while others write: a page begins after the last row of the
   * one before, by the values of that row.
   *
   * @throws {InvalidRequestError | InvalidQueryError | InvalidCursorError}
   */
  async page(table: CatalogTable, query: ItemsQueryDto): Promise<ItemsPageDto> {
    const limit = this.limitOf(query);
    const selection = selectRows(table, query);
    const { fields, order } = selection;
    const expanded = names(query.expand).map((name) => getColumn(table.columns, 'expand', name));
    const identity = identityOf(selection);
    const after = query.cursor === undefined ? undefined : readCursor(identity, order, query.cursor);
    // One row more than asked for tells whether there is a next page; the order's columns come along for its cursor.
    const read = [...new Set([...fields, ...order.map((term) => term.column), ...expanded])];
    const rows = await this.items.page(selection, read, after, limit + 1);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1);
    const nextCursor = hasMore && last ? encodeCursor(identity, placeOf(last, order)) : null;
    const titles = expanded.length > 0 ? { expanded: await this.titles.of(table, expanded, rows) } : {};
    const beside = read.filter((column) => !fields.includes(column));
    for (const { key } of beside) for (const row of rows) delete row[key];
    const total = await this.totalOf(selection, query, rows.length + Number(hasMore));
    return { table: toTableSummary(table), items: rows, hasMore, nextCursor, ...total, ...titles };
  }

  /** The same of the rows directly below one, which need not be there. */
  children(path: TableRef, sentKey: string, query: ItemsQueryDto): Promise<ItemsPageDto> {
    return this.catalog.read(path, (table) => {
      const parent = getParentColumn(table, 'key').key;
      return this.page(table, { ...query, filter: { ...query.filter, [parent]: { eq: sentKey } } });
    });
  }

  private limitOf({ limit = this.config.tables.pageDefaultItems }: ItemsQueryDto): number {
    const { pageMaxItems } = this.config.tables;
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageMaxItems) return limit;
    const message = `limit must be a whole number from 1 to ${pageMaxItems}.`;
    throw new InvalidRequestError([{ field: 'limit', code: 'invalid_field', message }]);
  }

  /** @param seen rows that are there for certain, whatever is estimated. */
  private async totalOf(selection: RowSelection, { count }: ItemsQueryDto, seen: number): Promise<{ total?: number }> {
    if (!count) return {};
    if (count === 'exact') return { total: await this.items.count(selection) };
    return { total: Math.max(seen, await this.items.estimate(selection)) };
  }
}
