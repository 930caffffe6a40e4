import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import type { Upload } from '../../platform/body/upload.js';
import { NoteFiles } from './note-files.js';
import type { Author } from './note-input.js';
import { NoteMessage } from './note-message.entity.js';
import { InvalidNoteError } from './notes.errors.js';
import { NotesService } from './notes.service.js';

/** Answers to notes (specification, sections 4.8 and 4.9). */
@Injectable()
export class NoteMessagesService {
  constructor(
    private readonly database: Database,
    private readonly notes: NotesService,
    private readonly files: NoteFiles,
  ) {}

  /**
   * Answers a note: with words, with files, or both. The message and its files are stored together, or nothing is.
   *
   * @returns the message's id.
   * @throws {InvalidNoteError | NotFoundError | NoteArchivedError | PublicQuotaError}
   */
  async add(
    workspaceId: string,
    noteId: string,
    description: string | null,
    uploads: readonly Upload[],
    author: Author,
  ): Promise<string> {
    if (description === null && uploads.length === 0) {
      const message = 'A message has a description, or files, or both.';
      throw new InvalidNoteError('description', 'required', message);
    }
    await this.files.land(workspaceId, uploads, author);
    return this.database.transaction(async () => {
      const note = await this.notes.getOpen(workspaceId, noteId, author);
      const id = uuid();
      const createdAt = new Date();
      await this.database.manager.insert(NoteMessage, {
        workspaceId,
        id,
        noteId: note.id,
        description,
        source: author.source,
        createdAt,
        createdBy: author.userId,
      });
      await this.files.attach(workspaceId, id, uploads, author);
      const values = { messageCount: note.messageCount + 1, lastMessageAt: createdAt };
      const told = [{ kind: 'message' as const, messageId: id }];
      await this.notes.write(note, values, told, author, this.files.sizeOf(uploads));
      return id;
    });
  }
}
