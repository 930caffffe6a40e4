import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import { ChangeNoteDto, WorkspaceMessageDto, WorkspaceNoteDto } from './dto/save-note.dto.js';
import { workspaceAuthor } from './note-author.js';
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

/** Notes of a workspace, on its locations and assets (specification, section 4.6). */
@ApiTags('Workspace notes')
@Controller('v2/api/workspaces/:workspaceId/notes')
export class WorkspaceNotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly reader: NoteReaderService,
  ) {}

  @Post()
  @RequireScope('write:workspaces')
  @SavesNote({
    body: WorkspaceNoteDto,
    response: NoteDto,
    summary: 'Create a note on a location or an asset',
    example: {
      location: 'AT10-UTL-CW',
      title: 'Leak at the feed pump',
      status: 'open',
      customFields: { shift: 'night' },
    },
  })
  async create(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Body() body: WorkspaceNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return noteReply(await this.notes.create(workspaceAuthor(caller, workspaceId), body, uploads, accepted));
  }

  @Get()
  @RequireScope('read:workspaces')
  @ListsNotes('List the notes of a workspace')
  list(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: ListWorkspaceNotesDto) {
    return this.reader.list([workspaceId], query);
  }

  @Get('feed')
  @RequireScope('read:workspaces')
  @ReadsFeed()
  feed(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.reader.readFeed(workspaceId, query);
  }

  @Get(':id')
  @RequireScope('read:workspaces')
  @GetsNote()
  async get(@Param('workspaceId', UuidPipe) workspaceId: string, @Param('id', UuidPipe) id: string) {
    return replyWithEtag(await this.reader.get([workspaceId], id));
  }

  @Patch(':id')
  @RequireScope('write:workspaces')
  @ChangesNote({
    body: ChangeNoteDto,
    response: NoteDto,
    summary: 'Change the fields of a note that are sent, and add files',
    example: { status: 'in_progress' },
  })
  async change(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Body() body: ChangeNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.notes.update(workspaceAuthor(caller, workspaceId), id, body, uploads, accepted));
  }

  @Delete(':id')
  @RequireScope('write:workspaces')
  @ArchivesNote()
  async archive(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.notes.setArchived(workspaceAuthor(caller, workspaceId), id, true, accepted));
  }

  @Post(':id/restore')
  @RequireScope('write:workspaces')
  @RestoresNote()
  async restore(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return replyWithEtag(await this.notes.setArchived(workspaceAuthor(caller, workspaceId), id, false, accepted));
  }

  @Post(':id/messages')
  @RequireScope('write:workspaces')
  @AddsMessage({
    body: WorkspaceMessageDto,
    response: NoteMessageDto,
    summary: 'Add a message to a note',
    example: { description: 'Tightened the coupling.' },
  })
  addMessage(
    @Caller() caller: Principal,
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Body() body: WorkspaceMessageDto,
    @Uploads() uploads: Upload[],
  ) {
    return this.notes.addMessage(workspaceAuthor(caller, workspaceId), id, body, uploads);
  }

  @Get(':id/messages')
  @RequireScope('read:workspaces')
  @ListsMessages()
  messages(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Query() query: PageQueryDto,
  ) {
    return this.reader.listMessages([workspaceId], id, query);
  }

  @Get(':id/history')
  @RequireScope('read:workspaces')
  @ListsHistory()
  history(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Param('id', UuidPipe) id: string,
    @Query() query: PageQueryDto,
  ) {
    return this.reader.listHistory([workspaceId], id, query);
  }
}
