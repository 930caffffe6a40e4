import type { FindOptionsWhere, ObjectLiteral } from 'typeorm';
import { In, MoreThan } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { decodeCursor, encodeCursor, InvalidCursorError } from '../http/cursor.js';
import type { Page, PageQueryDto } from '../http/page.dto.js';
import type { Database } from './database.js';

interface Owned extends ObjectLiteral {
  id: string | number;
  workspaceId: string;
}

/**
 * A page of the records in the workspaces that match, oldest first: ids are UUID v7, or counted, so their order is that
 * of creation, and records made meanwhile come on later pages.
 */
export async function pageRecords<T extends Owned>(
  database: Database,
  entity: new () => T,
  workspaceIds: readonly string[],
  filter: FindOptionsWhere<T>,
  { limit, cursor }: PageQueryDto,
): Promise<Page<T>> {
  const query = [entity.name, [...workspaceIds].sort(), filter];
  const [after] = cursor === undefined ? [] : decodeCursor(query, cursor, 1);
  if (after !== undefined && !isIdOf(database, entity, after)) throw new InvalidCursorError();
  const found = await database.manager.find<Owned>(entity, {
    where: { ...filter, workspaceId: In([...workspaceIds]), ...(after === undefined ? {} : { id: MoreThan(after) }) },
    order: { id: 'ASC' },
    take: limit + 1,
  });
  const items = found.slice(0, limit) as T[];
  const hasMore = found.length > limit;
  return { items, hasMore, nextCursor: hasMore ? encodeCursor(query, [items.at(-1)!.id]) : null };
}

/** Whoever makes up a cursor is told so by us, and not by PostgreSQL. */
function isIdOf(database: Database, entity: new () => ObjectLiteral, value: unknown): boolean {
  const { type } = database.manager.dataSource.getMetadata(entity).findColumnWithPropertyName('id')!;
  return type === 'uuid' ? isUuid(value) : typeof value === 'number' && value === (value | 0);
}
