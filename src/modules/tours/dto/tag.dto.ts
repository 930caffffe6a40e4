import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { RecordDto } from '../../../platform/http/record.dto.js';
import { NotBlank, StorableText } from '../../../platform/http/storable-text.decorator.js';

/** Where in the tour's space something is, in metres. */
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

export class CreateTagDto {
  /** The tour that the tag stands in; its workspace and project are the tag's. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  tourId: string;

  @ApiProperty({ example: 'Feed pump 2' })
  @IsString()
  @Length(1, 255)
  @NotBlank()
  @StorableText()
  label: string;

  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  @MaxLength(100_000)
  @StorableText()
  description?: string;

  @ApiProperty({ required: false, type: PositionDto })
  @IsOptional()
  @ValidateNested()
  @Type(() => PositionDto)
  anchorPosition?: PositionDto;
}

export class ListTagsDto extends PageQueryDto {
  /** Only this workspace's. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  workspaceId?: string;

  /** Only this project's. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  projectId?: string;

  /** Only this tour's. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  tourId?: string;
}

/** The largest id: an integer of 32 bits. */
const MAX_TAG_ID = 2 ** 31 - 1;

/** The id of a tag in a path. */
export class TagIdDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_TAG_ID, example: 42 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_TAG_ID)
  id: number;
}

export class TagDto extends OmitType(RecordDto, ['id']) {
  /** Unique in the service. */
  @ApiProperty({ type: 'integer', example: 42 })
  id: number;

  @ApiProperty({ format: 'uuid' })
  tourId: string;

  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ example: 'Feed pump 2' })
  label: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ type: PositionDto, nullable: true })
  anchorPosition: PositionDto | null;
}

export class TagPageDto extends PageOf(TagDto) {}
