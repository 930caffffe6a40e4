import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { NoteAuthor } from './note-author.js';
import { InvalidNoteError } from './notes.errors.js';
import { PublicNotesPolicy } from './public-notes.policy.js';
import { countStoredBytes } from './stored-bytes.js';

/** Files of a note: each read of the note returns all of them. A message has those of one request. */
export const MAX_NOTE_FILES = 100;

/** Files of notes and messages, within the quota of anonymous callers. */
@Injectable()
export class NoteFiles {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly policy: PublicNotesPolicy,
  ) {}

  /** Stores the bytes before the transaction that attaches them. @throws {PublicQuotaError} */
  async store(workspaceId: string, uploads: readonly Upload[], { source }: NoteAuthor): Promise<void> {
    const newBytes = source === 'public' ? countStoredBytes([], uploads) : 0;
    if (newBytes > 0) await this.policy.requireQuota(workspaceId, newBytes);
    await this.attachments.storeBlobs(workspaceId, uploads);
  }

  /** Attaches the files of a new note or message, whose bytes are already counted. @throws {PublicQuotaError} */
  async attach(
    workspaceId: string,
    ownerId: string,
    uploads: readonly Upload[],
    { userId, source }: NoteAuthor,
  ): Promise<void> {
    await this.attachments.attach(workspaceId, ownerId, uploads, userId);
    if (source === 'public') await this.policy.requireQuota(workspaceId);
  }

  /**
   * Attaches files to a locked note.
   *
   * @returns the IDs of those that it did not have.
   * @throws {InvalidNoteError} if the note would have too many files.
   */
  async add(
    workspaceId: string,
    noteId: string,
    uploads: readonly Upload[],
    { userId }: NoteAuthor,
  ): Promise<string[]> {
    if (uploads.length === 0) return [];
    const count = await this.attachments.count(workspaceId, noteId);
    if (count + uploads.length > MAX_NOTE_FILES) {
      const message = `The note would have ${count + uploads.length} files; the limit is ${MAX_NOTE_FILES}. Send the files with a message.`;
      throw new InvalidNoteError({ field: 'files', code: 'too_many_files', message });
    }
    return this.attachments.attach(workspaceId, noteId, uploads, userId);
  }

  /** @throws {PublicQuotaError} */
  requireQuota(workspaceId: string, newBytes: number): Promise<void> {
    return this.policy.requireQuota(workspaceId, newBytes);
  }
}
