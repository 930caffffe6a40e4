import { Injectable } from '@nestjs/common';
import { CatalogRepository } from '../../../packages/tables/src/catalog/catalog.repository.js';
import type { CatalogTable } from '../../../packages/tables/src/catalog/catalog-table.js';
import { readReferencedTables } from '../../../packages/tables/src/catalog/referenced-tables.js';
import { Literals } from '../../../packages/tables/src/reader/bindings.js';
import { ColumnPaths } from '../../../packages/tables/src/reader/column-path.js';
import { listPaths, parseFilters } from '../../../packages/tables/src/reader/filter-parser.js';
import type { ExportFormat } from '../../platform/http/stream-reply.js';
import { RowReferences } from '../../records/row-references.js';
import { callerView } from '../workspace-tables/catalog/caller-view.js';
import { AggregatesService } from '../workspace-tables/query/aggregates.service.js';
import { ExportRowsService, type RowExport } from '../workspace-tables/query/export-rows.service.js';
import { type PageQuery, QueryRowsService } from '../workspace-tables/query/query-rows.service.js';
import { type TableDefinition, TableDefinitionsService } from '../workspace-tables/query/table-definitions.service.js';
import type { ExportNotesDto, NoteGroupsDto, NoteGroupsQueryDto } from './dto/query-notes.dto.js';
import { NoteLocations } from './note-locations.js';
import { NoteRulesService } from './note-rules.service.js';
import { isAtRow } from './note-search.repository.js';
import { type NoteFilter, type NoteTable, toNoteTable, withNotes } from './note-table.js';

/** Queries of notes in the language of tables: filters, groups and exports, by the engine of tables. */
@Injectable()
export class NoteQueriesService {
  constructor(
    private readonly catalog: CatalogRepository,
    private readonly rules: NoteRulesService,
    private readonly rows: RowReferences,
    private readonly locations: NoteLocations,
    private readonly pages: QueryRowsService,
    private readonly definitions: TableDefinitionsService,
    private readonly aggregates: AggregatesService,
    private readonly exports: ExportRowsService,
  ) {}

  /** The fields of the notes of the workspace, for modules that describe tables in their own way. */
  async define(workspaceId: string): Promise<TableDefinition> {
    const { table } = await this.describe(workspaceId);
    return { ...this.definitions.describe(table), hasChanges: false };
  }

  /**
   * A page of the notes that exist for the caller and are not archived.
   *
   * @throws {InvalidQueryError | InvalidCursorError}
   */
  list(workspaceId: string, query: PageQuery): ReturnType<QueryRowsService['listOf']> {
    return this.pages.listOf(() => this.readTable(workspaceId), query);
  }

  /** @throws {InvalidQueryError} */
  async parseFilter(workspaceId: string, filter: object): Promise<NoteFilter> {
    const { table, select } = await this.describe(workspaceId);
    const referenced = await readReferencedTables(this.catalog, table, listPaths(filter));
    const expressions = parseFilters(new ColumnPaths(table, referenced), filter);
    // PostgreSQL replaces the columns of such a subquery by their expressions, so that it uses the indexes of notes.
    return { join: `CROSS JOIN LATERAL (SELECT ${select}) t`, expressions };
  }

  /**
   * A page of groups of the notes that are not archived, with measures.
   *
   * @throws {InvalidQueryError | InvalidCursorError | TooManyGroupsError | QueryTooExpensiveError}
   */
  async group(workspaceId: string, query: NoteGroupsQueryDto): Promise<NoteGroupsDto> {
    return this.aggregates.listOf(await this.readTable(workspaceId), query);
  }

  /**
   * Streams all notes that match and are not archived, from one snapshot.
   *
   * @throws {InvalidQueryError | UnavailableError}
   */
  export(workspaceId: string, query: ExportNotesDto, format: ExportFormat): Promise<RowExport> {
    return this.exports.startOf(() => this.readTable(workspaceId), query, format);
  }

  /** The notes that exist for the caller as a table. */
  private async readTable(workspaceId: string): Promise<CatalogTable> {
    const permitted = await this.locations.selectPermitted(workspaceId);
    const literals = new Literals();
    const bind = (value: unknown) => literals.bind(value as string);
    return withNotes(await this.describe(workspaceId), [
      `note.workspace_id = ${bind(workspaceId)}`,
      'note.archived_at IS NULL',
      ...(permitted ? [isAtRow('location', permitted.locations, bind)] : []),
    ]);
  }

  private async describe(workspaceId: string): Promise<NoteTable> {
    const rules = await this.rules.get(workspaceId);
    const ids = rules.fields.flatMap(({ tableId }) => tableId ?? []);
    return toNoteTable(callerView(workspaceId), rules, await this.rows.listTables(workspaceId, ids));
  }
}
