import { ApiExtraModels, ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { BucketDto, SeriesDto } from './series.dto.js';

/** Groups listed per grouping; the others are summed up. */
export const MAX_GROUPS = 100;

/** Figures of a bucket or of the whole range. */
class NoteFiguresDto {
  /** Created in the period. */
  @ApiProperty({ type: 'integer', example: 41 })
  opened: number;

  /** Closed in the period and not reopened. */
  @ApiProperty({ type: 'integer', example: 38 })
  closed: number;

  /** Mean hours from creation to closing of the notes closed in the period; null if none was closed. */
  @ApiProperty({ type: Number, nullable: true, example: 30.5 })
  meanHoursToClose: number | null;
}

@ApiExtraModels(BucketDto, NoteFiguresDto)
export class NoteBucketDto extends IntersectionType(BucketDto, NoteFiguresDto) {
  /**
   * Due and not closed at the end of the bucket, or now if it has not ended; null if it has not begun.
   */
  @ApiProperty({ type: 'integer', nullable: true, example: 2 })
  overdue: number | null;
}

export class NoteTotalsDto extends NoteFiguresDto {
  /** Due and not closed at the end of the range, or now if earlier. */
  @ApiProperty({ type: 'integer', example: 2 })
  overdue: number;
}

class NoteGroupFiguresDto extends OmitType(NoteTotalsDto, ['meanHoursToClose']) {}

@ApiExtraModels(NoteGroupFiguresDto)
export class NoteGroupDto extends NoteGroupFiguresDto {
  /** The current value of the notes; null without a value. */
  @ApiProperty({ type: String, nullable: true, example: 'high' })
  value: string | null;
}

/** The sum of all groups that are not listed. */
export class OtherNoteGroupsDto extends NoteGroupFiguresDto {
  @ApiProperty({ type: 'integer', example: 7 })
  groups: number;
}

export class NoteGroupingDto {
  @ApiProperty({
    type: [NoteGroupDto],
    maxItems: MAX_GROUPS,
    description: `Groups with a count above 0, the largest first; at most ${MAX_GROUPS}.`,
  })
  groups: NoteGroupDto[];

  /** The sum of the other groups; null if all are listed. */
  others: OtherNoteGroupsDto | null;
}

@ApiExtraModels(SeriesDto)
export class NoteAnalyticsDto extends SeriesDto {
  totals: NoteTotalsDto;

  buckets: NoteBucketDto[];

  byStatus: NoteGroupingDto;

  byPriority: NoteGroupingDto;

  byAssignee: NoteGroupingDto;
}
