import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsIn, IsUUID } from 'class-validator';
import { MAX_FILE_BYTES } from '../../../platform/body/body-limits.js';
import { EXAMPLE_PHOTO } from '../../../platform/body/dto/file.dto.js';
import { formatBytes } from '../../../platform/config/limits.js';
import { PageOf } from '../../../platform/http/page.dto.js';
import { StoredFileDto } from '../../../platform/storage/stored-file.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  OptionalId,
  OptionalText,
  OptionalListOf,
  PartialOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import {
  VIRTUAL_STAGING_STATUSES,
  VIRTUAL_STAGING_TYPES,
  type VirtualStagingStatus,
  type VirtualStagingType,
} from '../virtual-staging.entity.js';

/** Description of `files` in the OpenAPI document. */
export const IMAGES_DESCRIPTION = `Images, at most ${formatBytes(MAX_FILE_BYTES)} each.`;

/** An image of one pixel. */
export const EXAMPLE_IMAGE = {
  filename: 'living-room.png',
  data: EXAMPLE_PHOTO.data,
};

export class CreateStagingDto {
  /** The tour of the image. The virtual staging belongs to its workspace and project. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  tourId: string;

  @ExternalId()
  externalId?: string | null;

  /** `stage` adds furniture, `declutter` removes clutter, `enhance` improves light and color. */
  @ApiProperty({ enum: VIRTUAL_STAGING_TYPES, enumName: 'VirtualStagingType' })
  @IsIn(VIRTUAL_STAGING_TYPES)
  type: VirtualStagingType;

  /** ID of the scene. Not validated against the scenes of the tour. */
  @OptionalText({ maxLength: 255, example: 's17' })
  sceneId?: string | null;

  @OptionalText({ maxLength: 255, example: 'living room' })
  roomType?: string | null;

  @OptionalText({ maxLength: 255, example: 'scandinavian' })
  style?: string | null;

  /** ID of an image attachment of the workspace, instead of `files`. */
  @OptionalId()
  sourceFileId?: string | null;
}

/** Fields that are not sent remain unchanged. */
export class ChangeStagingDto extends PartialOf(OmitType(CreateStagingDto, ['tourId', 'sourceFileId'])) {}

/** A rendered image. */
export class VariationDto extends StoredFileDto {
  /** Label that the renderer sent. */
  @ApiProperty({ example: 'Warm oak, evening light' })
  label: string;
}

export class StagingDto extends ArchivableRecordDto {
  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ format: 'uuid' })
  tourId: string;

  sceneId: string | null;

  /** The image to render. */
  sourceFile: StoredFileDto;

  @ApiProperty({ enum: VIRTUAL_STAGING_TYPES, enumName: 'VirtualStagingType' })
  type: VirtualStagingType;

  roomType: string | null;

  style: string | null;

  @ApiProperty({ enum: VIRTUAL_STAGING_STATUSES, enumName: 'VirtualStagingStatus' })
  status: VirtualStagingStatus;

  /** In percent, as reported by the renderer. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100, example: 40 })
  progress: number;

  /** The images of the last claim. */
  variations: VariationDto[];

  /** Reason of the failure. */
  error: string | null;

  /** Number of claims. */
  @ApiProperty({ type: 'integer', example: 1 })
  attempts: number;

  /** When the lease of the renderer expires; null without a renderer. */
  leaseUntil: Date | null;

  /** Time of the last claim. */
  startedAt: Date | null;

  /** When the status became `succeeded`, `failed` or `cancelled`. */
  completedAt: Date | null;
}

export class ListStagingsDto extends RecordQuery(StagingDto, { searched: 'roomType or style' }) {
  /** Only records of this project. */
  @OptionalId()
  projectId?: string | null;

  /** Only records of this tour. */
  @OptionalId()
  tourId?: string | null;

  @OptionalListOf(VIRTUAL_STAGING_STATUSES)
  status?: VirtualStagingStatus[];

  @OptionalListOf(VIRTUAL_STAGING_TYPES)
  type?: VirtualStagingType[];
}

export class StagingPageDto extends PageOf(StagingDto) {}
