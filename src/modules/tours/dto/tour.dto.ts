import { ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsInt, IsOptional, IsUUID, Max, Min, ValidateBy } from 'class-validator';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { PageOf } from '../../../platform/http/page.dto.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import {
  ExternalId,
  Name,
  Nested,
  Optional,
  OptionalId,
  OptionalOneOf,
  OptionalText,
  OptionalUrl,
  OptionalListOf,
} from '../../../records/record-fields.decorator.js';
import { RecordQuery } from '../../../records/record-query.dto.js';
import {
  TOUR_STAGES,
  TOUR_STATUSES,
  TOUR_VISIBILITIES,
  type TourStage,
  type TourStatus,
  type TourVisibility,
} from '../tour.entity.js';

const MAX_FLOORS = 200;
const MAX_SCENES = 2_000;

/** No two things of the list have one id. */
function HaveOwnIds(): PropertyDecorator {
  const twice = (list: unknown) => {
    const ids = (Array.isArray(list) ? list : []).map((each: { id?: unknown } | null) => each?.id);
    return [...new Set(ids.filter((id, at) => id !== undefined && ids.indexOf(id) !== at))];
  };
  return ValidateBy({
    name: 'haveOwnIds',
    validator: {
      validate: (list) => twice(list).length === 0,
      defaultMessage: (args) =>
        `each of ${args?.property} has an id of its own; several have ${twice(args?.value).slice(0, 10).join(', ')}`,
    },
  });
}

/** A storey; tags and scenes name it by its id. */
export class FloorDto {
  @Name('f0')
  id: string;

  @Name('Ground floor')
  label: string;

  /** 0 is the ground floor. */
  @ApiProperty({ required: false, type: 'integer', nullable: true, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(-100)
  @Max(1_000)
  level?: number | null;
}

/** A place that a viewer can stand at. */
export class SceneDto {
  @Name('s17')
  id: string;

  @OptionalText({ maxLength: 255, example: 'At the feed pump' })
  label?: string | null;

  @OptionalText({ maxLength: 255, example: 'f0' })
  floorId?: string | null;
}

export class CreateTourDto {
  /** The project the tour belongs to; its workspace is the tour's. */
  @ApiProperty({ format: 'uuid', example: '0190a6de-7c4e-7b1a-9c3f-2b8f0d1e2f3a' })
  @IsUUID()
  projectId: string;

  @ExternalId()
  externalId?: string | null;

  @Name('Boiler house, ground floor')
  title: string;

  @OptionalText()
  description?: string | null;

  @OptionalOneOf(TOUR_STAGES, 'draft')
  status?: TourStage;

  @OptionalOneOf(TOUR_VISIBILITIES, 'private')
  visibility?: TourVisibility;

  /** Who hosts the model. */
  @OptionalText({ maxLength: 255, example: 'matterport' })
  provider?: string | null;

  /** What the model is called there. */
  @OptionalText({ maxLength: 255, example: 'SxQL3iGyoDo' })
  providerModelId?: string | null;

  @OptionalUrl('https://my.matterport.com/show/?m=SxQL3iGyoDo')
  shareUrl?: string | null;

  @OptionalUrl()
  thumbnailUrl?: string | null;

  /** RFC 3339, with an offset. */
  @DateTime()
  capturedAt?: Date | null;

  @ApiProperty({ required: false, type: [FloorDto], maxItems: MAX_FLOORS })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_FLOORS)
  @HaveOwnIds()
  @Nested(FloorDto, { each: true })
  floors?: FloorDto[];

  @ApiProperty({ required: false, type: [SceneDto], maxItems: MAX_SCENES })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_SCENES)
  @HaveOwnIds()
  @Nested(SceneDto, { each: true })
  scenes?: SceneDto[];
}

export class ToursBulkDto extends BulkOf(CreateTourDto) {}

/** What is not sent stays as it is. */
export class ChangeTourDto extends PartialType(OmitType(CreateTourDto, ['projectId']), {
  skipNullProperties: false,
}) {}

export class TourCountsDto {
  tags: number;
  openNotes: number;
  stagings: number;
}

export class TourDto extends ArchivableRecordDto {
  @ApiProperty({ format: 'uuid' })
  projectId: string;

  @ApiProperty({ example: 'Boiler house, ground floor' })
  title: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  /** `archived` while it is put away. */
  @ApiProperty({ enum: TOUR_STATUSES })
  status: TourStatus;

  @ApiProperty({ enum: TOUR_VISIBILITIES })
  visibility: TourVisibility;

  @ApiProperty({ type: String, nullable: true })
  provider: string | null;

  @ApiProperty({ type: String, nullable: true })
  providerModelId: string | null;

  @ApiProperty({ type: String, nullable: true })
  shareUrl: string | null;

  @ApiProperty({ type: String, nullable: true })
  thumbnailUrl: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  capturedAt: Date | null;

  /** When it was published for the first time. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  publishedAt: Date | null;

  @ApiProperty({ type: [FloorDto] })
  floors: FloorDto[];

  @ApiProperty({ type: [SceneDto] })
  scenes: SceneDto[];

  /** What belongs to it and is not archived. */
  counts: TourCountsDto;
}

export class ListToursDto extends RecordQuery(TourDto, { sorts: ['title'], searched: 'title or description' }) {
  /** Only this project's. */
  @OptionalId()
  projectId?: string | null;

  @OptionalListOf(TOUR_STATUSES)
  status?: TourStatus[];
}

export class TourPageDto extends PageOf(TourDto) {}
