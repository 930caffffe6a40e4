import { applyDecorators, Body, Delete, Get, Injectable, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import {
  type AcceptedVersions,
  ConditionalRead,
  IfMatch,
  replyWithEtag,
} from '../../platform/http/conditional-requests.js';
import { Enveloped, Reply } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { PageQueryDto } from '../../platform/http/page.dto.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import type { Role } from '../../platform/security/roles.js';
import type { Scope } from '../../platform/security/scopes.js';
import { RECORD_ERRORS } from '../../records/records.errors.js';
import { ExpandNotesDto } from './dto/list-notes.dto.js';
import { NoteDto, NoteEventPageDto, NoteMessagePageDto } from './dto/note.dto.js';
import { PurgeNoteDto } from './dto/purge-note.dto.js';
import { ChangeNoteDto } from './dto/save-note.dto.js';
import { Author, type UserAuthor } from './note-author.js';
import { NoteListService } from './note-list.service.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NotePurgeService } from './note-purge.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { NOT_FOUND, Reads, WritesNote } from './note-routes.decorator.js';
import { NotesService } from './notes.service.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';

interface NoteRoutesOptions {
  read: Scope;
  write: Scope;
  archive: Scope;
}

/** Base class of a controller with the routes of a note by its ID, which are the same on all API surfaces for users. */
export function NoteRoutes({ read, write, archive }: NoteRoutesOptions) {
  const Route = (scope: Scope, role: Role) => applyDecorators(ObeysPolicies(), RequireScope(scope, role));

  @Injectable()
  class NoteRoutesController {
    constructor(
      readonly notes: NotesService,
      readonly reader: NoteReaderService,
      readonly noteList: NoteListService,
      readonly noteMessages: NoteMessagesService,
      readonly notePurge: NotePurgeService,
    ) {}

    @Get(':id')
    @Route(read, 'reader')
    @Reads(NoteDto, { summary: 'Get a note' })
    @ConditionalRead()
    async get(
      @Author() { workspaceIds }: UserAuthor,
      @Param('id', UuidPipe) id: string,
      @Query() { expand }: ExpandNotesDto,
    ) {
      return replyWithEtag(await this.reader.get(workspaceIds, id, expand));
    }

    @Patch(':id')
    @Route(write, 'editor')
    @WritesNote({
      body: ChangeNoteDto,
      response: NoteDto,
      summary: 'Change a note',
      description: 'Also adds files.',
      example: { status: 'in_progress' },
    })
    async change(
      @Author() author: UserAuthor,
      @Param('id', UuidPipe) id: string,
      @Body() body: ChangeNoteDto,
      @Uploads() uploads: Upload[],
      @IfMatch() accepted: AcceptedVersions,
    ) {
      return replyWithEtag(await this.notes.update(author, id, body, uploads, accepted));
    }

    @Delete(':id')
    @Route(archive, 'editor')
    @ApiOperation({
      summary: 'Archive a note, or delete it permanently',
      description: 'It can be restored, unless `purge` is set.',
    })
    @Enveloped(NoteDto, { message: 'The note was archived' })
    @ApiErrors(NOT_FOUND, TABLE_ERRORS.table_changed)
    async archive(
      @Author() author: UserAuthor,
      @Param('id', UuidPipe) id: string,
      @Query() { purge }: PurgeNoteDto,
      @IfMatch() accepted: AcceptedVersions,
    ) {
      if (purge === 'true')
        return new Reply(await this.notePurge.purge(author, id, accepted), { message: 'The note was deleted' });
      return replyWithEtag(await this.notes.setArchived(author, id, true, accepted));
    }

    @Post(':id/restore')
    @Route(write, 'editor')
    @ApiOperation({ summary: 'Restore an archived note' })
    @Enveloped(NoteDto, { message: 'The note was restored' })
    @ApiErrors(NOT_FOUND, RECORD_ERRORS.archived, TABLE_ERRORS.table_changed)
    async restore(
      @Author() author: UserAuthor,
      @Param('id', UuidPipe) id: string,
      @IfMatch() accepted: AcceptedVersions,
    ) {
      return replyWithEtag(await this.notes.setArchived(author, id, false, accepted));
    }

    @Get(':id/messages')
    @Route(read, 'reader')
    @Reads(NoteMessagePageDto, { summary: 'List the messages of a note', description: 'The oldest first.' })
    messages(@Author() { workspaceIds }: UserAuthor, @Param('id', UuidPipe) id: string, @Query() query: PageQueryDto) {
      return this.reader.listMessages(workspaceIds, id, query);
    }

    @Get(':id/history')
    @Route(read, 'reader')
    @Reads(NoteEventPageDto, { summary: 'List the events of a note', description: 'The oldest first.' })
    history(@Author() { workspaceIds }: UserAuthor, @Param('id', UuidPipe) id: string, @Query() query: PageQueryDto) {
      return this.reader.listHistory(workspaceIds, id, query);
    }
  }
  return NoteRoutesController;
}
