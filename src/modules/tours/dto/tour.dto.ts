import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsInt, IsOptional, IsUUID, Max, Min, ValidateBy } from 'class-validator';
import { NestedList } from '../../../platform/http/validation/nested-list.decorator.js';
import { PageOf } from '../../../platform/http/page.dto.js';
import { DateTime } from '../../../platform/http/validation/date-time.decorator.js';
import { ArchivableRecordDto } from '../../../records/archivable-record.dto.js';
import { BulkOf } from '../../../records/bulk-create.dto.js';
import {
  ExternalId,
  Name,
  Optional,
  OptionalId,
  OptionalOneOf,
  OptionalText,
  OptionalUrl,
  OptionalListOf,
  PartialOf,
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

export const MAX_FLOORS = 200;
export const MAX_SCENES = 2_000;

/** The IDs of the items are unique. */
function HaveUniqueIds(): PropertyDecorator {
  const findDuplicates = (list: unknown) => {
    const seen = new Set<unknown>();
    const duplicates = new Set<unknown>();
    for (const each of (Array.isArray(list) ? list : []) as ({ id?: unknown } | null)[]) {
      if (each?.id === undefined) continue;
      (seen.has(each.id) ? duplicates : seen).add(each.id);
    }
    return [...duplicates];
  };
  return ValidateBy({
    name: 'haveUniqueIds',
    validator: {
      validate: (list) => findDuplicates(list).length === 0,
      defaultMessage: (args) =>
        `${args?.property} contains the duplicate ids ${findDuplicates(args?.value).slice(0, 10).join(', ')}. Use each id once.`,
    },
  });
}

/** A floor of the building. Tags and scenes refer to it by its ID. */
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

/** A viewpoint of the tour. */
export class SceneDto {
  @Name('s17')
  id: string;

  @OptionalText({ maxLength: 255, example: 'At the feed pump' })
  label?: string | null;

  @OptionalText({ maxLength: 255, example: 'f0' })
  floorId?: string | null;
}

export class CreateTourDto {
  /** The project of the tour. The tour belongs to the same workspace. */
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

  /** Host of the model. */
  @OptionalText({ maxLength: 255, example: 'matterport' })
  provider?: string | null;

  /** ID of the model at the provider. */
  @OptionalText({ maxLength: 255, example: 'SxQL3iGyoDo' })
  providerModelId?: string | null;

  @OptionalUrl('https://my.matterport.com/show/?m=SxQL3iGyoDo')
  shareUrl?: string | null;

  @OptionalUrl()
  thumbnailUrl?: string | null;

  @DateTime()
  capturedAt?: Date | null;

  @ApiProperty({ required: false, type: [FloorDto], maxItems: MAX_FLOORS })
  @Optional()
  @HaveUniqueIds()
  @NestedList(FloorDto, MAX_FLOORS)
  floors?: FloorDto[];

  @ApiProperty({ required: false, type: [SceneDto], maxItems: MAX_SCENES })
  @Optional()
  @HaveUniqueIds()
  @NestedList(SceneDto, MAX_SCENES)
  scenes?: SceneDto[];
}

export class ToursBulkDto extends BulkOf(CreateTourDto) {}

/** Fields that are not sent remain unchanged. */
export class ChangeTourDto extends PartialOf(OmitType(CreateTourDto, ['projectId'])) {}

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

  description: string | null;

  /** `archived` while `archivedAt` is set. */
  @ApiProperty({ enum: TOUR_STATUSES, enumName: 'TourStatus' })
  status: TourStatus;

  @ApiProperty({ enum: TOUR_VISIBILITIES, enumName: 'TourVisibility' })
  visibility: TourVisibility;

  provider: string | null;

  providerModelId: string | null;

  shareUrl: string | null;

  thumbnailUrl: string | null;

  capturedAt: Date | null;

  /** Time of the first publication. */
  publishedAt: Date | null;

  floors: FloorDto[];

  scenes: SceneDto[];

  /** Records of the tour that are not archived. */
  counts: TourCountsDto;
}

export class ListToursDto extends RecordQuery(TourDto, { sorts: ['title'], searched: 'title or description' }) {
  /** Only records of this project. */
  @OptionalId()
  projectId?: string | null;

  @OptionalListOf(TOUR_STATUSES)
  status?: TourStatus[];
}

export class TourPageDto extends PageOf(TourDto) {}
