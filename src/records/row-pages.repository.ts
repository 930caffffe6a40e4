import type { Database } from '../platform/database/database.js';
import { type PageStatement, readPage, type Page } from '../../packages/sql/src/page-reader.js';
import {
  type CursorPosition,
  type CursorValue,
  KEY_TYPES,
  type KeyColumn,
  Keyset,
} from '../../packages/sql/src/keyset.js';
import type { PageQueryDto } from '../platform/http/page.dto.js';

interface RowPageQuery extends PageQueryDto {
  /** A column, with `-` before it for the descending order. */
  sort?: string;
  /** The IDs of the records, if they are not UUIDs. */
  idType?: Pick<KeyColumn, 'isValid'>;
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
  statement: PageStatement,
  { limit, cursor, sort = 'createdAt', idType = KEY_TYPES.uuid }: RowPageQuery,
): Promise<Page<T>> {
  const { column, descending } = parseSort(sort);
  const sortedIdentity = [identity, sort];
  const keyset = new Keyset([
    { sql: `record."${column}"`, descending, ...getSortType(column) },
    { sql: 'record.id', descending, ...idType },
  ]);
  const toPosition = (last: T) => [readSortValue(last, column), last.id];
  return readKeysetPage(database, sortedIdentity, statement, keyset, { limit, cursor }, toPosition);
}

/**
 * A page of the rows of a statement, whose alias is `record`.
 *
 * @throws {InvalidCursorError}
 */
export async function readKeysetPage<Row extends object>(
  database: Database,
  identity: unknown,
  { sql, parameters: before, sized }: PageStatement,
  keyset: Keyset,
  { limit, cursor }: PageQueryDto,
  toPosition: (last: Row) => CursorPosition,
): Promise<Page<Row>> {
  const parameters = [...before];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const condition = keyset.compileCondition(keyset.decode(identity, cursor), { bind });
  const ordered = `SELECT * FROM (${sql}) AS record WHERE ${condition} ORDER BY ${keyset.compileOrder()}`;
  const found = await readPage<Row>(database, { sql: ordered, parameters, sized }, limit);
  return keyset.toPage(found, identity, toPosition);
}

export function parseSort(sort: string): { column: string; descending: boolean } {
  return { column: sort.replace('-', ''), descending: sort.startsWith('-') };
}

export function readSortValue(record: object, column: string): CursorValue {
  const value = (record as Record<string, unknown>)[column];
  return value instanceof Date ? value.toISOString() : (value as CursorValue);
}

export function getSortType(column: string): Pick<KeyColumn, 'isValid'> {
  return column.endsWith('At') ? KEY_TYPES.instant : KEY_TYPES.text;
}
