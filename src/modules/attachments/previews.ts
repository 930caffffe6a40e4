import { buffer } from 'node:stream/consumers';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { SharpOptions } from 'sharp';
import { BackgroundJobs } from '../../platform/jobs/background-jobs.js';
import { Database } from '../../platform/database/database.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { blobKey, thumbnailKey } from './blob-keys.js';

/** The longest side of a small picture, in pixels. */
const THUMBNAIL_SIDE = 480;

/** Larger images are kept, and not opened: a few kilobytes may unfold to gigabytes. */
const MAX_PIXELS = 100_000_000;

/** How often an instance looks for images, in milliseconds. */
const PAUSE_MS = 1_000;

/** How long one may take before another instance tries, and how often it is tried: what kills the process is given up. */
const LEASE_S = 60;
const ATTEMPTS = 3;

const CLAIM = `
  UPDATE blobs SET preview_attempts = preview_attempts + 1,
                   preview_due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
   WHERE (workspace_id, sha256) IN (
     SELECT workspace_id, sha256 FROM blobs
      WHERE preview = 'pending' AND preview_due_at <= clock_timestamp()
      ORDER BY preview_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING workspace_id AS "workspaceId", sha256, preview_attempts AS attempts`;

interface Claimed {
  workspaceId: string;
  sha256: string;
  attempts: number;
}

interface Preview {
  width: number;
  height: number;
  thumbnail: Buffer;
}

/**
 * Looks at images off the request's path: their size in pixels, and a small picture of each. One at a time an instance;
 * instances share the work by claiming it. An image that cannot be read is kept without.
 */
@Injectable()
export class Previews implements OnModuleInit {
  private readonly logger = new Logger(Previews.name);

  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    private readonly background: BackgroundJobs,
  ) {}

  onModuleInit(): void {
    this.background.register('Looking at images', () => this.makeNext());
  }

  /** @returns how long to wait for the next one. */
  private async makeNext(): Promise<number> {
    const [claimed] = await this.database.query<Claimed>(CLAIM);
    if (!claimed) return PAUSE_MS;
    const bytes = await this.read(claimed);
    const preview = await this.make(bytes, claimed.attempts).catch((error: unknown) => {
      this.logger.debug(`No preview of ${claimed.sha256}: ${(error as Error).message}`);
      return undefined;
    });
    const { workspaceId, sha256 } = claimed;
    if (preview) await this.storage.write(thumbnailKey(workspaceId, sha256), preview.thumbnail);
    await this.database.query(
      'UPDATE blobs SET preview = $3, preview_due_at = NULL, width = $4, height = $5 WHERE workspace_id = $1 AND sha256 = $2',
      [workspaceId, sha256, preview ? 'ready' : 'failed', preview?.width, preview?.height],
    );
    return 0;
  }

  /** A storage that cannot be reached is not the image's fault: the attempt does not count. */
  private async read({ workspaceId, sha256 }: Claimed): Promise<Buffer> {
    try {
      return await buffer(await this.storage.open(blobKey(workspaceId, sha256)));
    } catch (error) {
      const sql = 'UPDATE blobs SET preview_attempts = preview_attempts - 1 WHERE workspace_id = $1 AND sha256 = $2';
      await this.database.query(sql, [workspaceId, sha256]);
      throw error;
    }
  }

  private async make(bytes: Buffer, attempts: number): Promise<Preview> {
    if (attempts > ATTEMPTS) throw new Error(`given up after ${ATTEMPTS} attempts`);
    // Loaded with the first image: it takes a while, and many a process never meets one.
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
}
