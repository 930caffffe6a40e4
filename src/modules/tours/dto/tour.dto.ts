import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length, MaxLength } from 'class-validator';
import { PageOf, PageQueryDto } from '../../../platform/http/page.dto.js';
import { RecordDto } from '../../../platform/http/record.dto.js';
import { NotBlank, StorableText } from '../../../platform/http/storable-text.decorator.js';
import { TOUR_STATUSES, TOUR_VISIBILITIES, type TourStatus, type TourVisibility } from '../tour.entity.js';

export class CreateTourDto {
  /** The project the tour belongs to; its workspace is the tour's. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  projectId: string;

  @ApiProperty({ example: 'Boiler house, ground floor' })
  @IsString()
  @Length(1, 255)
  @NotBlank()
  @StorableText()
  title: string;

  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  @MaxLength(100_000)
  @StorableText()
  description?: string;

  @ApiProperty({ required: false, enum: TOUR_STATUSES, default: 'draft' })
  @IsOptional()
  @IsIn(TOUR_STATUSES)
  status?: TourStatus;

  @ApiProperty({ required: false, enum: TOUR_VISIBILITIES, default: 'private' })
  @IsOptional()
  @IsIn(TOUR_VISIBILITIES)
  visibility?: TourVisibility;
}

export class ListToursDto extends PageQueryDto {
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

  @ApiProperty({ required: false, enum: TOUR_STATUSES })
  @IsOptional()
  @IsIn(TOUR_STATUSES)
  status?: TourStatus;
}

export class TourDto extends RecordDto {
  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ example: 'Boiler house, ground floor' })
  title: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ enum: TOUR_STATUSES })
  status: TourStatus;

  @ApiProperty({ enum: TOUR_VISIBILITIES })
  visibility: TourVisibility;
}

export class TourPageDto extends PageOf(TourDto) {}
