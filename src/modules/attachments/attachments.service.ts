import { Injectable } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { withExtension } from '../../platform/body/file-extensions.js';
import { toFileKind } from '../../platform/body/file-types.js';
import type { Upload } from '../../platform/body/upload.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { Database } from '../../platform/database/database.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { Directory } from '../../platform/database/directory.js';
import { NotFoundError, UnavailableError } from '../../../packages/errors/src/domain-error.js';
import type { ServedFile } from '../../platform/http/file-reply.js';
import { callerMay, listCallerPolicies } from '../../platform/security/caller-policies.js';
import type { Scope } from '../../platform/security/scopes.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import { Attachment } from './attachment.entity.js';
import { ATTACHMENT_ERRORS } from './attachments.errors.js';
import { type AttachedFile, AttachmentsRepository } from './attachments.repository.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { type FileVariant, SignedUrls } from './signed-urls.js';

/** A stored blob and the name to attach it under. */
export type Attachable = Pick<Upload, 'filename' | 'kind' | 'sha256'>;

/** Which files a module shows. */
export interface FileRule {
  /** The caller needs one of them. */
  scopes: readonly Scope[];
  /** Is the owner, of this or of another module, a record of the module that exists for the caller? */
  shows: (workspaceId: string, ownerId: string) => Promise<boolean>;
}

/**
 * The files of records. Blobs are stored first, once per workspace; the attachments that reference them commit with the
 * record. A row without bytes therefore never exists, and a cleanup job removes bytes without a row (blob-cleanup.ts).
 */
@Injectable()
export class AttachmentsService {
  private readonly rules: FileRule[] = [];

  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly storage: FileStorage,
    private readonly repository: AttachmentsRepository,
    private readonly urls: SignedUrls,
    private readonly jobs: Jobs,
  ) {}

  /** Registers which files callers may read. Those that no module shows do not exist for them. */
  register(rule: FileRule): void {
    this.rules.push(rule);
  }

  /**
   * Stores the bytes. Call it before the transaction that attaches them, because it may take long.
   *
   * @throws {UnavailableError} if the storage is full or unreachable.
   */
  async storeBlobs(workspaceId: string, uploads: readonly Upload[]): Promise<void> {
    if (uploads.length === 0) return;
    const files = [...new Map(uploads.map((upload) => [upload.sha256, upload])).values()];
    // The cleanup job must see the new rows at once, also if this request runs in a deferred transaction.
    await this.database.outsideTransaction(() => this.repository.touchBlobs(workspaceId, files));
    for (const file of files) {
      const key = blobKey(workspaceId, file.sha256);
      if ((await this.storage.findSize(key)) !== file.size) await this.storage.put(key, file);
    }
  }

  /**
   * Attaches stored blobs, in the transaction that writes their owner.
   *
   * @returns the IDs of the attachments, in the order of the uploads.
   * @throws {UnavailableError} if the cleanup job removed the blobs meanwhile: the request took too long.
   */
  async attach(
    workspaceId: string,
    ownerId: string,
    uploads: readonly Attachable[],
    createdBy: string | null,
  ): Promise<string[]> {
    if (uploads.length === 0) return [];
    const rows = uploads.map(({ sha256, filename }) => {
      return { workspaceId, id: uuid(), ownerId, sha256, filename, createdBy };
    });
    const toExpired = (cause: unknown) => new UnavailableError(ATTACHMENT_ERRORS.upload_expired, undefined, { cause });
    const inserting = this.database.repository(Attachment).insert(rows);
    await inserting.catch(translateSqlState(SQLSTATE.foreignKeyViolation, toExpired));
    const hasPreview = ({ kind }: Attachable) => kind === 'image' || kind === 'video';
    const hashes = uploads.filter(hasPreview).map(({ sha256 }) => sha256);
    // Sorted, so that concurrent requests lock the rows in the same order.
    if (hashes.length > 0) {
      await this.repository.schedulePreviews(workspaceId, hashes.sort());
      this.jobs.wakeAfterCommit();
    }
    const ids = rows.map(({ id }) => id);
    await this.directory.add('attachment', workspaceId, ids);
    return ids;
  }

  /**
   * Deletes the attachments of the owners. The cleanup job removes blobs that are then unreferenced.
   *
   * @returns how many.
   */
  detach(workspaceId: string, ownerIds: readonly string[]): Promise<number> {
    return this.repository.deleteOf(workspaceId, ownerIds);
  }

  /** An attachment of any record of the workspace that exists for the caller, to attach its blob to another record. */
  async find(workspaceId: string, id: string): Promise<Attachable | undefined> {
    const file = await this.findVisible(workspaceId, id);
    return file && { filename: file.filename, kind: toFileKind(file.contentType), sha256: file.sha256 };
  }

  /** The number of files of an owner. */
  count(workspaceId: string, ownerId: string): Promise<number> {
    return this.database.repository(Attachment).countBy({ workspaceId, ownerId });
  }

  /** The files of each owner with signed URLs, in the order in which they were attached. */
  async listByOwners(workspaceId: string, ownerIds: readonly string[]): Promise<Map<string, StoredFileDto[]>> {
    const files = new Map<string, StoredFileDto[]>(ownerIds.map((ownerId) => [ownerId, []]));
    const expires = this.urls.nextExpiry();
    for (const { ownerId, hasThumbnail, ...file } of await this.repository.listFiles(workspaceId, ownerIds)) {
      files.get(ownerId)!.push({
        ...file,
        kind: toFileKind(file.contentType),
        url: this.urls.sign(file.id, 'file', expires),
        thumbnailUrl: hasThumbnail ? this.urls.sign(file.id, 'thumbnail', expires) : null,
        urlExpiresAt: new Date(expires * 1000),
      });
    }
    return files;
  }

  /**
   * Opens a file or its thumbnail for a caller with access to the workspaces.
   *
   * @throws {NotFoundError}
   */
  async open(workspaceIds: readonly string[] | 'any', id: string, variant: FileVariant): Promise<ServedFile> {
    const workspaceId = await this.directory.findWorkspace('attachment', id);
    const isAccessible = workspaceId !== undefined && (workspaceIds === 'any' || workspaceIds.includes(workspaceId));
    const file = isAccessible ? await this.findVisible(workspaceId, id) : undefined;
    if (!isAccessible || !file) throw new NotFoundError('The attachment');
    if (variant === 'thumbnail') return this.readThumbnail(workspaceId, file);
    const { sha256, size, contentType } = file;
    const filename = withExtension(file.filename, contentType);
    const key = blobKey(workspaceId, sha256);
    return { tag: sha256, size, contentType, filename, ...this.read(key) };
  }

  /**
   * Opens a file or its thumbnail by its signed URL. `expires` is in seconds since the Unix epoch.
   *
   * @throws {NotFoundError | DomainError} `invalid_signature`
   */
  async openSigned(id: string, variant: FileVariant, target: string): Promise<{ file: ServedFile; expires: number }> {
    const expires = this.urls.verify(id, variant, target);
    return { file: await this.open('any', id, variant), expires };
  }

  /** Undefined if the scopes or an access policy limit the caller, and no module shows the file. */
  private async findVisible(workspaceId: string, id: string): Promise<AttachedFile | undefined> {
    const file = await this.repository.findFile(workspaceId, id);
    const rules = this.rules.filter(({ scopes }) => scopes.some((scope) => callerMay(workspaceId, scope)));
    const isLimited = listCallerPolicies(workspaceId).length > 0 || rules.length < this.rules.length;
    if (!file || !isLimited) return file;
    for (const { shows } of rules) if (await shows(workspaceId, file.ownerId)) return file;
    return undefined;
  }

  private async readThumbnail(
    workspaceId: string,
    { sha256, filename, hasThumbnail }: AttachedFile,
  ): Promise<ServedFile> {
    const key = thumbnailKey(workspaceId, sha256);
    const size = hasThumbnail ? await this.storage.findSize(key) : undefined;
    if (size === undefined) throw new NotFoundError('The thumbnail');
    return {
      tag: `${sha256}-thumbnail`,
      size,
      contentType: 'image/webp',
      filename: `${filename.replace(/\.[^.]*$/, '')}-thumbnail.webp`,
      ...this.read(key),
    };
  }

  private read(key: string): Pick<ServedFile, 'occupancy' | 'open'> {
    return { occupancy: () => this.storage.occupancy, open: (range) => this.storage.open(key, range) };
  }
}
