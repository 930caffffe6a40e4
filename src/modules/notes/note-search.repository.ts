import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { RecordsById } from '../../platform/database/entity-columns.js';
import { readPage, type RowPage, type Page } from '../../../packages/sql/src/page-reader.js';
import { type CursorPosition, KEY_TYPES, Keyset } from '../../../packages/sql/src/keyset.js';
import { compileFilters as compileExpressions } from '../../../packages/tables/src/reader/filter-compiler.js';
import { findConstant } from '../../../packages/tables/src/reader/filter-expression.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import { refersToRow, type RowKeys } from '../../records/row-references.js';
import type { ListWorkspaceNotesDto, NoteSort } from './dto/list-notes.dto.js';
import { NoteColumns } from './note-columns.js';
import { buildWordQuery, PREFIX_LENGTH } from './note-words.js';
import { normalizeStatus } from './note-status.js';
import type { NoteFilter } from './note-table.js';
import type { Note } from './note.entity.js';

/** The locations at which notes of a workspace are permitted. */
export interface PermittedLocations {
  workspaceId: string;
  /** A location must be in each. */
  subtrees: readonly (readonly RowKeys[])[];
}

/** Rows that the notes must reference. */
export interface NoteRowFilter {
  /** A note must be at a row, or at one of the tags, of each. */
  locations?: { rows: readonly RowKeys[]; tagIds: readonly number[] }[];
  asset?: readonly RowKeys[];
  /** The permitted locations in the workspaces in which access policies limit the notes of the caller. */
  permitted?: readonly PermittedLocations[];
  /** Conditions in the language of tables. */
  filter?: NoteFilter;
  /** Only these notes. */
  ids?: readonly string[];
}

/** The filters of a list. */
export type NoteConditions = Omit<ListWorkspaceNotesDto, keyof PageQueryDto>;

/** The fields of a list that select notes by their columns. */
const ONE_OF = {
  status: 'status',
  type: 'type',
  priority: 'priority',
  category: 'category',
  workCenter: 'work_center',
  assignee: 'assignee',
  reporter: 'reporter',
} as const;

/** Parts of the statements of one search. The alias of the notes is `note`. */
interface Search {
  /** Conditions of the filters, without workspaces, cursor and text. */
  filters: string[];
  /** What FROM needs after the notes. */
  join: string;
  /** The condition for the notes after the cursor. */
  following: string;
  keyset: Keyset;
  /** Adds a parameter. @returns its placeholder. */
  bind: (value: unknown) => string;
  parameters: unknown[];
}

const EQUAL = {
  projectId: 'project_id',
  tagId: 'tag_id',
  tourId: 'tour_id',
  source: 'source',
  externalId: 'external_id',
  number: 'number',
} as const;
const RANGES = {
  dueFrom: 'note.due_date >=',
  dueTo: 'note.due_date <',
  updatedFrom: 'note.updated_at >=',
  updatedTo: 'note.updated_at <',
} as const;
/** A text that names the number of a note, such as `#12`. */
const NUMBER = /^\s*#(\d{1,15})\s*$/;
/** Each order ends with the ID, so that it is total. IDs are UUIDs v7: their order is that of creation. */
const SORT_COLUMNS = {
  createdAt: KEY_TYPES.null,
  updatedAt: { sql: 'note.updated_at', ...KEY_TYPES.instant },
  dueDate: { sql: 'note.due_date', isNullLast: true, ...KEY_TYPES.instantOrNull },
} as const;

/** Notes that `readInOrder` reads for each note of a page, before the search uses the full-text index. */
const READ_PER_RESULT = 20;

/** Finds notes by filters, full text, referenced rows and IDs. */
@Injectable()
export class NoteSearchRepository {
  constructor(
    private readonly database: Database,
    private readonly columns: NoteColumns,
  ) {}

  /** Notes in the order of these IDs, as many as a page contains. */
  readByIds(workspaceId: string, ids: readonly string[]): Promise<RecordsById<Note>> {
    return this.columns.readByIds(workspaceId, ids);
  }

  /** @throws {InvalidCursorError} */
  async findPage(
    workspaceIds: readonly string[],
    query: ListWorkspaceNotesDto,
    rows: NoteRowFilter,
  ): Promise<Page<Note>> {
    const { sort = '-createdAt', limit, cursor } = query;
    const q = findWords(query);
    const identity = toCursorIdentity(workspaceIds, query);
    const keyset = toKeyset(sort);
    const after = keyset.decode(identity, cursor);
    const select = async (build: (search: Search) => string): Promise<RowPage<Note>> => {
      const search = buildSearch(query, rows, keyset, after);
      const sql = `SELECT ${this.columns.list('note')} FROM ${build(search)}`;
      const statement = { sql, parameters: search.parameters, sized: this.columns.sized };
      const { items, hasMore } = await readPage<Record<string, unknown>>(this.database, statement, limit);
      return { items: items.map((row) => this.columns.toEntity(row)), hasMore };
    };
    let found: RowPage<Note> | undefined;
    if (!q) found = await select((search) => listNotes(workspaceIds, search));
    else if (workspaceIds.length === 1 && !sort.endsWith('dueDate')) {
      const read = await select((search) => readInOrder(workspaceIds[0]!, q, limit + 1, search));
      if (read.hasMore) found = read;
    }
    found ??= await select((search) => matchWords(workspaceIds, q!, search));
    return keyset.toPage(found, identity, (note) => toPosition(sort, note));
  }

  /** The IDs of the matching notes of a workspace, in their order. */
  async findIds(workspaceId: string, query: NoteConditions, rows: NoteRowFilter, limit: number): Promise<string[]> {
    const search = buildSearch(query, rows, toKeyset('createdAt'), undefined);
    const q = findWords(query);
    const notes = q ? matchWords([workspaceId], q, search) : listNotes([workspaceId], search);
    const sql = `SELECT note.id FROM ${notes} LIMIT ${search.bind(limit)}`;
    return (await this.database.query<{ id: string }>(sql, search.parameters)).map(({ id }) => id);
  }
}

/** Does the caller select notes by anything but their archival? */
export function isFiltered(query: NoteConditions, rows: NoteRowFilter): boolean {
  const expressions = rows.filter?.expressions.filter((each) => findConstant(each) !== true) ?? [];
  const sent = compileSent(query, { ...rows, filter: undefined }, () => '');
  return expressions.length > 0 || sent.length > 0 || Boolean(findWords(query));
}

/** The text to search for, unless it names a number. */
function findWords({ q }: NoteConditions): string | undefined {
  return NUMBER.test(q ?? '') ? undefined : q;
}

/** All that determines the rows and their order. A cursor is valid only for the same identity. */
function toCursorIdentity(workspaceIds: readonly string[], query: ListWorkspaceNotesDto): unknown {
  const conditions = Object.entries(query).filter(([name]) => !['limit', 'cursor', 'fields', 'expand'].includes(name));
  return ['notes', [...workspaceIds].sort(), conditions.sort(([a], [b]) => (a < b ? -1 : 1))];
}

/** Without a text: the order and the filters of the statement use their own indexes. */
function listNotes(workspaceIds: readonly string[], search: Search): string {
  const { filters, join, following, keyset, bind } = search;
  // With equality instead of ANY, the index also provides the order.
  const [workspaceId, ...others] = workspaceIds;
  const inWorkspaces =
    others.length === 0
      ? `note.workspace_id = ${bind(workspaceId)}`
      : `note.workspace_id = ANY (${bind(workspaceIds)}::uuid[])`;
  return `notes note ${join} WHERE ${[inWorkspaces, ...filters, following].join(' AND ')} ORDER BY ${keyset.compileOrder()}`;
}

/**
 * For common words: reads a limited number of notes in order and filters them. If a whole page is found, that page is
 * the result. With the full-text index, PostgreSQL would read and sort all notes with the words.
 */
function readInOrder(workspaceId: string, q: string, count: number, search: Search): string {
  const { filters, join, following, keyset, bind } = search;
  const conditions = [`note.workspace_id = ${bind(workspaceId)}`, following];
  const words = bind(buildWordQuery(workspaceId.slice(-PREFIX_LENGTH), q));
  return `(SELECT * FROM notes note WHERE ${conditions.join(' AND ')}
            ORDER BY ${keyset.compileOrder()} LIMIT ${bind(READ_PER_RESULT * count)}) note ${join}
          WHERE ${[...filters, `note.words @@ ${words}::tsquery`].join(' AND ')} ORDER BY ${keyset.compileOrder()}`;
}

/**
 * For rare words: the full-text index returns the notes of each workspace. The condition on all workspaces selects the
 * shards of a cluster. No index has the order of the expressions: PostgreSQL would read the notes in order, because it
 * expects each word in 0.5 % of the notes or more.
 */
function matchWords(workspaceIds: readonly string[], q: string, search: Search): string {
  const { filters, join, following, keyset, bind } = search;
  // `#` is in no word: the statement replaces it by the digits of the workspace with which its entries begin.
  const words = bind(buildWordQuery('#', q));
  const query = `replace(${words}, '#', right(workspace.id::text, ${PREFIX_LENGTH}))::tsquery`;
  const ids = `${bind(workspaceIds)}::uuid[]`;
  const conditions = [`note.workspace_id = ANY (${ids})`, ...filters, following, `note.words @@ ${query}`];
  return `unnest(${ids}) AS workspace (id) JOIN notes note ON note.workspace_id = workspace.id ${join}
          WHERE ${conditions.join(' AND ')} ORDER BY ${keyset.compileOrder(toUnindexed)}`;
}

function buildSearch(
  query: NoteConditions,
  rows: NoteRowFilter,
  keyset: Keyset,
  after: CursorPosition | undefined,
): Search {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const filters = compileFilters(query, rows, bind);
  const following = keyset.compileCondition(after, { bind });
  return { filters, join: rows.filter?.join ?? '', following, keyset, bind, parameters };
}

/** All conditions except for words, of the notes that exist for the caller. */
function compileFilters(query: NoteConditions, rows: NoteRowFilter, bind: Search['bind']): string[] {
  const { archived = 'false' } = query;
  const filters = archived === 'all' ? [] : [`note.archived_at IS ${archived === 'true' ? 'NOT ' : ''}NULL`];
  filters.push(...compileSent(query, rows, bind));
  if (rows.ids) filters.push(`note.id = ANY (${bind(rows.ids)}::uuid[])`);
  for (const permitted of rows.permitted ?? [])
    filters.push(`(note.workspace_id <> ${bind(permitted.workspaceId)} OR ${isAtPermitted(permitted, bind)})`);
  return filters;
}

/** The conditions for the notes `note` of a workspace that match and exist for the caller. */
export function compileSelection(
  workspaceId: string,
  query: NoteConditions,
  rows: NoteRowFilter,
  bind: Search['bind'],
): string[] {
  const { permitted = [], ...others } = rows;
  const conditions = [`note.workspace_id = ${bind(workspaceId)}`, ...compileFilters(query, others, bind)];
  for (const locations of permitted) conditions.push(isAtPermitted(locations, bind));
  const q = findWords(query);
  if (q) conditions.push(`note.words @@ ${bind(buildWordQuery(workspaceId.slice(-PREFIX_LENGTH), q))}::tsquery`);
  return conditions;
}

/** The conditions of the caller, except for words and archival. */
function compileSent(query: NoteConditions, rows: NoteRowFilter, bind: Search['bind']): string[] {
  const filters: string[] = [];
  for (const [field, column] of Object.entries(ONE_OF)) {
    const values = query[field as keyof typeof ONE_OF];
    const sought = field === 'status' ? values?.map(normalizeStatus) : values;
    if (sought) filters.push(`note.${column} = ANY (${bind(sought)}::text[])`);
  }
  if (query.externalReference !== undefined) filters.push(isReferred(query.externalReference, bind));
  if (rows.filter) filters.push(...compileExpressions(rows.filter.expressions, { bind }));
  for (const [field, column] of Object.entries(EQUAL)) {
    const value = query[field as keyof typeof EQUAL];
    if (value !== undefined && value !== null) filters.push(`note.${column} = ${bind(value)}`);
  }
  const [, number] = NUMBER.exec(query.q ?? '') ?? [];
  if (number !== undefined) filters.push(`note.number = ${bind(number)}`);
  for (const [field, comparison] of Object.entries(RANGES)) {
    const value = query[field as keyof typeof RANGES];
    if (value) filters.push(`${comparison} ${bind(value)}`);
  }
  for (const location of rows.locations ?? []) {
    const isAtTag = location.tagIds.length === 0 ? '' : ` OR note.tag_id = ANY (${bind(location.tagIds)}::integer[])`;
    filters.push(`(${refersToRow('note.location', location.rows, bind)}${isAtTag})`);
  }
  if (rows.asset) filters.push(refersToRow('note.asset', rows.asset, bind));
  return filters;
}

/** @param reference `SYSTEM:ID`; no system contains a colon. */
function isReferred(reference: string, bind: Search['bind']): string {
  const [system = '', ...rest] = reference.split(':');
  return `note.id IN (SELECT r.note_id FROM note_external_references r
    WHERE r.workspace_id = note.workspace_id AND r.system = ${bind(system)} AND r.id = ${bind(rest.join(':'))})`;
}

/** The condition for notes at permitted locations. @param note the alias of the notes. @param bind adds a parameter. */
export function isAtPermitted(
  { subtrees }: PermittedLocations,
  bind: (value: string) => string,
  note = 'note',
): string {
  return subtrees.map((rows) => refersToRow(`${note}.location`, rows, bind)).join(' AND ');
}

/** An expression with the value of the column. PostgreSQL cannot use an index on the column for this expression. */
function toUnindexed(column: string): string {
  return `greatest(${column})`;
}

function toKeyset(sort: NoteSort): Keyset {
  const descending = sort.startsWith('-');
  const columns = [SORT_COLUMNS[toColumn(sort)], { sql: 'note.id', ...KEY_TYPES.uuid }];
  return new Keyset(columns.map((column) => ({ ...column, descending })));
}

function toPosition(sort: NoteSort, note: Note): CursorPosition {
  const column = toColumn(sort);
  return [column === 'createdAt' ? null : (note[column]?.toISOString() ?? null), note.id];
}

function toColumn(sort: NoteSort): keyof typeof SORT_COLUMNS {
  return sort.replace('-', '') as keyof typeof SORT_COLUMNS;
}
