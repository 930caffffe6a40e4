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
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { FeedQueryDto, ListNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteEventPageDto, NoteMessageDto, NoteMessagePageDto, NotePageDto } from './dto/note.dto.js';
import { ChangeNoteDto, SaveMessageDto, SaveNoteDto } from './dto/save-note.dto.js';
import { NoteHistoryService } from './note-history.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { noteReply } from './note-reply.js';
import { ChangesNote, WritesMessage, WritesNote } from './note-routes.decorator.js';
import { NotesService } from './notes.service.js';
import { ThreadsService } from './threads.service.js';

const PROJECT = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';
const NOTE = { title: 'Leak at the feed pump', projectId: PROJECT, status: 'open' };
const MESSAGE = { threadId: PROJECT, description: 'Tightened the coupling; watching it.' };

/** Notes of projects and tags (specification, sections 4.7 and 4.8). */
@ApiTags('Notes')
@Controller('v1/api/notes')
export class NotesController {
  constructor(
    private readonly threads: ThreadsService,
    private readonly notes: NotesService,
    private readonly reader: NoteReaderService,
    private readonly history: NoteHistoryService,
  ) {}

  @Post()
  @RequireScope('write:projects')
  @WritesNote(SaveNoteDto, NoteDto, 'Create a note, or update the one with this id (saveThread)', NOTE)
  async save(
    @Caller() caller: Principal,
    @Body() body: SaveNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    const { workspaceId, id, created } = await this.threads.save(caller, body, uploads, accepted);
    return noteReply(await this.reader.get(workspaceId, id), created);
  }

  @Post('messages')
  @RequireScope('write:projects')
  @WritesMessage(SaveMessageDto, NoteMessageDto, 'Answer a note (saveThreadMessage)', MESSAGE)
  async answer(@Caller() caller: Principal, @Body() body: SaveMessageDto, @Uploads() uploads: Upload[]) {
    const { workspaceId, id } = await this.threads.answer(caller, body, uploads);
    return this.history.message(workspaceId, id);
  }

  @Get()
  @RequireScope('read:projects')
  @ApiOperation({ summary: "List the notes of the caller's workspaces" })
  @Enveloped(NotePageDto)
  @ApiErrors(400, 404, 422)
  async list(@Caller() caller: Principal, @Query() { workspaceId, ...query }: ListNotesDto) {
    return selectFields(await this.reader.list(resolveWorkspaces(caller, workspaceId), query), query.fields);
  }

  @Get('feed')
  @RequireScope('read:projects')
  @ApiOperation({ summary: 'Read what happened to the notes of a workspace, messages and changes, since a cursor' })
  @Enveloped(NoteEventPageDto)
  @ApiErrors(400, 404)
  feed(@Caller() caller: Principal, @Query() { workspaceId, ...query }: FeedQueryDto) {
    return this.history.feed(resolveTargetWorkspace(caller, workspaceId), query);
  }

  @Get(':id')
  @RequireScope('read:projects')
  @ApiOperation({ summary: 'Get a note' })
  @Enveloped(NoteDto)
  @ConditionalRead()
  @ApiErrors(400, 404)
  async get(@Caller() { workspaceIds }: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.reader.get(await this.reader.getWorkspace(workspaceIds, id), id));
  }

  @Patch(':id')
  @RequireScope('write:projects')
  @ChangesNote(ChangeNoteDto, NoteDto, 'Change what is named of a note, and add files', { status: 'in_progress' })
  async change(
    @Caller() { workspaceIds, userId }: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    const workspaceId = await this.reader.getWorkspace(workspaceIds, id);
    await this.notes.update(workspaceId, id, body, uploads, { userId, source: 'api' }, accepted);
    return noteReply(await this.reader.get(workspaceId, id), false);
  }

  @Delete(':id')
  @RequireScope('delete:projects')
  @ApiOperation({ summary: 'Archive a note; it can be restored' })
  @Enveloped(NoteDto, { message: 'The note was archived' })
  @ApiErrors(400, 404)
  archive(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return this.setArchived(caller, id, true, accepted);
  }

  @Post(':id/restore')
  @RequireScope('write:projects')
  @ApiOperation({ summary: 'Bring an archived note back' })
  @Enveloped(NoteDto, { message: 'The note was restored' })
  @ApiErrors(400, 404)
  restore(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return this.setArchived(caller, id, false, accepted);
  }

  @Get(':id/messages')
  @RequireScope('read:projects')
  @ApiOperation({ summary: 'List the messages of a note, oldest first' })
  @Enveloped(NoteMessagePageDto)
  @ApiErrors(400, 404)
  async messages(
    @Caller() { workspaceIds }: Principal,
    @Param('id', UuidPipe) id: string,
    @Query() query: PageQueryDto,
  ) {
    return this.history.messages(await this.reader.getWorkspace(workspaceIds, id), id, query);
  }

  @Get(':id/history')
  @RequireScope('read:projects')
  @ApiOperation({ summary: 'List what happened to a note, from its creation on' })
  @Enveloped(NoteEventPageDto)
  @ApiErrors(400, 404)
  async events(@Caller() { workspaceIds }: Principal, @Param('id', UuidPipe) id: string, @Query() query: PageQueryDto) {
    return this.history.history(await this.reader.getWorkspace(workspaceIds, id), id, query);
  }

  private async setArchived(caller: Principal, id: string, archived: boolean, accepted: AcceptedVersions) {
    const { workspaceIds, userId } = caller;
    const workspaceId = await this.reader.getWorkspace(workspaceIds, id);
    await this.notes.archive(workspaceId, id, archived, { userId, source: 'api' }, accepted);
    return replyWithEtag(await this.reader.get(workspaceId, id));
  }
}
