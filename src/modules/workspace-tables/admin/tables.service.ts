import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { type EntityKind, normalizeName } from '../catalog/entity-kind.js';
import { type CatalogTable, CatalogRepository } from '../catalog/catalog.repository.js';
import { hasOwnIndex } from '../catalog/column-indexes.js';
import type { CatalogColumn } from '../catalog/column-plan.js';
import { ColumnIndexDto, ListedTableDto, TableDto, TablesPageDto, TablesQueryDto } from './dto/tables.dto.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { type ListedTable, type TableFacts, TablesRepository } from './tables.repository.js';

/** Which tables there are, and what columns they have (specification, section 2.3). */
@Injectable()
export class TablesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly tables: TablesRepository,
  ) {}

  /** A page of the tables, by name. @throws {InvalidCursorError} */
  async page(
    workspaceId: string,
    entity: EntityKind,
    { limit, cursor, q = '' }: TablesQueryDto,
  ): Promise<TablesPageDto> {
    const part = normalizeName(q);
    const identity = ['tables', workspaceId, entity, part];
    const after = cursor === undefined ? undefined : nameIn(decodeCursor(identity, cursor, 1)[0]);
    // One more than asked for tells whether there is a next page.
    const found = await this.tables.list(workspaceId, entity, { part, after, limit: limit + 1 });
    const hasMore = found.length > limit;
    const items = found.slice(0, limit);
    const nextCursor = hasMore ? encodeCursor(identity, [items.at(-1)!.nameKey]) : null;
    return { items: items.map(listed), hasMore, nextCursor };
  }

  /** @throws {NotFoundError} */
  async get({ workspaceId, entity, table: idOrName }: TableRef): Promise<TableDto> {
    const table = await this.catalog.find(workspaceId, entity, idOrName);
    if (!table) throw new NotFoundError('The table');
    return this.describe(table);
  }

  /** The table as callers read it. @throws {NotFoundError} where it is gone by now. */
  async describe(table: CatalogTable): Promise<TableDto> {
    const facts = await this.tables.findFacts(table);
    if (!facts) throw new NotFoundError('The table');
    const { id, name, entity: type, revision, columns } = table;
    return {
      id,
      name,
      type,
      revision,
      columnCount: columns.length,
      createdAt: facts.createdAt.toISOString(),
      updatedAt: facts.updatedAt.toISOString(),
      columns: columns.map(({ ordinal, ...column }) => ({ ...column, index: indexOf({ ordinal, ...column }, facts) })),
    };
  }
}

function listed({ id, name, type, revision, columnCount, createdAt, updatedAt }: ListedTable): ListedTableDto {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, name, type, revision, columnCount, ...times };
}

/** A cursor comes from outside. */
function nameIn(value: unknown): string {
  if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) throw new InvalidCursorError();
  return value;
}

function indexOf(column: CatalogColumn, { indexes }: TableFacts): ColumnIndexDto | null {
  if (hasOwnIndex(column)) return { state: 'ready', message: null };
  const index = indexes.find(({ ordinal }) => ordinal === column.ordinal);
  return index && index.state !== 'dropping' ? { state: index.state, message: index.message } : null;
}
