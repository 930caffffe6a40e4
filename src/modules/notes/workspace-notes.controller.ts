import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import {
  type AcceptedVersions,
  IfMatch,
  ConditionalRead,
  replyWithEtag,
} from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { selectFields } from '../../records/field-selection.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteEventPageDto, NoteMessageDto, NoteMessagePageDto, NotePageDto } from './dto/note.dto.js';
import { ChangeNoteDto, WorkspaceMessageDto, WorkspaceNoteDto } from './dto/save-note.dto.js';
import { NoteHistoryService } from './note-history.service.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { noteReply } from './note-reply.js';
import { ChangesNote, WritesMessage, WritesNote } from './note-routes.decorator.js';
import { NotesService } from './notes.service.js';

const NOTE = {
  location: 'AT10-UTL-CW',
  title: 'Leak at the feed pump',
  status: 'open',
  customFields: { shift: 'night' },
};
const MESSAGE = { description: 'Tightened the coupling; watching it.' };

/** Notes of a workspace, filed against its locations and assets (specification, section 4.6). */
@ApiTags('Workspace notes')
@Controller('v2/api/workspaces/:workspaceId/notes')
export class WorkspaceNotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly answers: NoteMessagesService,
    private readonly reader: NoteReaderService,
    private readonly history: NoteHistoryService,
  ) {}

  @Post()
  @RequireScope('write:workspaces')
  @WritesNote(WorkspaceNoteDto, NoteDto, 'Create a note at a location or an asset', NOTE)
  async create(
    @Caller() { userId }: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: WorkspaceNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    const author = { userId, source: 'workspace' as const };
    const { id, created } = await this.notes.create(workspaceId.toLowerCase(), body, uploads, author, accepted);
    return noteReply(await this.reader.get(workspaceId, id), created);
  }

  @Get()
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'List the notes of a workspace' })
  @Enveloped(NotePageDto)
  @ApiErrors(400, 404, 422)
  async list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: ListWorkspaceNotesDto) {
    return selectFields(await this.reader.list([workspaceId.toLowerCase()], query), query.fields);
  }

  @Get('feed')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'Read what happened to the notes of a workspace, messages and changes, since a cursor' })
  @Enveloped(NoteEventPageDto)
  @ApiErrors(400, 404)
  feed(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.history.feed(workspaceId.toLowerCase(), query);
  }

  @Get(':id')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'Get a note' })
  @Enveloped(NoteDto)
  @ConditionalRead()
  @ApiErrors(400, 404)
  async get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.reader.get(workspaceId, id));
  }

  @Patch(':id')
  @RequireScope('write:workspaces')
  @ChangesNote(ChangeNoteDto, NoteDto, 'Change what is named of a note, and add files', { status: 'in_progress' })
  async change(
    @Caller() { userId }: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    const author = { userId, source: 'workspace' as const };
    await this.notes.update(workspaceId.toLowerCase(), id.toLowerCase(), body, uploads, author, accepted);
    return noteReply(await this.reader.get(workspaceId, id), false);
  }

  @Delete(':id')
  @RequireScope('write:workspaces')
  @ApiOperation({ summary: 'Archive a note; it can be restored' })
  @Enveloped(NoteDto, { message: 'The note was archived' })
  @ApiErrors(400, 404)
  archive(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return this.setArchived(caller, workspaceId, id, true, accepted);
  }

  @Post(':id/restore')
  @RequireScope('write:workspaces')
  @ApiOperation({ summary: 'Bring an archived note back' })
  @Enveloped(NoteDto, { message: 'The note was restored' })
  @ApiErrors(400, 404)
  restore(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return this.setArchived(caller, workspaceId, id, false, accepted);
  }

  @Post(':id/messages')
  @RequireScope('write:workspaces')
  @WritesMessage(WorkspaceMessageDto, NoteMessageDto, 'Answer a note', MESSAGE)
  async answer(
    @Caller() { userId }: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) noteId: string,
    @Body() { description = null }: WorkspaceMessageDto,
    @Uploads() uploads: Upload[],
  ) {
    const author = { userId, source: 'workspace' as const };
    const id = await this.answers.add(workspaceId.toLowerCase(), noteId.toLowerCase(), description, uploads, author);
    return this.history.message(workspaceId, id);
  }

  @Get(':id/messages')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'List the messages of a note, oldest first' })
  @Enveloped(NoteMessagePageDto)
  @ApiErrors(400, 404)
  async messages(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Query() query: PageQueryDto,
  ) {
    await this.reader.get(workspaceId, id);
    return this.history.messages(workspaceId, id, query);
  }

  @Get(':id/history')
  @RequireScope('read:workspaces')
  @ApiOperation({ summary: 'List what happened to a note, from its creation on' })
  @Enveloped(NoteEventPageDto)
  @ApiErrors(400, 404)
  async events(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Query() query: PageQueryDto,
  ) {
    await this.reader.get(workspaceId, id);
    return this.history.history(workspaceId, id, query);
  }

  private async setArchived(
    { userId }: Principal,
    workspaceId: string,
    id: string,
    archived: boolean,
    accepted: AcceptedVersions,
  ) {
    const author = { userId, source: 'workspace' as const };
    await this.notes.archive(workspaceId.toLowerCase(), id.toLowerCase(), archived, author, accepted);
    return replyWithEtag(await this.reader.get(workspaceId, id));
  }
}
