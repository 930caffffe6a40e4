import { Body, Controller, Get, Patch, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExtension, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { QUERY_ERRORS } from '../../../packages/tables/src/catalog/query.errors.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { ExactNumbers } from '../../platform/body/body.decorators.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { acceptedType, describeStreams, EXPORT_FORMATS, streamReply } from '../../platform/http/stream-reply.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { BulkCreateQueryDto, MAX_BULK_ITEMS } from '../../records/bulk-create.dto.js';
import { CreatesInBulk, replyToBulk } from '../../records/record-routes.decorator.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';
import { ExportRowsService } from '../workspace-tables/query/export-rows.service.js';
import { ChangedNotesDto, ChangeNotesQueryDto } from './dto/change-notes.dto.js';
import { ExportNotesDto, NoteGroupsDto, NoteGroupsQueryDto } from './dto/query-notes.dto.js';
import { NoteChangesDto, NotesBulkDto } from './dto/save-note.dto.js';
import { Author, type UserAuthor } from './note-author.js';
import { NoteBatchesService } from './note-batches.service.js';
import { NoteQueriesService } from './note-queries.service.js';
import { Reads } from './note-routes.decorator.js';
import { NOTE_ERRORS } from './notes.errors.js';

const EXAMPLE_FILES = {
  'text/csv': 'number,title,status\n17,Leak at the feed pump,open\n',
  'application/x-ndjson': '{"number":17,"title":"Leak at the feed pump","status":"open"}\n',
};

/** Writes and reads of many notes of a workspace at once. */
@ApiTags('Workspace notes')
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/notes')
export class ManyNotesController {
  constructor(
    private readonly batches: NoteBatchesService,
    private readonly queries: NoteQueriesService,
    private readonly exports: ExportRowsService,
  ) {}

  @Get('aggregate')
  @RequireScope('read:workspaces', 'reader')
  @Reads(
    NoteGroupsDto,
    { summary: 'Group notes, and count them', description: 'In the language of tables.' },
    QUERY_ERRORS.invalid_query,
    QUERY_ERRORS.too_many_groups,
    QUERY_ERRORS.query_too_expensive,
    TABLE_ERRORS.unknown_table,
  )
  group(@Author() author: UserAuthor, @Query() query: NoteGroupsQueryDto) {
    return this.queries.group(author, query);
  }

  @Get('export')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Export notes',
    description: 'As CSV or JSON lines (`Accept`), from one snapshot.',
  })
  @ApiResponse({ status: 200, description: 'All notes.', content: describeStreams(EXAMPLE_FILES) })
  @ApiErrors(QUERY_ERRORS.invalid_query, QUERY_ERRORS.too_many_exports, HTTP_ERRORS.not_acceptable)
  @ApiErrors(TABLE_ERRORS.unknown_table)
  async export(
    @Author() author: UserAuthor,
    @Query() query: ExportNotesDto,
    @Res({ passthrough: true }) response: Response,
  ) {
    const type = acceptedType(response.req, ['text/csv', 'application/x-ndjson']);
    const { stream } = await this.queries.export(author, query, EXPORT_FORMATS[type]);
    return streamReply(response, stream, `${type}; charset=utf-8`, {}, () => this.exports.occupancy);
  }

  @CreatesInBulk(NotesBulkDto, 'notes', { externalId: 'N-1', title: 'Leak at the feed pump', status: 'open' })
  @ExactNumbers()
  @RequireScope('write:workspaces', 'editor')
  async createAll(@Author() author: UserAuthor, @Body() { items }: NotesBulkDto, @Query() query: BulkCreateQueryDto) {
    return replyToBulk(await this.batches.createAll(author, items, query));
  }

  @Patch()
  @ExactNumbers()
  @RequireScope('write:workspaces', 'editor')
  @ApiOperation({
    summary: 'Change all notes that match',
    description: `At most ${MAX_BULK_ITEMS.toLocaleString('en')}, with a filter. With dryRun, only the numbers.`,
  })
  @ApiBody({ type: NoteChangesDto, examples: { first: { value: { status: 'in_progress' } } } })
  @ApiExtension('x-prefilled', { externalId: 'N-1' })
  @ApiErrors(NOTE_ERRORS.filter_required, NOTE_ERRORS.too_many_notes, RECORD_ERRORS.invalid_items)
  @ApiErrors(QUERY_ERRORS.invalid_query, NOTE_ERRORS.invalid_note, TABLE_ERRORS.unknown_row, TABLE_ERRORS.ambiguous_row)
  @Enveloped(ChangedNotesDto, { also: { 207: 'Notes failed.' } })
  async changeAll(@Author() author: UserAuthor, @Query() query: ChangeNotesQueryDto, @Body() body: NoteChangesDto) {
    return replyToBulk(await this.batches.changeAll(author, query, body));
  }
}
