import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { requireImages } from '../../platform/body/file-policy.js';
import type { Upload } from '../../platform/body/upload.js';
import { Database } from '../../platform/database/database.js';
import type { StoredFileDto } from '../../platform/storage/stored-file.dto.js';
import { mapByWorkspace } from '../../records/record-values.js';
import { type Attachable, AttachmentsService } from '../attachments/attachments.service.js';
import type { StagingDto } from './dto/virtual-staging.dto.js';
import { VirtualStagingVariation } from './virtual-staging-variation.entity.js';
import { VirtualStaging } from './virtual-staging.entity.js';
import { InvalidStagingError, STAGING_ERRORS } from './virtual-staging.errors.js';
import { BODY_ERRORS } from '../../platform/body/body.errors.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';

/** The source images and the variations of virtual stagings. */
@Injectable()
export class VirtualStagingImages implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentsService,
  ) {}

  onModuleInit(): void {
    this.attachments.register({ scopes: ['read:tours'], shows: (...owner) => this.showsFilesOf(...owner) });
  }

  /** Access policies restrict virtual stagings by scopes only. */
  private async showsFilesOf(workspaceId: string, ownerId: string): Promise<boolean> {
    if (await this.database.repository(VirtualStagingVariation).existsBy({ workspaceId, id: ownerId })) return true;
    return this.database.repository(VirtualStaging).existsBy({ workspaceId, sourceId: ownerId });
  }

  /**
   * Requires exactly one source image: an upload or the ID of an attachment.
   *
   * @throws {InvalidStagingError | UnsupportedFileTypeError}
   */
  requireOneSource(uploads: readonly Upload[], fileId: string | null | undefined): void {
    requireImages(uploads);
    const count = uploads.length + (fileId ? 1 : 0);
    if (count === 1) return;
    const message = `A virtual staging requires exactly one image, not ${count}. Send it in files, or its ID in sourceFileId.`;
    throw new InvalidStagingError(count === 0 ? HTTP_ERRORS.required : BODY_ERRORS.too_many_files, 'files', message);
  }

  /** Stores the blob of the source image, before the transaction that attaches it. @throws {InvalidStagingError} */
  async storeSource(
    workspaceId: string,
    uploads: readonly Upload[],
    fileId: string | null | undefined,
  ): Promise<Attachable> {
    await this.attachments.storeBlobs(workspaceId, uploads);
    const source = uploads[0] ?? (await this.attachments.find(workspaceId, fileId!));
    if (source?.kind === 'image') return source;
    const message = source
      ? `sourceFileId must name an image. The attachment has the type "${source.kind}".`
      : 'sourceFileId is not the ID of an attachment of the workspace.';
    throw new InvalidStagingError(
      source ? STAGING_ERRORS.not_an_image : STAGING_ERRORS.unknown_file,
      'sourceFileId',
      message,
    );
  }

  /** Whether the virtual staging already has this source image. */
  async hasSource({ workspaceId, sourceId }: VirtualStaging, { sha256, filename }: Attachable): Promise<boolean> {
    const [file] = (await this.attachments.listByOwners(workspaceId, [sourceId])).get(sourceId)!;
    return file?.sha256 === sha256 && file.filename === filename;
  }

  /** @returns the new owner ID of the source image. @throws {UnavailableError} */
  async attachSource(workspaceId: string, source: Attachable, userId: string): Promise<string> {
    const sourceId = uuid();
    await this.attachments.attach(workspaceId, sourceId, [source], userId);
    return sourceId;
  }

  detachSource({ workspaceId, sourceId }: VirtualStaging): Promise<number> {
    return this.attachments.detach(workspaceId, [sourceId]);
  }

  toDtos(stagings: readonly VirtualStaging[]): Promise<StagingDto[]> {
    return mapByWorkspace(stagings, async (workspaceId, own) => {
      const variations = await this.findVariations(workspaceId, own);
      const owners = [...own.map(({ sourceId }) => sourceId), ...variations.map(({ id }) => id)];
      const files = await this.attachments.listByOwners(workspaceId, owners);
      const getFile = (ownerId: string): StoredFileDto => files.get(ownerId)![0]!;
      // The claim token authorizes the renderer, so it is never returned.
      return own.map(({ sourceId, claim, leaseSeconds, ...staging }) => ({
        ...staging,
        sourceFile: getFile(sourceId),
        variations: variations
          .filter((variation) => variation.stagingId === staging.id && variation.claim === claim)
          .map(({ id, label }) => ({ ...getFile(id), label })),
      }));
    });
  }

  /** The variations of the current claims, oldest first. */
  private findVariations(workspaceId: string, stagings: readonly VirtualStaging[]): Promise<VirtualStagingVariation[]> {
    return this.database.repository(VirtualStagingVariation).find({
      where: {
        workspaceId,
        stagingId: In(stagings.map(({ id }) => id)),
        claim: In(stagings.flatMap((each) => each.claim ?? [])),
      },
      order: { id: 'ASC' },
    });
  }
}
