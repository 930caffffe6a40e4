import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { UNPREPARED } from '../../platform/database/statement-options.js';
import { type CursorValue, cutPage, decodeCursor, InvalidCursorError } from '../../platform/http/cursor.js';
import type { Page } from '../../platform/http/page.dto.js';
import type { ListWorkspaceNotesDto, NoteSort } from './dto/list-notes.dto.js';
import { Note } from './note.entity.js';

/** Keys of rows, per table. */
type RowKeys = readonly { tableId: string; keys: readonly string[] }[];

/** Rows that the notes must reference. */
export interface NoteRowFilter {
  location?: RowKeys;
  asset?: RowKeys;
}

type Builder = SelectQueryBuilder<Note>;
type SortColumn = 'createdAt' | 'updatedAt' | 'dueDate';

const ONE_OF = ['status', 'priority', 'assignee', 'reporter'] as const;
const EQUAL = ['projectId', 'tagId', 'tourId', 'source', 'externalId'] as const;
const RANGES = {
  dueFrom: 'note.dueDate >= :dueFrom',
  dueTo: 'note.dueDate < :dueTo',
  updatedFrom: 'note.updatedAt >= :updatedFrom',
  updatedTo: 'note.updatedAt < :updatedTo',
} as const;

/**
 * The expression of the index `ix_notes_text`. Punctuation is replaced because the parser would otherwise read P-101 as
 * "P" and a negative number.
 */
const TEXT = `
  to_tsvector('simple', regexp_replace(coalesce(note.title, '') || ' ' || coalesce(note.description, ''), '[!-/:-@[-\`{-~]+', ' ', 'g'))`;

/** Searches notes by filters, full text and referenced rows. */
@Injectable()
export class NoteSearchRepository {
  constructor(private readonly database: Database) {}

  /** @throws {InvalidCursorError} */
  async findPage(
    workspaceIds: readonly string[],
    query: ListWorkspaceNotesDto,
    rows: NoteRowFilter,
  ): Promise<Page<Note>> {
    const { sort = '-createdAt', limit, cursor } = query;
    const identity = toCursorIdentity(workspaceIds, query);
    const builder = this.database.repository(Note).createQueryBuilder('note').comment(UNPREPARED);
    // With equality instead of ANY, the index also provides the order.
    if (workspaceIds.length === 1) builder.where('note.workspaceId = :workspaceId', { workspaceId: workspaceIds[0] });
    else builder.where('note.workspaceId = ANY (:workspaceIds)', { workspaceIds });
    addFilters(builder, query);
    addRowFilter(builder, 'location', rows.location);
    addRowFilter(builder, 'asset', rows.asset);
    addOrder(builder, sort);
    if (cursor !== undefined) addKeysetCondition(builder, sort, decodeCursor(identity, cursor, 2));
    return cutPage(await builder.limit(limit + 1).getMany(), limit, identity, (note) => toPosition(sort, note));
  }
}

/** All that determines the rows and their order. A cursor is valid only for the same identity. */
function toCursorIdentity(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): unknown {
  const conditions = Object.entries(query).filter(([name]) => !['limit', 'cursor', 'fields'].includes(name));
  return ['notes', [...workspaceIds].sort(), conditions.sort(([a], [b]) => (a < b ? -1 : 1))];
}

function addFilters(builder: Builder, query: ListWorkspaceNotesDto): void {
  const { archived = 'false', q } = query;
  if (archived !== 'all') builder.andWhere(`note.archivedAt IS ${archived === 'true' ? 'NOT ' : ''}NULL`);
  for (const field of ONE_OF)
    if (query[field]) builder.andWhere(`note.${field} = ANY (:${field})`, { [field]: query[field] });
  for (const field of EQUAL)
    if (query[field] !== undefined && query[field] !== null)
      builder.andWhere(`note.${field} = :${field}`, { [field]: query[field] });
  for (const field of Object.keys(RANGES) as (keyof typeof RANGES)[])
    if (query[field]) builder.andWhere(RANGES[field], { [field]: query[field] });
  if (!q) return;
  const words = q.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const prefixes = words.map((word) => `${word}:*`).join(' & ');
  builder.andWhere(`${TEXT} @@ to_tsquery('simple', :prefixes)`, { prefixes });
}

function addRowFilter(builder: Builder, field: keyof NoteRowFilter, rows: RowKeys | undefined): void {
  if (!rows) return;
  const pairs = rows.flatMap(({ tableId, keys }) => keys.map((key) => ({ tableId, key })));
  builder.andWhere(
    `(note.${field}TableId, note.${field}Key) IN (SELECT * FROM unnest(:${field}Tables::uuid[], :${field}Keys::text[]))`,
    { [`${field}Tables`]: pairs.map(({ tableId }) => tableId), [`${field}Keys`]: pairs.map(({ key }) => key) },
  );
}

/** Every order ends with the ID, so that it is total. IDs are UUIDs v7: their order is that of creation. */
function addOrder(builder: Builder, sort: NoteSort): void {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const column = toColumn(sort);
  if (column === 'updatedAt') builder.orderBy('note.updatedAt', direction);
  if (column === 'dueDate') builder.orderBy('note.dueDate', direction, 'NULLS LAST');
  builder.addOrderBy('note.id', direction);
}

/** Limits the result to the notes after the cursor position. @throws {InvalidCursorError} */
function addKeysetCondition(builder: Builder, sort: NoteSort, [value, id]: CursorValue[]): void {
  if (!isUuid(id)) throw new InvalidCursorError();
  if (value !== null && (typeof value !== 'string' || Number.isNaN(Date.parse(value)))) throw new InvalidCursorError();
  const operator = sort.startsWith('-') ? '<' : '>';
  const column = toColumn(sort);
  const byId = `note.id ${operator} :positionId`;
  const byValue = `(note.${column}, note.id) ${operator} (:positionValue::timestamptz, :positionId::uuid)`;
  const parameters = { positionValue: value, positionId: id };
  if (column === 'createdAt') builder.andWhere(byId, parameters);
  else if (column === 'updatedAt') builder.andWhere(byValue, parameters);
  else if (value === null) builder.andWhere(`note.dueDate IS NULL AND ${byId}`, parameters);
  else builder.andWhere(`(${byValue} OR note.dueDate IS NULL)`, parameters);
}

function toPosition(sort: NoteSort, note: Note): CursorValue[] {
  const column = toColumn(sort);
  return [column === 'createdAt' ? null : (note[column]?.toISOString() ?? null), note.id];
}

function toColumn(sort: NoteSort): SortColumn {
  return sort.replace('-', '') as SortColumn;
}
