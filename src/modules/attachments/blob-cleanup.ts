import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { AttachmentsRepository, type BlobKey } from './attachments.repository.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { StoredBlob } from './stored-blob.entity.js';

/** How long a blob without a record is stored, in seconds: six hours. It exceeds the duration of any request. */
export const UNCLAIMED_AFTER_S = 6 * 3_600;

/**
 * Removes blobs that no attachment references: those of rejected and aborted requests, and of deleted attachments.
 *
 * The row is locked while the bytes are removed. A request that uploads the same bytes at that time waits for the lock
 * and then stores them again, so an attached blob is never removed as long as the time limit exceeds the duration of a
 * request.
 */
@Injectable()
export class BlobCleanup implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly storage: FileStorage,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.cleanUp('unreferenced blobs', (limit) => this.removeUnreferenced(limit));
  }

  /** @returns the number of blobs found, which may include blobs that were referenced since. */
  private async removeUnreferenced(limit: number): Promise<number> {
    const found = await this.repository.listUnreferenced(UNCLAIMED_AFTER_S, limit);
    for (const blob of found) await this.database.transaction(() => this.remove(blob));
    return found.length;
  }

  private async remove(blob: BlobKey): Promise<void> {
    if (!(await this.repository.lockUnreferenced(blob, UNCLAIMED_AFTER_S))) return;
    const { workspaceId, sha256 } = blob;
    await this.storage.remove(thumbnailKey(workspaceId, sha256));
    await this.storage.remove(blobKey(workspaceId, sha256));
    await this.database.repository(StoredBlob).delete({ workspaceId, sha256 });
  }
}
