import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { SharpOptions } from 'sharp';
import { Database } from '../../platform/database/database.js';
import { JobQueues } from '../../platform/jobs/job-queues.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { AttachmentsRepository, DUE_PREVIEWS, OLDEST_PREVIEW, type LeasedPreview } from './attachments.repository.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { StoredBlob } from './stored-blob.entity.js';

/** Longest side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 480;

/** Larger images get no preview: a file of a few kilobytes may decode to gigabytes. */
const MAX_PIXELS = 100_000_000;

/** Time after which another instance retries a preview, in seconds. */
const LEASE_S = 60;

/** An image that crashed the process this often gets no preview. */
const MAX_ATTEMPTS = 3;

interface Preview {
  width: number;
  height: number;
  thumbnail: Buffer;
}

/**
 * Background job that determines the size of images and makes their thumbnails. Each instance processes one image at a
 * time and leases it first. An image that cannot be decoded has no preview.
 */
@Injectable()
export class Previews implements OnModuleInit {
  private readonly logger = new Logger(Previews.name);

  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly storage: FileStorage,
    private readonly queues: JobQueues,
  ) {}

  onModuleInit(): void {
    const oldest = { queue: 'previews', select: OLDEST_PREVIEW };
    this.queues.register('Making image previews', DUE_PREVIEWS, () => this.makeNext(), oldest);
  }

  /** @returns undefined if no preview was due. */
  private async makeNext(): Promise<0 | undefined> {
    const leased = await this.repository.leasePreview(LEASE_S);
    if (!leased) return undefined;
    const bytes = await this.read(leased);
    const { workspaceId, sha256, attempts } = leased;
    const preview = await makePreview(bytes, attempts).catch((error: unknown) => {
      this.logger.debug(`No preview of ${sha256}: ${(error as Error).message}`);
      return undefined;
    });
    if (preview) await this.storage.write(thumbnailKey(workspaceId, sha256), preview.thumbnail);
    const size = preview && { width: preview.width, height: preview.height };
    const values = { preview: preview ? ('ready' as const) : ('failed' as const), previewDueAt: null, ...size };
    await this.database.repository(StoredBlob).update({ workspaceId, sha256 }, values);
    return 0;
  }

  /** An attempt does not count if the storage is unavailable. */
  private async read({ workspaceId, sha256 }: LeasedPreview): Promise<Buffer> {
    try {
      return await buffer(await this.storage.open(blobKey(workspaceId, sha256)));
    } catch (error) {
      await this.database.repository(StoredBlob).decrement({ workspaceId, sha256 }, 'previewAttempts', 1);
      throw error;
    }
  }
}

async function makePreview(bytes: Buffer, attempts: number): Promise<Preview> {
  if (attempts > MAX_ATTEMPTS) throw new Error(`gave up after ${MAX_ATTEMPTS} attempts`);
  // Imported on first use: loading takes long, and many processes never receive an image.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  const options: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error' };
  const { width, height } = (await sharp(bytes, options).metadata()).autoOrient;
  const thumbnail = await sharp(bytes, options)
    .autoOrient()
    .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
    .webp()
    .toBuffer();
  return { width, height, thumbnail };
}
