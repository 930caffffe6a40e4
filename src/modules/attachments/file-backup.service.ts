import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import { Config } from '../../platform/config/config.js';
import { DiskStorage } from '../../platform/storage/disk-storage.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { MissingFileError } from '../../platform/storage/storage.errors.js';
import type { ReferencedBlob } from './attachments.repository.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import type { FileProblem } from './file-audit.service.js';
import { ReferencedBlobs } from './referenced-blobs.js';
import { readStoredHash } from './stored-hash.js';

/** What a backup or a restore of files did. */
export interface FileCopies {
  copied: number;
  /** Size of the copied files. */
  bytes: number;
  /** Files that the target already has. */
  present: number;
  errors: FileProblem[];
}

/** Between which storages, and where the files are written before they are complete. */
interface Copy {
  from: Pick<FileStorage, 'open'>;
  to: FileStorage;
  drafts: string;
  /** Compare the content of files that the target has, or only their size? */
  comparesContent: boolean;
}

/**
 * Copies the files of all attachments from the storage into a folder, and back. The folder has the layout of
 * `DATA_DIR`. Files are named by their content, so a file that the target has is copied again only if it is damaged.
 */
@Injectable()
export class FileBackupService {
  constructor(
    private readonly referenced: ReferencedBlobs,
    private readonly storage: FileStorage,
    private readonly config: Config,
  ) {}

  /** @param comparesContent reads the files that the folder has, and copies damaged ones again. */
  async backUp(folder: string, comparesContent: boolean): Promise<FileCopies> {
    const to = new DiskStorage({ dataDir: folder });
    const drafts = join(folder, 'temporary');
    try {
      return await this.copyAll({ from: this.storage, to, drafts, comparesContent });
    } finally {
      await rm(drafts, { recursive: true, force: true });
    }
  }

  /** Restores the files that the storage lacks, or that are damaged there. */
  restore(folder: string): Promise<FileCopies> {
    const from = new DiskStorage({ dataDir: folder });
    const drafts = join(this.config.dataDir, 'temporary');
    return this.copyAll({ from, to: this.storage, drafts, comparesContent: true });
  }

  private async copyAll(copy: Copy): Promise<FileCopies> {
    const copies: FileCopies = { copied: 0, bytes: 0, present: 0, errors: [] };
    await createDirectory(copy.drafts, 0o700);
    for await (const blob of this.referenced.list()) {
      await this.copyBlob(copy, blob, copies);
      await this.copyThumbnail(copy, blob);
    }
    return copies;
  }

  private async copyBlob(
    copy: Copy,
    { workspaceId, sha256, size, attachments }: ReferencedBlob,
    copies: FileCopies,
  ): Promise<void> {
    const key = blobKey(workspaceId, sha256);
    const isPresent = copy.comparesContent
      ? (await readStoredHash(copy.to, key)) === sha256
      : (await copy.to.findSize(key)) === size;
    if (isPresent) {
      copies.present += 1;
      return;
    }
    const copied = await copyFile(copy, key, sha256);
    if (copied === 'copied') {
      copies.copied += 1;
      copies.bytes += size;
    } else copies.errors.push({ problem: copied, key, attachments });
  }

  /** Pictures that are not decoded yet and other files have none. */
  private async copyThumbnail(copy: Copy, { workspaceId, sha256 }: ReferencedBlob): Promise<void> {
    const key = thumbnailKey(workspaceId, sha256);
    if ((await copy.to.findSize(key)) === undefined) await copyFile(copy, key);
  }
}

/** @param expected the SHA-256 of the content; absent if it is not stored. */
export async function copyFile({ from, to, drafts }: Omit<Copy, 'comparesContent'>, key: string, expected?: string) {
  const path = join(drafts, randomUUID());
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await pipeline(await from.open(key), measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    const sha256 = hash.digest('hex');
    if (expected !== undefined && sha256 !== expected) return 'damaged';
    await to.put(key, { path, size, sha256 });
    return 'copied';
  } catch (error) {
    if (error instanceof MissingFileError) return 'missing';
    throw error;
  } finally {
    // The local disk has moved the file.
    await rm(path, { force: true });
  }
}
