import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { encodeCursor } from '../../../platform/http/cursor.js';
import { InvalidRequestError, NotFoundError } from '../../../platform/http/domain-error.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { ItemsPageDto, ItemsQueryDto } from './dto/items.dto.js';
import type { EntityKind } from '../entity-kind.js';
import { afterCursor, parseFields, parseSort, placeOf, queryIdentity } from './items-query.js';
import { ItemsRepository } from './items.repository.js';

/** Rows read back (specification, section 4.5). */
@Injectable()
export class ItemsService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly items: ItemsRepository,
    private readonly config: Config,
  ) {}

  /**
   * A page of a table's rows. Rows neither skip nor repeat while others write: a page begins after the last row of the
   * one before, by the values of that row.
   *
   * @param idOrName the table's id, or its name whatever its case.
   * @throws {NotFoundError | InvalidRequestError | InvalidQueryError | InvalidCursorError}
   */
  async page(workspaceId: string, entity: EntityKind, idOrName: string, query: ItemsQueryDto): Promise<ItemsPageDto> {
    return this.catalog.reading(() => this.read(workspaceId, entity, idOrName, query));
  }

  private async read(workspaceId: string, entity: EntityKind, idOrName: string, query: ItemsQueryDto) {
    const table = await this.catalog.find(workspaceId, entity, idOrName);
    if (!table) throw new NotFoundError('The table');
    const limit = this.limitOf(query);
    const order = parseSort(table.columns, query.sort);
    const fields = parseFields(table.columns, query.fields);
    const identity = queryIdentity(table.id, order, fields);
    const after = afterCursor(identity, order, query.cursor);
    // One row more than asked for tells whether there is a next page; the order's columns come along for its cursor.
    const read = [...new Set([...fields, ...order.map((term) => term.column)])];
    const rows = await this.items.page(table, read, order, after, limit + 1);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1);
    const nextCursor = hasMore && last ? encodeCursor(identity, placeOf(last, order)) : null;
    if (read.length > fields.length)
      for (const { column } of order) if (!fields.includes(column)) for (const row of rows) delete row[column.key];
    return { table: summaryOf(table), items: rows, hasMore, nextCursor, ...(await this.totalOf(table, query)) };
  }

  private limitOf({ limit = this.config.tables.pageDefaultItems }: ItemsQueryDto): number {
    const { pageMaxItems } = this.config.tables;
    if (Number.isInteger(limit) && limit >= 1 && limit <= pageMaxItems) return limit;
    const message = `limit must be a whole number from 1 to ${pageMaxItems}.`;
    throw new InvalidRequestError([{ field: 'limit', code: 'invalid_field', message }]);
  }

  private async totalOf(table: CatalogTable, { count }: ItemsQueryDto): Promise<{ total?: number }> {
    if (!count) return {};
    return { total: await (count === 'exact' ? this.items.count(table) : this.items.estimate(table)) };
  }
}

/** A table as answers name it. */
export function summaryOf({ id, name, entity, revision }: CatalogTable): ItemsPageDto['table'] {
  return { id, name, type: entity, revision };
}
