import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../packages/errors/src/domain-error.js';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { InvalidQueryError } from '../../../packages/tables/src/catalog/query.errors.js';
import { parseLimit, parseQuery } from '../../../packages/tables/src/reader/query-compiler.js';
import { ExpensiveReads } from '../../platform/http/expensive-reads.js';
import { selectFields } from '../../records/field-selection.js';
import type { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import type { NoteDto } from './dto/note.dto.js';
import { NoteLocations, requireOnlyWorkspace } from './note-locations.js';
import { NoteQueriesService } from './note-queries.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { isFiltered, type NoteConditions, type NoteRowFilter, NoteSearchRepository } from './note-search.repository.js';
import { NoteTablesService } from './note-tables.service.js';
import type { Note } from './note.entity.js';
import { NOTE_ERRORS } from './notes.errors.js';

/** Lists notes. */
@Injectable()
export class NoteListService {
  constructor(
    private readonly search: NoteSearchRepository,
    private readonly locations: NoteLocations,
    private readonly queries: NoteQueriesService,
    private readonly reader: NoteReaderService,
    private readonly tables: NoteTablesService,
    private readonly reads: ExpensiveReads,
  ) {}

  /**
   * A page of the notes that match all filters, with the requested fields.
   *
   * @param callerId of the assignee `me`.
   * @throws {InvalidRequestError | InvalidCursorError | UnknownTableError | InvalidQueryError}
   */
  async list(
    workspaceIds: readonly string[],
    query: ListWorkspaceNotesDto,
    callerId: string | null,
  ): Promise<Page<Partial<NoteDto>>> {
    const { expand, fields, ...conditions } = query;
    const find = () => this.findPage(workspaceIds, conditions, callerId);
    // A search, a subtree and a filter may read more than a page.
    const isExpensive = query.q || query.under !== undefined || query.filter !== undefined;
    const page = await (isExpensive ? this.reads.run(find) : find());
    const items = await this.reader.toDtos(page.items, expand);
    return selectFields({ ...page, items }, expand && fields ? [...fields, 'fields'] : fields);
  }

  private async findPage(
    workspaceIds: readonly string[],
    sent: ListWorkspaceNotesDto,
    callerId: string | null,
  ): Promise<Page<Note>> {
    const query = await this.tables.resolve(workspaceIds, sent, callerId);
    return this.search.findPage(workspaceIds, query, await this.select(workspaceIds, query, parseQuery));
  }

  /**
   * The IDs of the notes of a workspace that match and are not archived, the oldest first.
   *
   * @param among of these notes.
   * @throws {DomainError} `filter_required` if the query selects all notes.
   * @throws {InvalidRequestError | UnknownTableError | InvalidQueryError}
   */
  async listIds(
    workspaceId: string,
    sent: NoteConditions,
    callerId: string | null,
    { limit, among }: { limit: number; among?: readonly string[] },
  ): Promise<string[]> {
    requireValues(sent.filter, 'filter');
    const query = await this.tables.resolve([workspaceId], sent, callerId);
    const rows = await this.select([workspaceId], query, parseLimit);
    if (!isFiltered(query, rows)) throw new DomainError(NOTE_ERRORS.filter_required);
    return this.search.findIds(workspaceId, query, { ...rows, ids: among }, limit);
  }

  private async select(
    workspaceIds: readonly string[],
    query: NoteConditions,
    parse: typeof parseQuery,
  ): Promise<NoteRowFilter> {
    const rows = await this.locations.select(workspaceIds, query);
    if (!query.filter) return rows;
    const workspaceId = requireOnlyWorkspace(workspaceIds, 'filter');
    return { ...rows, filter: await this.queries.parseFilter(workspaceId, query.filter, parse) };
  }
}

/**
 * An empty value of a condition means "no value", which the sender of an empty variable does not mean.
 *
 * @throws {InvalidQueryError}
 */
function requireValues(operand: unknown, field: string): void {
  if (typeof operand === 'object' && operand !== null)
    for (const [name, each] of Object.entries(operand)) requireValues(each, `${field}[${name.slice(0, 80)}]`);
  if (typeof operand !== 'string' || !/^[\s,]*$/.test(operand)) return;
  const message = `${field} is empty. Send a value, or the operator "null" with "true" for notes without a value.`;
  throw new InvalidQueryError(field, 'invalid_value', message);
}
