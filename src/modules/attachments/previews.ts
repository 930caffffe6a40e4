import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { UnavailableError } from '../../../packages/errors/src/domain-error.js';
import { AUDIO_TYPES } from '../../platform/body/file-types.js';
import { Database } from '../../platform/database/database.js';
import { isDatabaseUnavailable } from '../../platform/database/database.errors.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { AttachmentsRepository, DUE_PREVIEWS, OLDEST_PREVIEW, type LeasedPreview } from './attachments.repository.js';
import { PreviewTurns } from './preview-turns.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { decodeFile, type DecodedFile } from './image-process.js';
import { StoredBlob } from './stored-blob.entity.js';

/** Time after which another instance retries a preview, in seconds. */
const LEASE_S = 60;

/**
 * An attempt is repeated once if a stop of the service interrupted it, or if its result could not be stored. An image
 * whose process was killed is not repeated, because the service goes on and stores the result.
 */
const MAX_ATTEMPTS = 2;

/**
 * Background job that determines the size of images and makes their thumbnails. Each instance processes one image at a
 * time and leases it first; workspaces and their authors take turns. An image that cannot be decoded has no thumbnail,
 * and has a size if its header is readable.
 */
@Injectable()
export class Previews implements OnModuleInit {
  private readonly logger = new Logger(Previews.name);
  private readonly turns = new PreviewTurns();

  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly storage: FileStorage,
    private readonly jobs: Jobs,
  ) {}

  onModuleInit(): void {
    this.jobs.processQueue({
      name: 'Making image previews',
      due: DUE_PREVIEWS,
      run: () => this.makeNext(),
      oldest: { queue: 'previews', select: OLDEST_PREVIEW },
    });
  }

  /** @returns undefined if no preview was due. */
  private async makeNext(): Promise<0 | undefined> {
    const leased = await this.leaseNext();
    if (!leased) return undefined;
    try {
      await this.make(leased);
    } catch (error) {
      const { workspaceId, sha256 } = leased;
      if (isTemporary(error)) {
        await this.database.repository(StoredBlob).decrement({ workspaceId, sha256 }, 'previewAttempts', 1);
        throw error;
      }
      // The attempt counts, and does not delay the previews of other files.
      this.logger.warn(`The preview of ${sha256} failed: ${(error as Error).message}`);
    }
    return 0;
  }

  private async make(leased: LeasedPreview): Promise<void> {
    const { workspaceId, sha256, contentType } = leased;
    const { size, thumbnail, isAudioOnly, reason } = await this.decode(leased);
    if (thumbnail) await this.storage.write(thumbnailKey(workspaceId, sha256), thumbnail);
    if (reason !== undefined) this.logger.debug(`${sha256} could not be read: ${reason}`);
    const values = {
      preview: thumbnail ? 'ready' : 'failed',
      previewDueAt: null,
      contentType: isAudioOnly ? AUDIO_TYPES.get(contentType) : contentType,
      ...size,
    } as const;
    await this.database.repository(StoredBlob).update({ workspaceId, sha256 }, values);
  }

  private async decode({ workspaceId, sha256, attempts, contentType }: LeasedPreview): Promise<DecodedFile> {
    if (attempts > MAX_ATTEMPTS) return { reason: `gave up after ${MAX_ATTEMPTS} attempts` };
    const bytes = await buffer(await this.storage.open(blobKey(workspaceId, sha256)));
    return decodeFile(bytes, AUDIO_TYPES.has(contentType) ? contentType : undefined);
  }

  private async leaseNext(): Promise<LeasedPreview | undefined> {
    for (;;) {
      const due = this.turns.sort(await this.repository.listDuePreviews());
      if (due.length === 0) return undefined;
      for (const preview of due) {
        const leased = await this.repository.leasePreview(preview, LEASE_S);
        if (!leased) continue;
        this.turns.take(preview);
        return leased;
      }
      // Other instances have leased all of them. Their authors may have more.
    }
  }
}

/** Is the storage, the database or a resource of the operating system unavailable, whatever the file contains? */
function isTemporary(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return error instanceof UnavailableError || isDatabaseUnavailable(error) || syscall !== undefined;
}
