import { Injectable } from '@nestjs/common';
import { cutPage } from '../../../platform/http/cursor.js';
import { Config } from '../../../platform/config/config.js';
import { InvalidRequestError } from '../../../platform/http/domain-error.js';
import { CatalogRepository, type CatalogTable } from '../catalog/catalog.repository.js';
import { getColumn, getParentColumn } from '../catalog/column-finder.js';
import { toTableSummary } from '../catalog/dto/table-summary.dto.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/query-rows.dto.js';
import { getCursorPosition, parseCursor, splitList } from './order.js';
import { getQueryIdentity, parseQuery, type RowSelection } from './query-compiler.js';
import { QueryRowsRepository } from './query-rows.repository.js';
import { RowTitlesService } from './row-titles.service.js';

/** Pages of rows (specification, section 4.5). */
@Injectable()
export class QueryRowsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rows: QueryRowsRepository,
    private readonly titles: RowTitlesService,
    private readonly config: Config,
  ) {}

  /**
   * A page of rows. It starts after the last row of the previous page, by the values of that row: no row is skipped or
   * repeated under concurrent writes.
   *
   * @param isKnown does the caller have the page of this revision? It is then not read.
   * @returns the revision of the table, and the page unless the caller has it.
   * @throws {NotFoundError | InvalidRequestError | InvalidQueryError | InvalidCursorError}
   */
  list(
    ref: TableRef,
    query: ItemsQueryDto,
    isKnown: (revision: number) => boolean,
  ): Promise<{ revision: number; page?: ItemsPageDto }> {
    return this.catalog.read(ref, async (table) => {
      const { revision } = table;
      return isKnown(revision) ? { revision } : { revision, page: await this.getPage(table, query) };
    });
  }

  /** A page of the children of a row. The row itself may be absent. @throws as list(), and if the table has no hierarchy. */
  listChildren(ref: TableRef, parentKey: string, query: ItemsQueryDto): Promise<ItemsPageDto> {
    return this.catalog.read(ref, (table) => {
      const parent = getParentColumn(table, 'key').key;
      return this.getPage(table, { ...query, filter: { ...query.filter, [parent]: { eq: parentKey } } });
    });
  }

  private async getPage(table: CatalogTable, query: ItemsQueryDto): Promise<ItemsPageDto> {
    const limit = this.getLimit(query);
    const selection = parseQuery(table, query);
    const { fields, order } = selection;
    const expanded = splitList(query.expand).map((name) => getColumn(table.columns, 'expand', name));
    const identity = getQueryIdentity(selection);
    const after = query.cursor === undefined ? undefined : parseCursor(identity, order, query.cursor);
    // The cursor needs the columns of the order, and `expanded` those of its references.
    const columns = [...new Set([...fields, ...order.map((term) => term.column), ...expanded])];
    const rows = await this.rows.list(selection, columns, after, limit + 1);
    const page = cutPage(rows, limit, identity, (row) => getCursorPosition(row, order));
    const titles = expanded.length > 0 ? { expanded: await this.titles.getTitles(table, expanded, page.items) } : {};
    for (const { key } of columns.filter((column) => !fields.includes(column)))
      for (const row of page.items) delete row[key];
    const total = await this.countRows(selection, query, rows.length);
    return { table: toTableSummary(table), ...page, ...total, ...titles };
  }

  private getLimit({ limit = this.config.tables.pageDefaultItems }: ItemsQueryDto): number {
    const { pageMaxItems } = this.config.tables;
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageMaxItems) return limit;
    const message = `limit must be a whole number from 1 to ${pageMaxItems}.`;
    throw new InvalidRequestError([{ field: 'limit', code: 'invalid_field', message }]);
  }

  /** @param read the number of rows that were read: the estimate is at least that. */
  private async countRows(
    selection: RowSelection,
    { count }: ItemsQueryDto,
    read: number,
  ): Promise<{ total?: number }> {
    if (!count) return {};
    if (count === 'exact') return { total: await this.rows.count(selection) };
    return { total: Math.max(read, await this.rows.estimate(selection)) };
  }
}
