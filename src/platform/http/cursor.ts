import { createHash } from 'node:crypto';
import type { RowPage } from '../database/page-reader.js';
import { DomainError } from './domain-error.js';
import type { Page } from './page.dto.js';
import { HTTP_ERRORS } from './http.errors.js';

/** A value of a sort column in a cursor. */
export type CursorValue = string | number | boolean | null;

/** The cursor is malformed or belongs to another query. */
export class InvalidCursorError extends DomainError {
  constructor() {
    super(HTTP_ERRORS.invalid_cursor);
  }
}

/**
 * The start of the next page: the values of the last row's sort columns, bound to the query.
 *
 * @param query everything that determines the rows and their order; a cursor of another query is rejected.
 */
export function encodeCursor(query: unknown, values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify([fingerprint(query), ...values])).toString('base64url');
}

/** @throws {InvalidCursorError} */
export function decodeCursor(query: unknown, cursor: string, count: number): CursorValue[] {
  const parts = parse(cursor);
  if (
    !Array.isArray(parts) ||
    parts.length !== count + 1 ||
    parts[0] !== fingerprint(query) ||
    !parts.every(isCursorValue)
  ) {
    throw new InvalidCursorError();
  }
  return parts.slice(1);
}

/** @param identity the query that the cursor is bound to. */
export function toPage<Row>(
  { items, hasMore }: RowPage<Row>,
  identity: unknown,
  getPosition: (row: Row) => CursorValue[],
): Page<Row> {
  return { items, hasMore, nextCursor: hasMore ? encodeCursor(identity, getPosition(items.at(-1)!)) : null };
}

/** Characters of a cursor. It contains the values of sort columns of one row. */
const MAX_LENGTH = 256 * 1024;

function parse(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}

function fingerprint(query: unknown): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 12);
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
