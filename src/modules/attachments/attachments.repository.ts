import { Injectable } from '@nestjs/common';
import { AUDIO_TYPES } from '../../platform/body/file-types.js';
import { Database } from '../../platform/database/database.js';
import type { LocalFile } from '../../platform/storage/file-storage.js';
import type { FileKind } from '../../platform/storage/stored-file.dto.js';
import { isNotDeleted } from '../workspaces/workspaces.clauses.js';

/** An attachment with the data of its blob. */
export interface AttachedFile {
  id: string;
  ownerId: string;
  filename: string;
  contentType: string;
  /** In bytes. */
  size: number;
  sha256: string;
  width: number | null;
  height: number | null;
  hasThumbnail: boolean;
  createdAt: Date;
}

export interface BlobKey {
  workspaceId: string;
  sha256: string;
}

/** An image whose preview is due. */
export interface DuePreview extends BlobKey {
  /** A user; null for an anonymous author. */
  author: string | null;
  dueAt: Date;
}

/** An image whose preview this instance has leased. */
export interface LeasedPreview extends BlobKey {
  contentType: string;
  attempts: number;
}

/** A blob with the number of attachments that reference it. */
export interface ReferencedBlob extends BlobKey {
  size: number;
  attachments: number;
}

const ATTACHED_FILES = `
  SELECT a.id, a.owner_id AS "ownerId", a.filename, b.content_type AS "contentType", b.size::float8 AS size, b.sha256,
         b.width, b.height, b.preview = 'ready' AS "hasThumbnail", a.created_at AS "createdAt"
    FROM attachments a JOIN blobs b ON b.workspace_id = a.workspace_id AND b.sha256 = a.sha256
   WHERE a.workspace_id = $1`;

/** $1 is the time in seconds that an upload has until a record must reference it. */
const UNREFERENCED = `
  NOT EXISTS (SELECT 1 FROM attachments a WHERE a.workspace_id = b.workspace_id AND a.sha256 = b.sha256)
  AND b.touched_at < clock_timestamp() - make_interval(secs => $1)`;

/** `statement_timestamp()` is constant within a statement, so that PostgreSQL can use the index. */
const IS_DUE = `preview = 'pending' AND preview_due_at <= statement_timestamp()`;

/** For the metric of the age of the queue. */
export const OLDEST_PREVIEW = "SELECT min(preview_due_at) FROM blobs WHERE preview = 'pending'";

export const DUE_PREVIEWS = `SELECT workspace_id FROM blobs WHERE ${IS_DUE}`;

/** Set-based and locking statements on attachments and blobs. */
@Injectable()
export class AttachmentsRepository {
  constructor(private readonly database: Database) {}

  async findFile(workspaceId: string, id: string): Promise<AttachedFile | undefined> {
    const sql = `${ATTACHED_FILES} AND a.id = $2 AND ${isNotDeleted('$1::uuid')}`;
    return (await this.database.query<AttachedFile>(sql, [workspaceId, id]))[0];
  }

  /** The files of the owners, each owner's in the order in which they were attached. */
  listFiles(workspaceId: string, ownerIds: readonly string[]): Promise<AttachedFile[]> {
    const sql = `${ATTACHED_FILES} AND a.owner_id = ANY ($2) ORDER BY a.id`;
    return this.database.query(sql, [workspaceId, ownerIds]);
  }

  /** Deletes the attachments of the owners. @returns how many. */
  deleteOf(workspaceId: string, ownerIds: readonly string[]): Promise<number> {
    const sql = 'DELETE FROM attachments WHERE workspace_id = $1 AND owner_id = ANY ($2::uuid[])';
    return this.database.affected(sql, [workspaceId, ownerIds]);
  }

  /** Inserts the blobs, or restarts the time that existing ones have until a record must reference them. */
  async touchBlobs(
    workspaceId: string,
    files: readonly (Omit<LocalFile, 'path'> & { contentType: string; kind: FileKind })[],
  ): Promise<void> {
    await this.database.affected(
      `INSERT INTO blobs (workspace_id, sha256, size, content_type, touched_at, preview)
       SELECT $1, sha256, size, type, clock_timestamp(), preview
         FROM unnest($2::text[], $3::bigint[], $4::text[], $5::text[]) AS sent (sha256, size, type, preview)
        ORDER BY sha256
       ON CONFLICT (workspace_id, sha256) DO UPDATE SET touched_at = excluded.touched_at`,
      [
        workspaceId,
        files.map(({ sha256 }) => sha256),
        files.map(({ size }) => size),
        files.map(({ contentType }) => contentType),
        files.map(({ kind, contentType }) => (kind === 'image' || AUDIO_TYPES.has(contentType) ? 'pending' : 'none')),
      ],
    );
  }

  /** Makes the previews of attached files due. */
  async schedulePreviews(workspaceId: string, hashes: readonly string[]): Promise<void> {
    await this.database.affected(
      `UPDATE blobs SET preview_due_at = statement_timestamp()
        WHERE workspace_id = $1 AND sha256 = ANY ($2::text[]) AND preview = 'pending' AND preview_due_at IS NULL`,
      [workspaceId, hashes],
    );
  }

  /**
   * The preview that is due longest, of each author of each workspace. A blob of several authors is due for each of
   * them.
   */
  listDuePreviews(): Promise<DuePreview[]> {
    return this.database.queryAllWorkspaces(
      (isReachable) => `
       SELECT DISTINCT ON (b.workspace_id, a.created_by) b.workspace_id AS "workspaceId", b.sha256,
              a.created_by AS author, b.preview_due_at AS "dueAt"
         FROM blobs b LEFT JOIN attachments a ON a.workspace_id = b.workspace_id AND a.sha256 = b.sha256
        WHERE ${IS_DUE} AND ${isReachable('b.workspace_id')}
        ORDER BY b.workspace_id, a.created_by, b.preview_due_at`,
    );
  }

  /** Leases a preview, and counts the attempt. @returns undefined if another instance has leased it */
  async leasePreview({ workspaceId, sha256 }: BlobKey, leaseS: number): Promise<LeasedPreview | undefined> {
    const [leased] = await this.database.query<LeasedPreview>(
      `UPDATE blobs SET preview_attempts = preview_attempts + 1,
              preview_due_at = statement_timestamp() + make_interval(secs => $3)
        WHERE workspace_id = $1 AND sha256 = $2 AND ${IS_DUE}
       RETURNING workspace_id AS "workspaceId", sha256, content_type AS "contentType", preview_attempts AS attempts`,
      [workspaceId, sha256, leaseS],
    );
    return leased;
  }

  /** Blobs without attachments whose time is up, the oldest first. */
  listUnreferenced(unclaimedAfterS: number, limit: number): Promise<BlobKey[]> {
    return this.database.query(
      `SELECT b.workspace_id AS "workspaceId", b.sha256 FROM blobs b
        WHERE ${UNREFERENCED} ORDER BY b.touched_at LIMIT $2`,
      [unclaimedAfterS, limit],
    );
  }

  /** Locks the blob if it still has no attachments and no other instance has locked it. */
  async lockUnreferenced({ workspaceId, sha256 }: BlobKey, unclaimedAfterS: number): Promise<boolean> {
    const locked = await this.database.query(
      `SELECT 1 FROM blobs b WHERE ${UNREFERENCED} AND b.workspace_id = $2 AND b.sha256 = $3 FOR UPDATE SKIP LOCKED`,
      [unclaimedAfterS, workspaceId, sha256],
    );
    return locked.length > 0;
  }

  /** A page of the blobs of a workspace that attachments reference, sorted by hash. */
  listReferenced(workspaceId: string, afterSha256: string, limit: number): Promise<ReferencedBlob[]> {
    return this.database.query(
      `SELECT b.workspace_id AS "workspaceId", b.sha256, b.size::float8 AS size, count(*)::int AS attachments
         FROM blobs b JOIN attachments a ON a.workspace_id = b.workspace_id AND a.sha256 = b.sha256
        WHERE b.workspace_id = $1 AND b.sha256 > $2
        GROUP BY b.workspace_id, b.sha256, b.size
        ORDER BY b.sha256 LIMIT $3`,
      [workspaceId, afterSha256, limit],
    );
  }

  /** Those of the keys that have a row. */
  listExisting(keys: readonly BlobKey[]): Promise<BlobKey[]> {
    return this.database.query(
      `SELECT workspace_id AS "workspaceId", sha256 FROM blobs
        WHERE (workspace_id, sha256) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
      [keys.map(({ workspaceId }) => workspaceId), keys.map(({ sha256 }) => sha256)],
    );
  }
}
