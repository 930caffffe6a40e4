import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { FeedQueryDto, ListNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import { ChangeNoteDto, SaveMessageDto, SaveNoteDto } from './dto/save-note.dto.js';
import { apiAuthor } from './note-author.js';
import { NoteReaderService } from './note-reader.service.js';
import {
  AddsMessage,
  ArchivesNote,
  ChangesNote,
  GetsNote,
  ListsHistory,
  ListsMessages,
  ListsNotes,
  noteReply,
  ReadsFeed,
  RestoresNote,
  SavesNote,
} from './note-routes.decorator.js';
import { NotesService } from './notes.service.js';

const PROJECT = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';

/** Notes of projects and tags (specification, sections 4.7 and 4.8). */
@ApiTags('Notes')
@Controller('v1/api/notes')
export class NotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly reader: NoteReaderService,
  ) {}

  @Post()
  @RequireScope('write:projects')
  @SavesNote({
    body: SaveNoteDto,
    response: NoteDto,
    summary: 'Create a note, or update the note with this ID (saveThread)',
    example: { title: 'Leak at the feed pump', projectId: PROJECT, status: 'open' },
  })
  async save(
    @Caller() caller: Principal,
    @Body() body: SaveNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return noteReply(await this.notes.save(apiAuthor(caller), body, uploads, accepted));
  }

  @Post('messages')
  @RequireScope('write:projects')
  @AddsMessage({
    body: SaveMessageDto,
    response: NoteMessageDto,
    summary: 'Add a message to a note (saveThreadMessage)',
    example: { threadId: PROJECT, description: 'Tightened the coupling.' },
  })
  addMessage(@Caller() caller: Principal, @Body() body: SaveMessageDto, @Uploads() uploads: Upload[]) {
    return this.notes.addMessage(apiAuthor(caller), body.threadId, body, uploads);
  }

  @Get()
  @RequireScope('read:projects')
  @ListsNotes("List the notes of the caller's workspaces")
  list(@Caller() caller: Principal, @Query() { workspaceId, ...query }: ListNotesDto) {
    return this.reader.list(resolveWorkspaces(caller, workspaceId), query);
  }

  @Get('feed')
  @RequireScope('read:projects')
  @ReadsFeed()
  feed(@Caller() caller: Principal, @Query() { workspaceId, ...query }: FeedQueryDto) {
    return this.reader.readFeed(resolveTargetWorkspace(caller, workspaceId), query);
  }

  @Get(':id')
  @RequireScope('read:projects')
  @GetsNote()
  async get(@Caller() { workspaceIds }: Principal, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.reader.get(workspaceIds, id));
  }

  @Patch(':id')
  @RequireScope('write:projects')
  @ChangesNote({
    body: ChangeNoteDto,
    response: NoteDto,
    summary: 'Change the fields of a note that are sent, and add files',
    example: { status: 'in_progress' },
  })
  async change(
    @Caller() caller: Principal,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.notes.update(apiAuthor(caller), id, body, uploads, accepted));
  }

  @Delete(':id')
  @RequireScope('delete:projects')
  @ArchivesNote()
  async archive(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.notes.setArchived(apiAuthor(caller), id, true, accepted));
  }

  @Post(':id/restore')
  @RequireScope('write:projects')
  @RestoresNote()
  async restore(@Caller() caller: Principal, @Param('id', UuidPipe) id: string, @IfMatch() accepted: AcceptedVersions) {
    return replyWithEtag(await this.notes.setArchived(apiAuthor(caller), id, false, accepted));
  }

  @Get(':id/messages')
  @RequireScope('read:projects')
  @ListsMessages()
  messages(@Caller() { workspaceIds }: Principal, @Param('id', UuidPipe) id: string, @Query() query: PageQueryDto) {
    return this.reader.listMessages(workspaceIds, id, query);
  }

  @Get(':id/history')
  @RequireScope('read:projects')
  @ListsHistory()
  history(@Caller() { workspaceIds }: Principal, @Param('id', UuidPipe) id: string, @Query() query: PageQueryDto) {
    return this.reader.listHistory(workspaceIds, id, query);
  }
}
