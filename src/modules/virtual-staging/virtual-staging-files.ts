import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database } from '../../platform/database/database.js';
import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import { requireImages } from '../../platform/body/file-policy.js';
import type { Upload } from '../../platform/body/upload.js';
import { type Attachable, AttachmentsService } from '../attachments/attachments.service.js';
import type { StagingDto } from './dto/virtual-staging.dto.js';
import type { VirtualStaging } from './virtual-staging.entity.js';
import { InvalidStagingError } from './virtual-stagings.errors.js';

const VARIATIONS = `
  SELECT v.id, v.staging_id AS "stagingId", v.label
    FROM staging_variations v
    JOIN stagings s ON s.workspace_id = v.workspace_id AND s.id = v.staging_id AND s.claim = v.claim
   WHERE v.workspace_id = $1 AND v.staging_id = ANY ($2::uuid[])
   ORDER BY v.id`;

interface Variation {
  id: string;
  stagingId: string;
  label: string;
}

/** The pictures of stagings: those that are worked on, and those that come of it. */
@Injectable()
export class VirtualStagingFiles {
  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentsService,
  ) {}

  /**
   * One picture, and no more: sent along, or that of another record.
   *
   * @throws {InvalidStagingError | UnsupportedFileTypeError}
   */
  requireOne(uploads: readonly Upload[], fileId: string | null | undefined): void {
    requireImages(uploads);
    const count = uploads.length + (fileId ? 1 : 0);
    if (count === 1) return;
    const message = 'A staging works on one image: send one under files, or name one by sourceFileId.';
    throw new InvalidStagingError('files', count === 0 ? 'required' : 'too_many_files', message, 'malformed');
  }

  /** Brings the picture to where it can be attached, before the transaction that does. @throws {InvalidStagingError} */
  async land(workspaceId: string, uploads: readonly Upload[], fileId: string | null | undefined): Promise<Attachable> {
    await this.attachments.storeBlobs(workspaceId, uploads);
    const source = uploads[0] ?? (await this.attachments.find(workspaceId, fileId!));
    if (source?.kind === 'image') return source;
    const message = source
      ? `sourceFileId is ${source.kind === 'pdf' ? 'a PDF' : `of ${source.kind}`}, and no image.`
      : 'sourceFileId is no attachment of the workspace.';
    throw new InvalidStagingError('sourceFileId', source ? 'not_an_image' : 'unknown_file', message);
  }

  /** Is this the picture that the staging works on already? */
  async isSource({ workspaceId, sourceId }: VirtualStaging, { sha256, filename }: Attachable): Promise<boolean> {
    const [file] = (await this.attachments.listByOwners(workspaceId, [sourceId])).get(sourceId)!;
    return file?.sha256 === sha256 && file.filename === filename;
  }

  /** @returns the id of what owns the picture from now on. @throws {SweptError} */
  async keep(workspaceId: string, picture: Attachable, userId: string): Promise<string> {
    const ownerId = uuid();
    await this.attachments.attach(workspaceId, ownerId, [picture], userId);
    return ownerId;
  }

  release(workspaceId: string, ownerIds: readonly string[]): Promise<void> {
    return this.attachments.detach(workspaceId, ownerIds);
  }

  /** The stagings as callers see them, in a few statements for all of them. */
  async show(stagings: readonly VirtualStaging[]): Promise<StagingDto[]> {
    const shown = new Map<string, StagingDto>();
    for (const workspaceId of new Set(stagings.map((staging) => staging.workspaceId))) {
      const own = stagings.filter((staging) => staging.workspaceId === workspaceId);
      const made = await this.database.query<Variation>(VARIATIONS, [workspaceId, own.map(({ id }) => id)]);
      const owners = [...own.map(({ sourceId }) => sourceId), ...made.map(({ id }) => id)];
      const files = await this.attachments.listByOwners(workspaceId, owners);
      const fileOf = (ownerId: string): StoredFileDto => files.get(ownerId)![0]!;
      for (const staging of own) {
        const variations = made
          .filter(({ stagingId }) => stagingId === staging.id)
          .map(({ id, label }) => ({ ...fileOf(id), label }));
        shown.set(staging.id, { ...visible(staging), sourceFile: fileOf(staging.sourceId), variations });
      }
    }
    return stagings.map(({ id }) => shown.get(id)!);
  }
}

/** Not the claim: whoever knows it is the renderer. */
function visible(staging: VirtualStaging): Omit<StagingDto, 'sourceFile' | 'variations'> {
  const { id, workspaceId, externalId, archivedAt, version, createdAt, createdBy, updatedAt, updatedBy } = staging;
  const { projectId, tourId, sceneId, type, roomType, style, status, progress, error } = staging;
  const { attempts, leaseUntil, startedAt, completedAt } = staging;
  return {
    ...{ id, workspaceId, externalId, archivedAt, version, createdAt, createdBy, updatedAt, updatedBy },
    ...{ projectId, tourId, sceneId, type, roomType, style, status, progress, error },
    ...{ attempts, leaseUntil, startedAt, completedAt },
  };
}
