import { Injectable } from '@nestjs/common';
import type { Upload } from '../../platform/body/upload.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { NoteAuthor } from './note-author.js';
import { PublicNotesPolicy } from './public-notes.policy.js';
import { countStoredBytes } from './stored-bytes.js';

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

  /** Attaches files to a note. @returns the IDs of those that it did not have. */
  add(workspaceId: string, noteId: string, uploads: readonly Upload[], { userId }: NoteAuthor): Promise<string[]> {
    return this.attachments.attach(workspaceId, noteId, uploads, userId);
  }

  /** @throws {PublicQuotaError} */
  requireQuota(workspaceId: string, newBytes: number): Promise<void> {
    return this.policy.requireQuota(workspaceId, newBytes);
  }
}
