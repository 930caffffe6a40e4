import { Injectable } from '@nestjs/common';
import type { Page } from '../../../packages/sql/src/page-reader.js';
import { ExpensiveReads } from '../../platform/http/expensive-reads.js';
import { selectFields } from '../../records/field-selection.js';
import { UsersService } from '../users/users.service.js';
import type { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import type { NoteDto } from './dto/note.dto.js';
import { NoteLocations, requireOnlyWorkspace } from './note-locations.js';
import { NoteQueriesService } from './note-queries.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { NoteSearchRepository } from './note-search.repository.js';
import type { Note } from './note.entity.js';

/** Lists notes. */
@Injectable()
export class NoteListService {
  constructor(
    private readonly search: NoteSearchRepository,
    private readonly locations: NoteLocations,
    private readonly queries: NoteQueriesService,
    private readonly reader: NoteReaderService,
    private readonly users: UsersService,
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

  /** As `list`, the notes as they are stored. */
  async findPage(
    workspaceIds: readonly string[],
    sent: ListWorkspaceNotesDto,
    callerId: string | null,
  ): Promise<Page<Note>> {
    const query = await this.replaceMe(sent, callerId);
    const rows = await this.locations.select(workspaceIds, query);
    if (!query.filter) return this.search.findPage(workspaceIds, query, rows);
    const filter = await this.queries.parseFilter(requireOnlyWorkspace(workspaceIds, 'filter'), query.filter);
    return this.search.findPage(workspaceIds, query, { ...rows, filter });
  }

  /** The query with the ID and the email address of the caller for the assignee `me`. */
  private async replaceMe(query: ListWorkspaceNotesDto, callerId: string | null): Promise<ListWorkspaceNotesDto> {
    const { assignee } = query;
    if (!assignee?.includes('me') || callerId === null) return query;
    const { email } = await this.users.get(callerId);
    return { ...query, assignee: [...assignee.filter((each) => each !== 'me'), callerId, email] };
  }
}
