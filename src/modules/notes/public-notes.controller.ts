import { Body, Controller, Post } from '@nestjs/common';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { EXAMPLE_PHOTO } from '../../platform/body/dto/file.dto.js';
import { type Upload, Uploads } from '../../platform/body/upload.js';
import { Deprecated } from '../../platform/http/deprecated.decorator.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Public } from '../../platform/security/require-scope.decorator.js';
import { RateLimit } from '../../platform/throttling/rate-limit.decorator.js';
import { RenewReplayedBodies } from '../../platform/http/idempotency/renew-replayed-bodies.decorator.js';
import { PublicMessageViewDto, PublicNoteViewDto } from './dto/note.dto.js';
import { PublicNoteDto, SaveMessageDto } from './dto/save-note.dto.js';
import { ANONYMOUS } from './note-author.js';
import { toPublicDto, toPublicMessageDto } from './note-mapping.js';
import { AddsMessage, noteReply, SavesNote } from './note-routes.decorator.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NotesService } from './notes.service.js';
import { NOTE_ERRORS } from './notes.errors.js';

const SINCE = '2026-11-21';
const ID = '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a';

/** The legacy endpoints without credentials (specification, section 4.9). */
@ApiGroup({
  name: 'Public notes',
  description:
    'Notes without credentials, for forms that anonymous callers fill in. They are deprecated; use the operations of Notes ' +
    'with credentials.',
  guide: 'notes',
})
@ApiErrors(NOTE_ERRORS.public_notes_off, NOTE_ERRORS.note_not_public)
@ApiErrors(NOTE_ERRORS.public_text_too_large, NOTE_ERRORS.public_quota_full)
@RenewReplayedBodies()
@Controller('v1/public')
export class PublicNotesController {
  constructor(
    private readonly notes: NotesService,
    private readonly noteMessages: NoteMessagesService,
  ) {}

  @Post('saveThread')
  @Public()
  @RateLimit('public')
  @Deprecated({ since: SINCE, successor: '/v1/api/notes' })
  @SavesNote({
    body: PublicNoteDto,
    response: PublicNoteViewDto,
    summary: 'Create or update a public note (saveThread)',
    description: 'The note can be updated until a user has written to it.',
    example: { projectId: ID, title: 'The hatch does not close', files: [EXAMPLE_PHOTO] },
  })
  async saveThread(@Body() body: PublicNoteDto, @Uploads() uploads: Upload[]) {
    const { note, created } = await this.notes.save(ANONYMOUS, body, uploads);
    return noteReply({ note: toPublicDto(note), created });
  }

  @Post('saveThreadMessage')
  @Public()
  @RateLimit('public')
  @Deprecated({ since: SINCE, successor: '/v1/api/notes/messages' })
  @AddsMessage({
    body: SaveMessageDto,
    response: PublicMessageViewDto,
    summary: 'Add a message to a public note',
    description: 'To a note that was created without credentials.',
    example: { threadId: ID, description: 'The hinge is loose.' },
  })
  async saveThreadMessage(@Body() body: SaveMessageDto, @Uploads() uploads: Upload[]) {
    return toPublicMessageDto(await this.noteMessages.add(ANONYMOUS, body.threadId, body, uploads));
  }
}
