import { type CursorValue, decodeCursor, encodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';
import { isStorable } from '../../../platform/http/validation/text.decorators.js';

/**
 * Makes a page of rows of which one more than `limit` was read, to detect whether another page follows.
 *
 * @param identity the query that the cursor is bound to.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  identity: unknown,
  getPosition: (row: Row) => CursorValue[],
): { items: Row[]; hasMore: boolean; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return { items, hasMore, nextCursor: hasMore ? encodeCursor(identity, getPosition(items.at(-1)!)) : null };
}

/** The cursor of a list that is ordered by a name. @throws {InvalidCursorError} */
export function decodeName(identity: unknown, cursor: string): string {
  const [name] = decodeCursor(identity, cursor, 1);
  if (typeof name !== 'string' || !isStorable(name)) throw new InvalidCursorError();
  return name;
}

/** The cursor of a list that is ordered by an integer and a row key. @throws {InvalidCursorError} */
export function decodeNumberAndKey(identity: unknown, cursor: string): { number: number; key: string } {
  const [number, key] = decodeCursor(identity, cursor, 2);
  if (!Number.isSafeInteger(number) || typeof key !== 'string' || !isStorable(key)) throw new InvalidCursorError();
  return { number: number as number, key };
}
