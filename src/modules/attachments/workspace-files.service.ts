import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { createDirectory } from '../../../packages/files/src/create-directory.js';
import { Config } from '../../platform/config/config.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import type { ReferencedBlob } from './attachments.repository.js';
import { blobKey } from './blob-keys.js';
import { copyFile } from './file-backup.service.js';
import { ReferencedBlobs } from './referenced-blobs.js';

/** A file as its rows describe it. */
export type WorkspaceFile = Pick<ReferencedBlob, 'sha256' | 'size'>;

/** All files of one workspace, to export, import and remove them. */
@Injectable()
export class WorkspaceFilesService {
  constructor(
    private readonly referenced: ReferencedBlobs,
    private readonly storage: FileStorage,
    private readonly config: Config,
  ) {}

  /** The files that attachments reference. */
  async list(workspaceId: string): Promise<WorkspaceFile[]> {
    const files: WorkspaceFile[] = [];
    for await (const { sha256, size } of this.referenced.list(workspaceId)) files.push({ sha256, size });
    return files;
  }

  /** @throws {MissingFileError} */
  open(workspaceId: string, sha256: string): Promise<Readable> {
    return this.storage.open(blobKey(workspaceId, sha256));
  }

  /** Stores the content. Its row is written by the caller. @returns false if it has another SHA-256. */
  async store(workspaceId: string, sha256: string, content: Readable): Promise<boolean> {
    const drafts = join(this.config.dataDir, 'temporary');
    await createDirectory(drafts, 0o700);
    const copy = { from: { open: () => Promise.resolve(content) }, to: this.storage, drafts };
    return (await copyFile(copy, blobKey(workspaceId, sha256), sha256)) === 'copied';
  }

  /** Removes the files and their thumbnails. */
  async removeAll(workspaceId: string): Promise<void> {
    for await (const { key } of this.storage.list(`${workspaceId}/`)) await this.storage.remove(key);
  }
}
