import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Deprecated } from '../../platform/http/deprecated.decorator.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { RateLimit } from '../../platform/throttling/rate-limit.decorator.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { PublicMessageViewDto, PublicNoteViewDto } from './dto/note.dto.js';
import { PublicNoteDto, SaveMessageDto } from './dto/save-note.dto.js';
import { NoteHistoryService } from './note-history.service.js';
import { NoteReaderService } from './note-reader.service.js';
import { noteReply, publicMessage, publicNote } from './note-reply.js';
import { WritesMessage, WritesNote } from './note-routes.decorator.js';
import { ThreadsService } from './threads.service.js';

const SINCE = '2026-11-21';
const ID = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';

/** The legacy endpoints without credentials (specification, section 4.9). */
@ApiTags('Public notes')
@Controller('v1/public')
export class PublicNotesController {
  constructor(
    private readonly threads: ThreadsService,
    private readonly reader: NoteReaderService,
    private readonly history: NoteHistoryService,
  ) {}

  @Post('saveThread')
  @Public()
  @RateLimit('public')
  @Deprecated({ since: SINCE, successor: '/v1/api/notes' })
  @WritesNote(PublicNoteDto, PublicNoteViewDto, 'Create a note without credentials, or update one created so', {
    projectId: ID,
    title: 'The door does not close',
  })
  @ApiErrors(403, 503)
  async saveThread(@Body() body: PublicNoteDto, @Uploads() uploads: Upload[]) {
    const { workspaceId, id, created } = await this.threads.savePublic(body, uploads);
    return noteReply(publicNote(await this.reader.get(workspaceId, id)), created);
  }

  @Post('saveThreadMessage')
  @Public()
  @RateLimit('public')
  @Deprecated({ since: SINCE, successor: '/v1/api/notes/messages' })
  @WritesMessage(SaveMessageDto, PublicMessageViewDto, 'Answer a note that was created without credentials', {
    threadId: ID,
    description: 'It closes again.',
  })
  @ApiErrors(403, 503)
  async saveThreadMessage(@Body() body: SaveMessageDto, @Uploads() uploads: Upload[]) {
    const { workspaceId, id } = await this.threads.answerPublic(body, uploads);
    return publicMessage(await this.history.message(workspaceId, id));
  }
}
