import { Injectable } from '@nestjs/common';
import { decodeCursor, encodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { NotFoundError } from '../../../platform/http/domain-error.js';
import { CatalogRepository } from '../catalog/catalog.repository.js';
import { coerceKey, isReference } from '../catalog/column-types.js';
import { getParentColumn } from '../catalog/subtree.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { RevisionGoneError, UnknownRevisionError } from '../workspace-tables.errors.js';
import {
  type ChangesPageDto,
  ChangesQueryDto,
  type ItemDto,
  type ItemPathDto,
  type UnresolvedPageDto,
  UnresolvedQueryDto,
} from './dto/row.dto.js';
import { RowRepository, MAX_LEVELS } from './row.repository.js';
import { getColumn } from '../query/row-order.js';
import { toTableSummary } from '../query/query-rows.service.js';

/** Single rows, where they stand, and what changed since. */
@Injectable()
export class RowService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly items: RowRepository,
  ) {}

  /** @throws {NotFoundError} */
  get(path: TableRef, sentKey: string): Promise<ItemDto> {
    return this.catalog.read(path, async (table) => {
      const found = await this.items.find(table, keyOf(sentKey));
      if (!found) throw new NotFoundError('The row');
      return { table: toTableSummary(table), ...found };
    });
  }

  /** @throws {NotFoundError | InvalidQueryError} */
  path(path: TableRef, sentKey: string): Promise<ItemPathDto> {
    return this.catalog.read(path, async (table) => {
      const steps = await this.items.path(table, getParentColumn(table, 'key'), keyOf(sentKey));
      if (steps.length === 0) throw new NotFoundError('The row');
      const shown = steps.slice(0, MAX_LEVELS).map(({ key, title }) => ({ key, title }));
      const truncated = steps.length > MAX_LEVELS;
      const unresolvedParent = truncated ? null : steps.at(-1)!.parent;
      return { table: toTableSummary(table), path: shown.reverse(), unresolvedParent, truncated };
    });
  }

  /**
   * Rows that were written or deleted since a revision, each once, as they are now. What is written while a caller reads
   * page after page comes on a later page, or the next time.
   *
   * @throws {RevisionGoneError} where rows deleted since then are forgotten by now. @throws {UnknownRevisionError | InvalidCursorError}
   */
  changes(path: TableRef, { since, limit, cursor }: ChangesQueryDto): Promise<ChangesPageDto> {
    return this.catalog.read(path, async (table) => {
      if (since > table.revision) throw new UnknownRevisionError(since, table.revision);
      // Who knows nothing misses nothing that is gone.
      if (since > 0 && since < table.changesSince) throw new RevisionGoneError(since, table.changesSince);
      const identity = ['changes', table.id, since];
      const rows = await this.items.changes(table, since, cursor ? placeOf(identity, cursor) : undefined, limit + 1);
      const hasMore = rows.length > limit;
      if (hasMore) rows.pop();
      const last = rows.at(-1);
      return {
        table: toTableSummary(table),
        items: rows.map((row) => ({ ...row, item: row.deleted ? null : row.item })),
        hasMore,
        nextCursor: hasMore && last ? encodeCursor(identity, [last.revision, last.key]) : null,
        revision: hasMore ? null : table.revision,
      };
    });
  }

  /** Links whose target is not there. @throws {InvalidQueryError | InvalidCursorError} */
  unresolved(path: TableRef, { column, limit, cursor }: UnresolvedQueryDto): Promise<UnresolvedPageDto> {
    return this.catalog.read(path, async (table) => {
      const links = table.columns.filter(({ type }) => isReference(type));
      const chosen = column === undefined ? links : [getColumn(table.columns, 'column', column)];
      const tables = await this.catalog.listAll(table.workspaceId);
      const identity = ['unresolved', table.id, chosen.map(({ key }) => key)];
      const place = cursor ? placeOf(identity, cursor) : undefined;
      const after = place && { ordinal: place.revision, key: place.key };
      const asked = chosen.filter(({ type }) => isReference(type));
      const rows = await this.items.unresolved(table, asked, tables, after, limit + 1);
      const hasMore = rows.length > limit;
      if (hasMore) rows.pop();
      const last = rows.at(-1);
      return {
        table: toTableSummary(table),
        items: rows.map(({ key, column, value }) => ({ key, column, value })),
        hasMore,
        nextCursor: hasMore && last ? encodeCursor(identity, [last.ordinal, last.key]) : null,
      };
    });
  }
}

/** The key as it is stored; what cannot be a key is no row's. @throws {NotFoundError} */
export function keyOf(sent: string): string {
  const key = coerceKey(sent);
  if (typeof key === 'string') return key;
  throw new NotFoundError('The row');
}

/** A number and a key. @throws {InvalidCursorError} */
function placeOf(identity: unknown, cursor: string): { revision: number; key: string } {
  const [revision, key] = decodeCursor(identity, cursor, 2);
  if (!Number.isSafeInteger(revision) || typeof key !== 'string' || key.includes('\0') || !key.isWellFormed())
    throw new InvalidCursorError();
  return { revision: revision as number, key };
}
