import type { Database } from '../platform/database/database.js';
import { type PageStatement, readPage } from '../platform/database/page-reader.js';
import { isUuid } from '../platform/database/uuid.js';
import { type CursorValue, decodeCursor, InvalidCursorError, toPage } from '../platform/http/cursor.js';
import type { Page, PageQueryDto } from '../platform/http/page.dto.js';

/** The format of `Date.toISOString`. `Date.parse` accepts more than PostgreSQL does. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface RowPageQuery extends PageQueryDto {
  /** A column, with `-` before it for the descending order. */
  sort?: string;
  /** Checks the ID in a cursor, if the records have IDs that are not UUIDs. */
  isId?: (id: unknown) => boolean;
}

/**
 * A page of the rows of a statement, for records that are not stored as one entity.
 *
 * @param statement selects an `id` and the columns to sort by.
 * @param identity the values that determine which rows match; the cursor is bound to them.
 * @throws {InvalidCursorError}
 */
export async function getRowPage<T extends { id: string }>(
  database: Database,
  identity: unknown,
  { sql, parameters, sized }: PageStatement,
  { limit, cursor, sort = 'createdAt', isId = isUuid }: RowPageQuery,
): Promise<Page<T>> {
  const { column, direction, comparison } = parseSort(sort);
  const sortedIdentity = [identity, sort];
  let keysetCondition = '';
  let position: CursorValue[] = [];
  if (cursor !== undefined) {
    position = decodeCursor(sortedIdentity, cursor, 2);
    if (!isSortValue(column, position[0]!) || !isId(position[1])) throw new InvalidCursorError();
    const next = parameters.length + 1;
    keysetCondition = `WHERE (record."${column}", record.id) ${comparison} ($${next}, $${next + 1})`;
  }
  const ordered = `SELECT * FROM (${sql}) AS record ${keysetCondition}
                    ORDER BY record."${column}" ${direction}, record.id ${direction}`;
  const statement = { sql: ordered, parameters: [...parameters, ...position], sized };
  const found = await readPage<T>(database, statement, limit);
  return toPage(found, sortedIdentity, (last) => [readSortValue(last, column), last.id]);
}

/** `comparison` selects the rows after the cursor. */
export function parseSort(sort: string): { column: string; direction: 'ASC' | 'DESC'; comparison: '>' | '<' } {
  return sort.startsWith('-')
    ? { column: sort.slice(1), direction: 'DESC', comparison: '<' }
    : { column: sort, direction: 'ASC', comparison: '>' };
}

export function readSortValue(record: object, column: string): CursorValue {
  const value = (record as Record<string, unknown>)[column];
  return value instanceof Date ? value.toISOString() : (value as CursorValue);
}

export function isSortValue(column: string, value: CursorValue): boolean {
  if (typeof value !== 'string') return false;
  return column.endsWith('At') ? INSTANT.test(value) && !Number.isNaN(Date.parse(value)) : !value.includes('\0');
}
