import { Injectable } from '@nestjs/common';
import { DomainError, NotFoundError } from '../../../packages/errors/src/domain-error.js';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import type { NoteMessageDto } from './dto/note.dto.js';
import type { WorkspaceMessageDto } from './dto/save-note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { NoteFiles } from './note-files.js';
import { NotePermissions } from './note-permissions.js';
import { NoteReaderService } from './note-reader.service.js';
import { Note } from './note.entity.js';
import { InvalidNoteError, NOTE_ERRORS } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';
import { countStoredBytes } from './stored-bytes.js';

/** Adds messages to notes (specification, section 4.8). */
@Injectable()
export class NoteMessagesService {
  constructor(
    private readonly database: Database,
    private readonly repository: NotesRepository,
    private readonly reader: NoteReaderService,
    private readonly files: NoteFiles,
    private readonly permissions: NotePermissions,
  ) {}

  /**
   * Adds a message with text, files or both to a note.
   *
   * @throws {InvalidNoteError} if the message has neither text nor files.
   * @throws {NotFoundError | PublicQuotaError | PublicTextTooLargeError}
   * @throws {DomainError} `public_notes_off`, `note_archived`
   */
  async add(
    author: NoteAuthor,
    noteId: string,
    { description = null }: WorkspaceMessageDto,
    uploads: readonly Upload[],
  ): Promise<NoteMessageDto> {
    this.permissions.requireText(author, { description });
    const workspaceId = await this.permissions.authorizeMessage(author, noteId);
    if (description === null && uploads.length === 0) {
      const message = 'A message needs a description, files or both.';
      throw new InvalidNoteError({ field: 'description', code: 'required', message });
    }
    const message = { workspaceId, noteId, description };
    await this.files.store(workspaceId, uploads, author);
    const inserted = await this.database.transaction(async () => {
      const newBytes = author.source === 'public' ? countStoredBytes([{ description }], uploads) : 0;
      const stored = await this.repository.insertMessage(message, author, newBytes);
      if (stored) await this.files.attach(workspaceId, stored.id, uploads, author);
      return stored;
    });
    return inserted ? this.reader.toMessageDto(inserted) : this.reject(workspaceId, noteId);
  }

  /** Rejects a message to a note that does not exist or was archived. */
  private async reject(workspaceId: string, noteId: string): Promise<never> {
    const exists = await this.database.repository(Note).existsBy({ workspaceId, id: noteId });
    throw exists ? new DomainError(NOTE_ERRORS.note_archived) : new NotFoundError('The note');
  }
}
