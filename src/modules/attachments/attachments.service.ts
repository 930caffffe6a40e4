import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import { Directory } from '../../platform/database/directory.js';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { ServedFile } from '../../platform/http/file-reply.js';
import { FileStorage } from '../../platform/storage/file-storage.js';
import type { FileKind, StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import type { Upload } from '../../platform/body/upload.js';
import { Attachment } from './attachment.entity.js';
import { UploadExpiredError } from './attachments.errors.js';
import { blobKey, thumbnailKey } from './blob-keys.js';
import { type Part, SignedUrls } from './signed-urls.js';

/** Claims the bytes for a while, so that the sweeper leaves them to whoever is about to attach them. */
const TOUCH = `
  INSERT INTO blobs (workspace_id, sha256, size, content_type, touched_at, preview)
  SELECT $1, sha256, size, type, clock_timestamp(), preview
    FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[]) AS sent (sha256, size, type, preview)
   ORDER BY sha256
  ON CONFLICT (workspace_id, sha256) DO UPDATE SET touched_at = excluded.touched_at`;

/** What is claimed for good may be looked at. */
const LOOK_AT = `
  UPDATE blobs SET preview_due_at = clock_timestamp()
   WHERE workspace_id = $1 AND sha256 = ANY ($2::text[]) AND preview = 'pending' AND preview_due_at IS NULL`;

const SELECT = `
  SELECT a.id, a.owner_id AS "ownerId", a.filename, b.content_type AS "contentType", b.size::float8 AS size, b.sha256,
         b.width, b.height, b.preview = 'ready' AS "hasThumbnail", a.created_at AS "createdAt"
    FROM attachments a JOIN blobs b ON b.workspace_id = a.workspace_id AND b.sha256 = a.sha256
   WHERE a.workspace_id = $1`;

interface Found extends Omit<StoredFileDto, 'kind' | 'url' | 'thumbnailUrl' | 'urlExpiresAt'> {
  ownerId: string;
  hasThumbnail: boolean;
}

/** What is attached: the bytes by their hash, under a name. */
export type Attachable = Pick<Upload, 'filename' | 'kind' | 'sha256'>;

/**
 * The files of records. Bytes go to the storage first, and once a workspace; the rows that claim them commit with the
 * record. So there is never a row without bytes; bytes without a row are swept (see sweeper.ts).
 */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
    private readonly storage: FileStorage,
    private readonly urls: SignedUrls,
  ) {}

  /** Brings the bytes to the storage. Before the transaction that attaches them: it may take long. */
  async storeBlobs(workspaceId: string, uploads: readonly Upload[]): Promise<void> {
    if (uploads.length === 0) return;
    const files = [...new Map(uploads.map((upload) => [upload.sha256, upload])).values()];
    const preview = files.map(({ kind }) => (kind === 'image' ? 'pending' : 'none'));
    const columns = [files.map((f) => f.sha256), files.map((f) => f.size), files.map((f) => f.contentType), preview];
    await this.database.outsideTransaction(() => this.database.query(TOUCH, [workspaceId, ...columns]));
    for (const file of files) {
      const key = blobKey(workspaceId, file.sha256);
      if ((await this.storage.findSize(key)) !== file.size) await this.storage.put(key, file);
    }
  }

  /**
   * Attaches files that have landed, or that another record has, within the transaction that writes their owner.
   *
   * @returns their ids, in order. @throws {UploadExpiredError}
   */
  async attach(
    workspaceId: string,
    ownerId: string,
    uploads: readonly Attachable[],
    createdBy: string | null,
  ): Promise<string[]> {
    if (uploads.length === 0) return [];
    const ids = uploads.map(() => uuid());
    const rows = uploads.map(({ sha256, filename }, at) => {
      return { workspaceId, id: ids[at]!, ownerId, sha256, filename, createdBy };
    });
    await this.database.manager.insert(Attachment, rows).catch((error: unknown) => {
      throw sqlState(error) === SQLSTATE.foreignKeyViolation ? new UploadExpiredError(error) : error;
    });
    const images = uploads.filter(({ kind }) => kind === 'image').map(({ sha256 }) => sha256);
    if (images.length > 0) await this.database.query(LOOK_AT, [workspaceId, images.sort()]);
    await this.directory.add('attachment', workspaceId, ids);
    return ids;
  }

  /** A file of any record of the workspace, to be attached to another. */
  async find(workspaceId: string, id: string): Promise<Attachable | undefined> {
    const [file] = await this.database.query<Found>(`${SELECT} AND a.id = $2`, [workspaceId, id]);
    return file && { filename: file.filename, kind: kindOf(file.contentType), sha256: file.sha256 };
  }

  /** Lets go of the files of owners, within the transaction that does without them; bytes nobody else has are swept. */
  async detach(workspaceId: string, ownerIds: readonly string[]): Promise<void> {
    await this.database.manager.delete(Attachment, { workspaceId, ownerId: In([...ownerIds]) });
  }

  /** The files of many owners, each owner's in the order in which they came. */
  async listByOwners(workspaceId: string, ownerIds: readonly string[]): Promise<Map<string, StoredFileDto[]>> {
    const files = new Map<string, StoredFileDto[]>(ownerIds.map((ownerId) => [ownerId, []]));
    const sql = `${SELECT} AND a.owner_id = ANY ($2) ORDER BY a.id`;
    const expires = this.urls.expiry();
    for (const { ownerId, hasThumbnail, ...file } of await this.database.query<Found>(sql, [workspaceId, ownerIds])) {
      files.get(ownerId)!.push({
        ...file,
        kind: kindOf(file.contentType),
        url: this.urls.urlOf(file.id, 'file', expires),
        thumbnailUrl: hasThumbnail ? this.urls.urlOf(file.id, 'thumbnail', expires) : null,
        urlExpiresAt: new Date(expires * 1000),
      });
    }
    return files;
  }

  /** A file, or its small picture, to be sent. @throws {NotFoundError} */
  async open(workspaceIds: readonly string[], id: string, part: Part): Promise<ServedFile> {
    const workspaceId = await this.directory.findWorkspace('attachment', id);
    const reachable = workspaceId !== undefined && workspaceIds.includes(workspaceId);
    return this.read(reachable ? workspaceId : undefined, id, part);
  }

  /** The same by its signed address. @throws {InvalidSignatureError | NotFoundError} */
  async openSigned(id: string, part: Part, expires: number, signature: string): Promise<ServedFile> {
    this.urls.check(id, part, expires, signature);
    return this.read(await this.directory.findWorkspace('attachment', id), id, part);
  }

  private async read(workspaceId: string | undefined, id: string, part: Part): Promise<ServedFile> {
    const sql = `${SELECT} AND a.id = $2`;
    const [file] = workspaceId ? await this.database.query<Found>(sql, [workspaceId, id]) : [];
    if (!workspaceId || !file) throw new NotFoundError('The attachment');
    return part === 'file' ? this.whole(workspaceId, file) : this.thumbnail(workspaceId, file);
  }

  private whole(workspaceId: string, { sha256, size, contentType, filename }: Found): ServedFile {
    const key = blobKey(workspaceId, sha256);
    return { tag: sha256, size, contentType, filename, open: (range) => this.storage.open(key, range) };
  }

  private async thumbnail(workspaceId: string, { sha256, filename, hasThumbnail }: Found): Promise<ServedFile> {
    const key = thumbnailKey(workspaceId, sha256);
    const size = hasThumbnail ? await this.storage.findSize(key) : undefined;
    if (size === undefined) throw new NotFoundError('The thumbnail');
    return {
      tag: `${sha256}-thumbnail`,
      size,
      contentType: 'image/webp',
      filename: `${filename.replace(/\.[^.]*$/, '')}-thumbnail.webp`,
      open: (range) => this.storage.open(key, range),
    };
  }
}

/** Types come in families, and one by itself. */
function kindOf(contentType: string): FileKind {
  return contentType === 'application/pdf' ? 'pdf' : (contentType.split('/')[0] as FileKind);
}
