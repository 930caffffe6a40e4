import { Brackets, type FindOptionsWhere, In, IsNull, Not, type SelectQueryBuilder } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Database } from '../platform/database/database.js';
import { type CursorValue, decodeCursor, encodeCursor, InvalidCursorError } from '../platform/http/cursor.js';
import type { Page } from '../platform/http/page.dto.js';
import type { KeptRecord } from './kept-record.js';
import type { RecordQueryDto } from './record-query.dto.js';

/** As Date writes it; it reads much else, which PostgreSQL does not. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a list needs to know of its records. */
export interface ListedKind<T extends KeptRecord> {
  entity: new () => T;
  /** Columns of text that `q` looks into. */
  searched: readonly (keyof T & string)[];
}

/** A page of the workspaces' records that match, in the order asked for. @throws {InvalidCursorError} */
export async function pageOfRecords<T extends KeptRecord>(
  database: Database,
  kind: ListedKind<T>,
  workspaceIds: readonly string[],
  query: RecordQueryDto,
  filter: FindOptionsWhere<T> | FindOptionsWhere<T>[],
): Promise<Page<T>> {
  const { limit, cursor, sort = 'createdAt', archived = 'false', q, externalId } = query;
  const identity = [kind.entity.name, [...workspaceIds].sort(), filter, sort, archived, q, externalId];
  const also = {
    workspaceId: In([...workspaceIds]),
    ...(externalId === undefined ? {} : { externalId }),
    ...(archived === 'all' ? {} : { archivedAt: archived === 'true' ? Not(IsNull()) : IsNull() }),
  } as FindOptionsWhere<T>;
  const where = (Array.isArray(filter) ? filter : [filter]).map((each) => ({ ...each, ...also }));
  const builder = database.manager.createQueryBuilder(kind.entity, 'record').where(where);
  if (q) search(builder, kind.searched, q);
  const [column, direction, beyond] = directionOf(sort);
  // Each order ends in the id, so that no two records stand at one place; ids are in the order of creation.
  if (column !== 'createdAt') builder.orderBy(`record.${column}`, direction);
  builder.addOrderBy('record.id', direction);
  if (cursor !== undefined) {
    const [value, id] = decodeCursor(identity, cursor, 2) as [CursorValue, CursorValue];
    const isPlace = column === 'createdAt' ? value === null : isValueOf(column, value);
    if (!isIdOf(database, kind.entity, id) || !isPlace) throw new InvalidCursorError();
    if (column === 'createdAt') builder.andWhere(`record.id ${beyond} :id`, { id });
    else builder.andWhere(`(record.${column}, record.id) ${beyond} (:value, :id)`, { value, id });
  }
  const found = await builder.limit(limit + 1).getMany();
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  return { items, hasMore, nextCursor: hasMore && last ? encodeCursor(identity, placeOf(last, column)) : null };
}

/** A statement whose rows have an id, and what they can be sorted by. */
export interface RowsFound {
  sql: string;
  parameters: readonly unknown[];
}

/**
 * The same for what no entity has as it is read: a page of a statement's rows.
 *
 * @param identity what decides which rows are found; the cursor is bound to it. @throws {InvalidCursorError}
 */
export async function pageOfRows<T extends { id: string }>(
  database: Database,
  identity: unknown,
  { sql, parameters }: RowsFound,
  { limit, cursor, sort = 'createdAt' }: Pick<RecordQueryDto, 'limit' | 'cursor' | 'sort'>,
): Promise<Page<T>> {
  const [column, direction, beyond] = directionOf(sort);
  const bound = [identity, sort];
  let after = '';
  let place: CursorValue[] = [];
  if (cursor !== undefined) {
    place = decodeCursor(bound, cursor, 2);
    if (!isValueOf(column, place[0]!) || !isUuid(place[1])) throw new InvalidCursorError();
    const next = parameters.length + 1;
    after = `WHERE (record."${column}", record.id) ${beyond} ($${next}, $${next + 1})`;
  }
  const found = await database.query<T>(
    `SELECT * FROM (${sql}) AS record ${after}
      ORDER BY record."${column}" ${direction}, record.id ${direction} LIMIT ${limit + 1}`,
    [...parameters, ...place],
  );
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  return { items, hasMore, nextCursor: hasMore && last ? encodeCursor(bound, sortedAt(last, column)) : null };
}

/** The page with those fields alone that are wanted. */
export function withFields<T extends object>(page: Page<T>, fields: readonly string[] | undefined): Page<Partial<T>> {
  if (!fields) return page;
  const items = page.items.map(
    (item) => Object.fromEntries(fields.map((field) => [field, item[field as keyof T]])) as Partial<T>,
  );
  return { ...page, items };
}

/** `q` as a pattern of ILIKE: it stands somewhere, and means itself. */
export function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

function search<T extends KeptRecord>(builder: SelectQueryBuilder<T>, columns: readonly string[], text: string): void {
  const pattern = patternOf(text);
  builder.andWhere(
    new Brackets((any) => {
      for (const column of columns) any.orWhere(`record.${column} ILIKE :pattern`, { pattern });
    }),
  );
}

function directionOf(sort: string): [column: string, direction: 'ASC' | 'DESC', beyond: '>' | '<'] {
  return sort.startsWith('-') ? [sort.slice(1), 'DESC', '<'] : [sort, 'ASC', '>'];
}

function placeOf(record: KeptRecord, column: string): CursorValue[] {
  return column === 'createdAt' ? [null, record.id] : sortedAt(record, column);
}

function sortedAt(record: { id: string | number }, column: string): CursorValue[] {
  const value = (record as unknown as Record<string, unknown>)[column];
  return [value instanceof Date ? value.toISOString() : (value as CursorValue), record.id];
}

/** Whoever makes up a cursor is told so by us, and not by PostgreSQL. */
function isIdOf(database: Database, entity: new () => object, id: CursorValue): boolean {
  const { type } = database.manager.dataSource.getMetadata(entity).findColumnWithPropertyName('id')!;
  return type === 'uuid' ? isUuid(id) : typeof id === 'number' && id === (id | 0);
}

function isValueOf(column: string, value: CursorValue): boolean {
  if (typeof value !== 'string') return false;
  return column.endsWith('At') ? INSTANT.test(value) && !Number.isNaN(Date.parse(value)) : !value.includes('\0');
}
