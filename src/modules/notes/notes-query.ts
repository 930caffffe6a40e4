import { type CursorValue, decodeCursor, InvalidCursorError } from '../../platform/http/cursor.js';
import type { ListWorkspaceNotesDto, NoteSort } from './dto/list-notes.dto.js';

/** Rows of tables that notes are looked for at, found by the keys that the caller named. */
export interface RowsNamed {
  location?: readonly { tableId: string; keys: readonly string[] }[];
  asset?: readonly { tableId: string; keys: readonly string[] }[];
}

/** A part of a WHERE clause; its parameters are numbered on from those before. */
class Conditions {
  readonly parameters: unknown[] = [];
  private readonly all: string[] = [];

  /** `?` stands for the values, one after the other. */
  add(sql: string, ...values: unknown[]): void {
    this.all.push(
      sql.replace(/\?/g, () => {
        this.parameters.push(values.shift());
        return `$${this.parameters.length}`;
      }),
    );
  }

  get sql(): string {
    return this.all.join(' AND ');
  }
}

/** Columns whose values may be one of several. */
const ONE_OF = { status: 'status', priority: 'priority', assignee: 'assignee', reporter: 'reporter' } as const;
const EQUAL = {
  projectId: 'project_id',
  tagId: 'tag_id',
  tourId: 'tour_id',
  source: 'source',
  externalId: 'external_id',
} as const;
const RANGES = { dueFrom: 'due_date >=', dueTo: 'due_date <', updatedFrom: 'updated_at >=', updatedTo: 'updated_at <' };

/** The text that is looked for, as the index has it: else P-101 would be a P and a negative number. */
const NOTE_TEXT = `
  to_tsvector('simple', regexp_replace(coalesce(title, '') || ' ' || coalesce(description, ''), '[!-/:-@[-\`{-~]+', ' ', 'g'))`;

/** What decides which notes come in which order; a cursor is bound to it. */
export function identityOf(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): unknown {
  const conditions = Object.entries(query).filter(([name]) => !['limit', 'cursor', 'fields'].includes(name));
  return ['notes', [...workspaceIds].sort(), conditions.sort(([a], [b]) => (a < b ? -1 : 1))];
}

/** The statement that reads a page of ids and what they are sorted by. @throws {InvalidCursorError} */
export function pageSql(
  columns: string,
  workspaceIds: readonly string[],
  query: ListWorkspaceNotesDto,
  rows: RowsNamed,
) {
  const where = new Conditions();
  // One workspace is asked for by name, so that the index gives its order too.
  if (workspaceIds.length === 1) where.add('workspace_id = ?', workspaceIds[0]);
  else where.add('workspace_id = ANY (?::uuid[])', workspaceIds);
  filter(where, query, rows);
  const sort = query.sort ?? '-createdAt';
  if (query.cursor !== undefined) after(where, sort, decodeCursor(identityOf(workspaceIds, query), query.cursor, 2));
  const sql = `SELECT ${columns} FROM notes WHERE ${where.sql} ORDER BY ${orderOf(sort)} LIMIT ${query.limit + 1}`;
  return { sql, parameters: where.parameters };
}

function filter(where: Conditions, query: ListWorkspaceNotesDto, rows: RowsNamed): void {
  const { archived = 'false', q } = query;
  if (archived !== 'all') where.add(`archived_at IS ${archived === 'true' ? 'NOT ' : ''}NULL`);
  for (const [field, column] of Object.entries(ONE_OF)) {
    const values = query[field as keyof typeof ONE_OF];
    if (values) where.add(`${column} = ANY (?::text[])`, values);
  }
  for (const [field, column] of Object.entries(EQUAL)) {
    const value = query[field as keyof typeof EQUAL];
    if (value !== undefined && value !== null) where.add(`${column} = ?`, value);
  }
  for (const [field, comparison] of Object.entries(RANGES)) {
    const value = query[field as keyof typeof RANGES];
    if (value) where.add(`${comparison} ?`, value);
  }
  for (const place of ['location', 'asset'] as const) {
    const found = rows[place];
    if (found) {
      const pairs = found.flatMap(({ tableId, keys }) => keys.map((key) => ({ tableId, key })));
      where.add(
        `(${place}_table_id, ${place}_key) IN (SELECT * FROM unnest(?::uuid[], ?::text[]))`,
        pairs.map(({ tableId }) => tableId),
        pairs.map(({ key }) => key),
      );
    }
  }
  const words = q?.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  if (q) where.add(`${NOTE_TEXT} @@ to_tsquery('simple', ?)`, words.map((word) => `${word}:*`).join(' & '));
}

/** Each order ends in the id, so that no two notes stand at one place. */
function orderOf(sort: NoteSort): string {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const column = { createdAt: '', updatedAt: 'updated_at', dueDate: 'due_date' }[nameOf(sort)];
  return [...(column ? [`${column} ${direction} NULLS LAST`] : []), `id ${direction}`].join(', ');
}

/** The notes behind a place in the order. */
function after(where: Conditions, sort: NoteSort, [value, id]: CursorValue[]): void {
  if (typeof id !== 'string' || !/^[0-9a-f-]{36}$/.test(id)) throw new InvalidCursorError();
  if (value !== null && (typeof value !== 'string' || Number.isNaN(Date.parse(value)))) throw new InvalidCursorError();
  const beyond = sort.startsWith('-') ? '<' : '>';
  const name = nameOf(sort);
  if (name === 'createdAt') where.add(`id ${beyond} ?::uuid`, id);
  else if (name === 'updatedAt') where.add(`(updated_at, id) ${beyond} (?::timestamptz, ?::uuid)`, value, id);
  else if (value === null) where.add(`due_date IS NULL AND id ${beyond} ?::uuid`, id);
  else where.add(`((due_date, id) ${beyond} (?::timestamptz, ?::uuid) OR due_date IS NULL)`, value, id);
}

/** The value of a note that its place in the order is known by. */
export function placeOf(sort: NoteSort, note: { updatedAt: Date; dueDate: Date | null }): string | null {
  const name = nameOf(sort);
  return name === 'createdAt' ? null : (note[name]?.toISOString() ?? null);
}

function nameOf(sort: NoteSort): 'createdAt' | 'updatedAt' | 'dueDate' {
  return sort.replace('-', '') as 'createdAt' | 'updatedAt' | 'dueDate';
}
