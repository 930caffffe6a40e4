import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { EXAMPLE_PHOTO } from '../../platform/body/dto/file.dto.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { type AcceptedVersions, IfMatch } from '../../platform/http/conditional-requests.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { RenewReplayedBodies } from '../../platform/http/idempotency/renew-replayed-bodies.decorator.js';
import { FeedQueryDto, ListNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteMessageDto } from './dto/note.dto.js';
import { SaveMessageDto, SaveNoteDto } from './dto/save-note.dto.js';
import { Author, type UserAuthor } from './note-author.js';
import { NoteRoutes } from './note-routes.controller.js';
import { AddsMessage, ListsNotes, noteReply, ReadsFeed, SavesNote } from './note-routes.decorator.js';

/** Swagger UI replaces it. */
const ID = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';

/** Notes of projects and tags (specification, sections 4.7 and 4.8). */
@ApiGroup({
  name: 'Notes',
  description:
    'Notes on projects, tours and tags, with files, messages and a history. Send JSON, or a form if you upload files.',
  guide: 'notes',
})
@RenewReplayedBodies()
@ObeysPolicies()
@Controller('v1/api/notes')
export class NotesController extends NoteRoutes({
  read: 'read:projects',
  write: 'write:projects',
  archive: 'delete:projects',
}) {
  @Post()
  @RequireScope('write:projects', 'editor')
  @SavesNote({
    body: SaveNoteDto,
    response: NoteDto,
    summary: 'Create or update a note (saveThread)',
    example: { title: 'Leak at the feed pump', projectId: ID, status: 'open', files: [EXAMPLE_PHOTO] },
  })
  async save(
    @Author() author: UserAuthor,
    @Body() body: SaveNoteDto,
    @Uploads() uploads: Upload[],
    @IfMatch() accepted: AcceptedVersions,
  ) {
    return noteReply(await this.notes.save(author, body, uploads, accepted));
  }

  @Post('messages')
  @RequireScope('write:projects', 'editor')
  @AddsMessage({
    body: SaveMessageDto,
    response: NoteMessageDto,
    summary: 'Add a message to a note (saveThreadMessage)',
    example: { threadId: ID, description: 'Tightened the coupling.', files: [EXAMPLE_PHOTO] },
  })
  addMessage(@Author() author: UserAuthor, @Body() body: SaveMessageDto, @Uploads() uploads: Upload[]) {
    return this.noteMessages.add(author, body.threadId, body, uploads);
  }

  @Get()
  @RequireScope('read:projects', 'reader')
  @ListsNotes('List notes')
  list(@Caller() caller: Principal, @Query() { workspaceId, ...query }: ListNotesDto) {
    return this.noteList.list(resolveWorkspaces(caller, workspaceId), query, caller.userId);
  }

  @Get('feed')
  @RequireScope('read:projects', 'reader')
  @ReadsFeed()
  feed(@Caller() caller: Principal, @Query() { workspaceId, ...query }: FeedQueryDto) {
    return this.reader.readFeed(resolveTargetWorkspace(caller, workspaceId), query);
  }
}
