import { type CursorValue, decodeCursor, encodeCursor, InvalidCursorError } from '../../../platform/http/cursor.js';

/** Makes a page of rows of which one more than `limit` was read, to detect whether another page follows. */
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

/** The position of lists that are ordered by an integer and a row key. @throws {InvalidCursorError} */
export function decodeNumberAndKey(identity: unknown, cursor: string): { number: number; key: string } {
  const [number, key] = decodeCursor(identity, cursor, 2);
  if (!Number.isSafeInteger(number) || typeof key !== 'string' || !isStorable(key)) throw new InvalidCursorError();
  return { number: number as number, key };
}

/** Cursors are untrusted input: PostgreSQL rejects U+0000 and lone surrogates in a parameter. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
