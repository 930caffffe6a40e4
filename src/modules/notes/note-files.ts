import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import type { Upload } from '../../platform/body/upload.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { Author } from './note-input.js';
import { PublicQuotaError } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';

/** The files of notes and messages, and how much of them strangers may leave. */
@Injectable()
export class NoteFiles {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly notes: NotesRepository,
    private readonly config: Config,
  ) {}

  /** Brings the bytes to the storage, before the transaction that attaches them. @throws {PublicQuotaError} */
  async land(workspaceId: string, uploads: readonly Upload[], { source }: Author): Promise<void> {
    if (source === 'public') await this.checkQuota(workspaceId, this.sizeOf(uploads));
    await this.attachments.storeBlobs(workspaceId, uploads);
  }

  attach(workspaceId: string, ownerId: string, uploads: readonly Upload[], { userId }: Author): Promise<string[]> {
    return this.attachments.attach(workspaceId, ownerId, uploads, userId);
  }

  sizeOf(uploads: readonly Upload[]): number {
    return uploads.reduce((sum, { size }) => sum + size, 0);
  }

  /** Exact where the workspace's counter is held; before that it saves strangers' bytes the way. @throws {PublicQuotaError} */
  async checkQuota(workspaceId: string, newBytes: number): Promise<void> {
    const { publicQuotaBytes } = this.config.notes;
    if (newBytes === 0) return;
    const bytes = await this.notes.unreviewedBytes(workspaceId);
    if (bytes + newBytes > publicQuotaBytes) throw new PublicQuotaError(publicQuotaBytes);
  }
}
