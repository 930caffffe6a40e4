import { Injectable } from '@nestjs/common';
import { CatalogRepository } from '../../../packages/tables/src/catalog/catalog.repository.js';
import { readReferencedTables } from '../../../packages/tables/src/catalog/referenced-tables.js';
import { listPaths } from '../../../packages/tables/src/reader/filter-parser.js';
import type { parseQuery } from '../../../packages/tables/src/reader/query-compiler.js';
import type { ExportFormat } from '../../platform/http/stream-reply.js';
import { AggregatesService } from '../workspace-tables/query/aggregates.service.js';
import { ExportRowsService, type RowExport } from '../workspace-tables/query/export-rows.service.js';
import { type PageQuery, QueryRowsService } from '../workspace-tables/query/query-rows.service.js';
import type { ExportNotesDto, NoteGroupsDto, NoteGroupsQueryDto, NoteSelectionDto } from './dto/query-notes.dto.js';
import type { UserAuthor } from './note-author.js';
import type { NoteFilter } from './note-table.js';
import { NoteTablesService } from './note-tables.service.js';

/** Queries of notes in the language of tables: filters, groups and exports, by the engine of tables. */
@Injectable()
export class NoteQueriesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly tables: NoteTablesService,
    private readonly pages: QueryRowsService,
    private readonly aggregates: AggregatesService,
    private readonly exports: ExportRowsService,
  ) {}

  /**
   * A page of the notes that exist for the caller and are not archived.
   *
   * @throws {InvalidQueryError | InvalidCursorError}
   */
  list(workspaceId: string, query: PageQuery): ReturnType<QueryRowsService['listOf']> {
    return this.pages.listOf(() => this.tables.select(workspaceId), query);
  }

  /** @param parse `parseLimit` for a filter that limits what a request may do. @throws {InvalidQueryError} */
  async parseFilter(workspaceId: string, filter: object, parse: typeof parseQuery): Promise<NoteFilter> {
    const { table, select } = await this.tables.describe(workspaceId);
    const referenced = await readReferencedTables(this.catalog, table, listPaths(filter));
    const expressions = parse(table, { filter }, referenced).filters;
    // PostgreSQL replaces the columns of such a subquery by their expressions, so that it uses the indexes of notes.
    return { join: `CROSS JOIN LATERAL (SELECT ${select}) t`, expressions };
  }

  /**
   * A page of groups of the notes that match and are not archived, with measures.
   *
   * @throws {InvalidRequestError | UnknownTableError}
   * @throws {InvalidQueryError | InvalidCursorError | TooManyGroupsError | QueryTooExpensiveError}
   */
  async group({ workspaceIds, userId }: UserAuthor, sent: NoteGroupsQueryDto): Promise<NoteGroupsDto> {
    const [workspaceId = ''] = workspaceIds;
    const [selection, query] = splitQuery(sent);
    const notes = await this.tables.resolve(workspaceIds, selection, userId);
    const table = await this.tables.select(workspaceId, notes);
    return this.aggregates.listOf(table, query, notes);
  }

  /**
   * Streams all notes that match and are not archived, from one snapshot. JSON lines of all fields also have what is
   * not a column.
   *
   * @throws {InvalidRequestError | UnknownTableError | InvalidQueryError | UnavailableError}
   */
  async export({ workspaceIds, userId }: UserAuthor, sent: ExportNotesDto, format: ExportFormat): Promise<RowExport> {
    const [workspaceId = ''] = workspaceIds;
    const [selection, query] = splitQuery(sent);
    const notes = await this.tables.resolve(workspaceIds, selection, userId);
    const isWhole = format === 'ndjson' && !query.fields;
    const select = () => this.tables.select(workspaceId, notes, isWhole);
    return this.exports.startOf(select, query, format);
  }
}

/** What selects notes, and what the engine of tables reads of them. */
function splitQuery<Query extends Omit<NoteSelectionDto, 'filter'>>({
  assignee,
  under,
  locationKey,
  q,
  ...query
}: Query) {
  return [{ assignee, under, locationKey, q }, query] as const;
}
