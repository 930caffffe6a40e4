import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { encodeCursor } from '../../../platform/http/cursor.js';
import { InvalidRequestError, NotFoundError } from '../../../platform/http/domain-error.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import type { EntityKind } from '../entity-kind.js';
import { RowTitlesService } from '../rows/row-titles.service.js';
import { ItemsPageDto, ItemsQueryDto, type TableSummaryDto } from './dto/items.dto.js';
import { names, getColumn, placeOf, readCursor } from './items-query.js';
import { ItemsRepository } from './items.repository.js';
import { identityOf, type RowSelection, selectRows } from './row-selection.js';

/** Rows read back (specification, section 4.5). */
@Injectable()
export class ItemsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly items: ItemsRepository,
    private readonly titles: RowTitlesService,
    private readonly config: Config,
  ) {}

  /** @param idOrName the table's id, or its name whatever its case. @throws {NotFoundError} */
  getTable(workspaceId: string, entity: EntityKind, idOrName: string): Promise<CatalogTable> {
    return getTable(this.catalog, workspaceId, entity, idOrName);
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
    const total = await this.totalOf(selection, query);
    return { table: summaryOf(table), items: rows, hasMore, nextCursor, ...total, ...titles };
  }

  private limitOf({ limit = this.config.tables.pageDefaultItems }: ItemsQueryDto): number {
    const { pageMaxItems } = this.config.tables;
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageMaxItems) return limit;
    const message = `limit must be a whole number from 1 to ${pageMaxItems}.`;
    throw new InvalidRequestError([{ field: 'limit', code: 'invalid_field', message }]);
  }

  private async totalOf(selection: RowSelection, { count }: ItemsQueryDto): Promise<{ total?: number }> {
    if (!count) return {};
    return { total: await (count === 'exact' ? this.items.count(selection) : this.items.estimate(selection)) };
  }
}

/** @throws {NotFoundError} */
export async function getTable(
  catalog: CatalogRepository,
  workspaceId: string,
  entity: EntityKind,
  idOrName: string,
): Promise<CatalogTable> {
  const table = await catalog.find(workspaceId, entity, idOrName);
  if (!table) throw new NotFoundError('The table');
  return table;
}

/** A table as answers name it. */
export function summaryOf({ id, name, entity, revision }: CatalogTable): TableSummaryDto {
  return { id, name, type: entity, revision };
}
