import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../../platform/jobs/cleanup-jobs.js';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { Blob } from './blob.entity.js';

const UNCLAIMED = `
  NOT EXISTS (SELECT FROM attachments a WHERE a.workspace_id = b.workspace_id AND a.sha256 = b.sha256)
  AND b.touched_at < clock_timestamp() - make_interval(secs => $1)`;

interface Unclaimed {
  workspaceId: string;
  sha256: string;
}

/**
 * Removes bytes that no record claims: of requests that were refused, or broke off. A row is locked while its bytes go,
 * and whoever brings the same bytes meanwhile waits for it, then brings them anew. So a file is never swept from under a
 * record, as long as bytes have longer to be claimed than a request takes.
 */
@Injectable()
export class BlobCleanup implements OnModuleInit {
  private readonly afterS: number;

  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    private readonly cleanup: CleanupJobs,
    config: Config,
  ) {
    this.afterS = config.attachments.unclaimedAfterS;
  }

  onModuleInit(): void {
    this.cleanup.register('files that no record claims', (batch) => this.sweep(batch));
  }

  /** @returns how many were found. */
  private async sweep(batch: number): Promise<number> {
    const found = await this.database.query<Unclaimed>(
      `SELECT b.workspace_id AS "workspaceId", b.sha256 FROM blobs b WHERE ${UNCLAIMED} ORDER BY b.touched_at LIMIT $2`,
      [this.afterS, batch],
    );
    for (const blob of found) await this.database.transaction(() => this.remove(blob));
    return found.length;
  }

  private async remove({ workspaceId, sha256 }: Unclaimed): Promise<void> {
    // Looked at once more under its lock: it may have been claimed or brought again since.
    const [locked] = await this.database.query(
      `SELECT FROM blobs b WHERE ${UNCLAIMED} AND b.workspace_id = $2 AND b.sha256 = $3 FOR UPDATE SKIP LOCKED`,
      [this.afterS, workspaceId, sha256],
    );
    if (!locked) return;
    await this.storage.remove(thumbnailKey(workspaceId, sha256));
    await this.storage.remove(blobKey(workspaceId, sha256));
    await this.database.manager.delete(Blob, { workspaceId, sha256 });
  }
}
