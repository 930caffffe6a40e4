import { applyDecorators, Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { EXAMPLE_PHOTO } from '../../platform/body/dto/file.dto.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { type AcceptedVersions, IfMatch, replyWithEtag } from '../../platform/http/conditional-requests.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { SECURITY_ERRORS } from '../../platform/security/security.errors.js';
import { RenewReplayedBodies } from '../../platform/http/idempotency/renew-replayed-bodies.decorator.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { WatcherDto } from './dto/change-notes.dto.js';
import { ListWorkspaceNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import { WorkspaceMessageDto, WorkspaceNoteDto } from './dto/save-note.dto.js';
import { Author, type UserAuthor } from './note-author.js';
import { NoteRoutes } from './note-routes.controller.js';
import { AddsMessage, ListsNotes, NOT_FOUND, noteReply, ReadsFeed, SavesNote } from './note-routes.decorator.js';
import { NoteWatchersService } from './note-watchers.service.js';
import { NOTE_ERRORS } from './notes.errors.js';

/** Notes of a workspace, on its locations and assets (specification, section 4.6). */
@ApiGroup({
  name: 'Workspace notes',
  description:
    'The same notes, on locations and assets of workspace tables. The statuses that notes of a workspace can have are ' +
    'defined here.',
  guide: 'notes',
})
@RenewReplayedBodies()
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId/notes')
export class WorkspaceNotesController extends NoteRoutes({
  read: 'read:workspaces',
  write: 'write:workspaces',
  archive: 'write:workspaces',
}) {
  @Inject()
  private readonly watchers: NoteWatchersService;

  @Post()
  @RequireScope('write:workspaces', 'editor')
  @SavesNote({
    body: WorkspaceNoteDto,
    response: NoteDto,
    summary: 'Create a note on a location or an asset',
    example: {
      location: 'EX10-UTL',
      locationKey: 'Example Locations',
      title: 'Leak at the feed pump',
      status: 'open',
      customFields: { shift: 'night' },
      files: [EXAMPLE_PHOTO],
    },
  })
  async create(
    @Author() author: UserAuthor,
    @Body() body: WorkspaceNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return noteReply(await this.notes.save(author, body, uploads, accepted));
  }

  @Get()
  @RequireScope('read:workspaces', 'reader')
  @ListsNotes('List the notes of a workspace')
  list(@Author() { workspaceIds, userId }: UserAuthor, @Query() query: ListWorkspaceNotesDto) {
    return this.noteList.list(workspaceIds, query, userId);
  }

  @Get('feed')
  @RequireScope('read:workspaces', 'reader')
  @ReadsFeed()
  feed(@Param('workspaceId', UuidPipe) workspaceId: string, @Query() query: PageQueryDto) {
    return this.reader.readFeed(workspaceId, query);
  }

  @Post(':id/messages')
  @RequireScope('write:workspaces', 'editor')
  @AddsMessage({
    body: WorkspaceMessageDto,
    response: NoteMessageDto,
    summary: 'Add a message to a note',
    example: { description: 'Tightened the coupling.', files: [EXAMPLE_PHOTO] },
  })
  addMessage(
    @Author() author: UserAuthor,
    @Param('id', UuidPipe) id: string,
    @Body() body: WorkspaceMessageDto,
    @Uploads() uploads: Upload[],
  ) {
    return this.noteMessages.add(author, id, body, uploads);
  }

  @Post(':id/watchers')
  @RequireScope('write:workspaces', 'reader')
  @WritesWatcher('Watch a note', 'Events contain the watchers. Editors add others, too.')
  @ApiBody({ type: WatcherDto, examples: { caller: { value: {} } } })
  async watch(@Author() author: UserAuthor, @Param('id', UuidPipe) id: string, @Body() { userId }: WatcherDto) {
    return replyWithEtag(await this.watchers.set(author, id, userId, true));
  }

  @Delete(':id/watchers')
  @RequireScope('write:workspaces', 'reader')
  @WritesWatcher('Stop watching a note')
  async unwatch(@Author() author: UserAuthor, @Param('id', UuidPipe) id: string, @Query() { userId }: WatcherDto) {
    return replyWithEtag(await this.watchers.set(author, id, userId, false));
  }
}

function WritesWatcher(summary: string, description?: string): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary, description }),
    Enveloped(NoteDto),
    ApiErrors(NOT_FOUND, NOTE_ERRORS.note_archived, NOTE_ERRORS.invalid_note, TABLE_ERRORS.table_changed),
    ApiErrors(SECURITY_ERRORS.insufficient_role),
  );
}
