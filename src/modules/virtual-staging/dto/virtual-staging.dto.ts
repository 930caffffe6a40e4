import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { IsIn, IsUUID } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import { ExternalId, OptionalId, OptionalText, OptionalListOf } from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { StoredFileDto } from '../../../platform/storage/stored-file.dto.js';
import {
  VIRTUAL_STAGING_STATUSES,
  VIRTUAL_STAGING_TYPES,
  type VirtualStagingStatus,
  type VirtualStagingType,
} from '../virtual-staging.entity.js';

export class CreateStagingDto {
  /** The tour that the picture is of; its workspace and project are the staging's. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  tourId: string;

  @ExternalId()
  externalId?: string | null;

  /** What is done to the picture: furniture brought in, clutter taken out, or light and colour improved. */
  @ApiProperty({ enum: VIRTUAL_STAGING_TYPES })
  @IsIn(VIRTUAL_STAGING_TYPES)
  type: VirtualStagingType;

  /** The scene of the tour. Free text: the tour need not name such a scene. */
  @OptionalText({ maxLength: 255, example: 's17' })
  sceneId?: string | null;

  @OptionalText({ maxLength: 255, example: 'living room' })
  roomType?: string | null;

  @OptionalText({ maxLength: 255, example: 'scandinavian' })
  style?: string | null;

  /** An image that a record of the workspace has already, in place of `files`. */
  @OptionalId()
  sourceFileId?: string | null;
}

/** What is not sent stays as it is. */
export class ChangeStagingDto extends PartialType(OmitType(CreateStagingDto, ['tourId', 'sourceFileId']), {
  skipNullProperties: false,
}) {}

/** An image that a renderer made. */
export class VariationDto extends StoredFileDto {
  /** What the renderer calls it. */
  @ApiProperty({ example: 'Warm oak, evening light' })
  label: string;
}

export class StagingDto extends ArchivableRecordDto {
  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ format: 'uuid' })
  tourId: string;

  @ApiProperty({ type: String, nullable: true })
  sceneId: string | null;

  /** The image that is worked on. */
  sourceFile: StoredFileDto;

  @ApiProperty({ enum: VIRTUAL_STAGING_TYPES })
  type: VirtualStagingType;

  @ApiProperty({ type: String, nullable: true })
  roomType: string | null;

  @ApiProperty({ type: String, nullable: true })
  style: string | null;

  @ApiProperty({ enum: VIRTUAL_STAGING_STATUSES })
  status: VirtualStagingStatus;

  /** In percent, as the renderer has reported it. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100, example: 40 })
  progress: number;

  /** What the renderer that has it, or had it last, has made. */
  @ApiProperty({ type: [VariationDto] })
  variations: VariationDto[];

  /** Why it failed. */
  @ApiProperty({ type: String, nullable: true })
  error: string | null;

  /** How often it was claimed by a renderer. */
  @ApiProperty({ type: 'integer', example: 1 })
  attempts: number;

  /** When its renderer must be heard of at the latest; null where none has it. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  leaseUntil: Date | null;

  /** When it was last claimed. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  startedAt: Date | null;

  /** When it succeeded, failed or was cancelled. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  completedAt: Date | null;
}

export class ListStagingsDto extends RecordQuery(StagingDto, { searched: 'roomType or style' }) {
  /** Only this project's. */
  @OptionalId()
  projectId?: string | null;

  /** Only this tour's. */
  @OptionalId()
  tourId?: string | null;

  @OptionalListOf(VIRTUAL_STAGING_STATUSES)
  status?: VirtualStagingStatus[];

  @OptionalListOf(VIRTUAL_STAGING_TYPES)
  type?: VirtualStagingType[];
}

export class StagingPageDto extends PageOf(StagingDto) {}
