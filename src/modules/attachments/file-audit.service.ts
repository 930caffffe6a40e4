import { Injectable } from '@nestjs/common';
import { FileStorage } from '../../platform/storage/file-storage.js';
import { AttachmentsRepository, type ReferencedBlob } from './attachments.repository.js';
import { UNCLAIMED_AFTER_S } from './blob-cleanup.js';
import { blobKey, parseBlobKey } from './blob-keys.js';
import { ReferencedBlobs } from './referenced-blobs.js';
import { readStoredHash } from './stored-hash.js';

/** Rows per statement. */
const BATCH = 1_000;

/**
 * `missing`: a row without bytes. `damaged`: the bytes do not match the row's SHA-256. `unknown`: bytes without a row.
 */
export interface FileProblem {
  problem: 'missing' | 'damaged' | 'unknown';
  key: string;
  /** Attachments that reference the blob. */
  attachments: number;
}

export interface FileAudit {
  /** Blobs that were read and hashed. */
  files: number;
  /** Their total size. */
  bytes: number;
  errors: FileProblem[];
}

/** Compares the storage with the rows. Reads every byte, so it takes long; changes nothing. */
@Injectable()
export class FileAuditService {
  constructor(
    private readonly repository: AttachmentsRepository,
    private readonly referenced: ReferencedBlobs,
    private readonly storage: FileStorage,
  ) {}

  /** @param workspaceId limits the audit to one workspace. */
  async verify(workspaceId?: string): Promise<FileAudit> {
    const audit: FileAudit = { files: 0, bytes: 0, errors: [] };
    for await (const blob of this.referenced.list(workspaceId)) await this.verifyBlob(blob, audit);
    for await (const key of this.findUnknown(workspaceId))
      audit.errors.push({ problem: 'unknown', key, attachments: 0 });
    return audit;
  }

  private async verifyBlob(
    { workspaceId, sha256, size, attachments }: ReferencedBlob,
    audit: FileAudit,
  ): Promise<void> {
    const key = blobKey(workspaceId, sha256);
    const stored = await readStoredHash(this.storage, key);
    if (stored === undefined) {
      audit.errors.push({ problem: 'missing', key, attachments });
      return;
    }
    audit.files += 1;
    audit.bytes += size;
    if (stored !== sha256) audit.errors.push({ problem: 'damaged', key, attachments });
  }

  /** Keys of stored files without a row that are older than the time limit of uploads. */
  private async *findUnknown(workspaceId?: string): AsyncGenerator<string> {
    const before = Date.now() - UNCLAIMED_AFTER_S * 1000;
    let batch: string[] = [];
    for await (const { key, modifiedAt } of this.storage.list(workspaceId && `${workspaceId}/`)) {
      if (modifiedAt.getTime() < before) batch.push(key);
      if (batch.length === BATCH) {
        yield* await this.selectUnknown(batch);
        batch = [];
      }
    }
    yield* await this.selectUnknown(batch);
  }

  private async selectUnknown(keys: readonly string[]): Promise<string[]> {
    const blobs = keys.map((key) => parseBlobKey(key));
    const existing = await this.repository.listExisting(blobs.filter((blob) => blob !== undefined));
    const known = new Set(existing.map(({ workspaceId, sha256 }) => blobKey(workspaceId, sha256)));
    return keys.filter((_, at) => {
      const blob = blobs[at];
      return !blob || !known.has(blobKey(blob.workspaceId, blob.sha256));
    });
  }
}
