import { ApiExtraModels, ApiProperty, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsInt, IsNumber, IsOptional, IsUUID, Matches, Max, Min } from 'class-validator';
import { PageOf } from '../../../platform/http/page.dto.js';
import { BoundedText } from '../../../platform/http/validation/text.decorators.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  Name,
  Nested,
  Optional,
  OptionalId,
  OptionalText,
  PartialOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import { NamedRowsDto, RowReferenceDto } from '../../../records/row-reference.dto.js';

export const MAX_KEYWORDS = 100;

/** A position or direction in the space of the tour, in meters. */
export class PositionDto {
  @ApiProperty({ example: 1.25 })
  @IsNumber()
  x: number;

  @ApiProperty({ example: 0.8 })
  @IsNumber()
  y: number;

  @ApiProperty({ example: -3.5 })
  @IsNumber()
  z: number;
}

export class CreateTagDto extends NamedRowsDto {
  /** The tour of the tag. The tag belongs to the same workspace and project. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  tourId: string;

  @ExternalId()
  externalId?: string | null;

  @Name('Feed pump 2')
  label: string;

  @OptionalText()
  description?: string | null;

  @IsOptional()
  @Nested(PositionDto)
  anchorPosition?: PositionDto | null;

  /** From the anchor to the label. */
  @IsOptional()
  @Nested(PositionDto)
  stemVector?: PositionDto | null;

  /** ID of the scene. Not validated against the scenes of the tour. */
  @OptionalText({ maxLength: 255, example: 's17' })
  sceneId?: string | null;

  /** ID of the floor. Not validated against the floors of the tour. */
  @OptionalText({ maxLength: 255, example: 'f0' })
  floorId?: string | null;

  @OptionalText({ maxLength: 7, example: '#e4572e' })
  @Matches(/^#[0-9a-fA-F]{6}$/, { message: 'color must have the format #rrggbb' })
  color?: string | null;

  @OptionalText({ maxLength: 255, example: 'pump' })
  icon?: string | null;

  @ApiProperty({
    required: false,
    type: 'array',
    items: { type: 'string', maxLength: 255 },
    maxItems: MAX_KEYWORDS,
    example: ['pump', 'feed water'],
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_KEYWORDS)
  @BoundedText(0, 255, { each: true })
  keywords?: string[];
}

export class TagsBulkDto extends BulkOf(CreateTagDto) {}

/** Fields that are not sent remain unchanged. */
@ApiExtraModels(NamedRowsDto)
export class ChangeTagDto extends PartialOf(OmitType(CreateTagDto, ['tourId'])) {}

/** The largest 32-bit integer. */
export const MAX_TAG_ID = 2 ** 31 - 1;

/** The ID of a tag in a path. */
export class TagIdDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_TAG_ID })
  @Transform(({ value }: { value: unknown }) => (/^[1-9]\d*$/.test(String(value)) ? Number(value) : value))
  @IsInt()
  @Min(1)
  @Max(MAX_TAG_ID)
  id: number;
}

export class TagDto extends OmitType(ArchivableRecordDto, ['id']) {
  /** Unique in the whole service. */
  @ApiProperty({ type: 'integer', example: 42 })
  id: number;

  @ApiProperty({ format: 'uuid' })
  tourId: string;

  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ example: 'Feed pump 2' })
  label: string;

  description: string | null;

  anchorPosition: PositionDto | null;

  stemVector: PositionDto | null;

  sceneId: string | null;

  floorId: string | null;

  @ApiProperty({ type: String, nullable: true, example: '#e4572e' })
  color: string | null;

  icon: string | null;

  keywords: string[];

  location: RowReferenceDto | null;

  asset: RowReferenceDto | null;
}

export class ListTagsDto extends RecordQuery(TagDto, { sorts: ['label'], searched: 'label or description' }) {
  /** Only records of this project. */
  @OptionalId()
  projectId?: string | null;

  /** Only records of this tour. */
  @OptionalId()
  tourId?: string | null;

  /** Only tags of the location with this key. */
  @OptionalText({ maxLength: 255, example: 'AT10-UTL-CW' })
  location?: string | null;

  /** Only tags of the asset with this key. */
  @OptionalText({ maxLength: 255, example: '10004711' })
  asset?: string | null;
}

export class TagPageDto extends PageOf(TagDto) {}
