import { ApiProperty } from '@nestjs/swagger';
import { BucketDto, SeriesDto } from './series.dto.js';

/** Groups listed per grouping; the others are summed up. */
export const MAX_GROUPS = 100;

export class NoteBucketDto extends BucketDto {
  /** Created in the bucket. */
  @ApiProperty({ type: 'integer', example: 4 })
  opened: number;

  /** Closed in the bucket and not reopened. */
  @ApiProperty({ type: 'integer', example: 3 })
  closed: number;

  /** Mean hours from creation to closing of the notes closed in the bucket; null if none was closed. */
  @ApiProperty({ type: Number, nullable: true, example: 26.25 })
  meanHoursToClose: number | null;

  /** Past their due date and not closed at the end of the bucket, or now if it has not ended; null if it has not begun. */
  @ApiProperty({ type: 'integer', nullable: true, example: 2 })
  overdue: number | null;
}

export class NoteTotalsDto {
  /** Created in the range. */
  @ApiProperty({ type: 'integer', example: 41 })
  opened: number;

  /** Closed in the range and not reopened. */
  @ApiProperty({ type: 'integer', example: 38 })
  closed: number;

  /** Mean hours from creation to closing of the notes closed in the range; null if none was closed. */
  @ApiProperty({ type: Number, nullable: true, example: 30.5 })
  meanHoursToClose: number | null;

  /** Past their due date and not closed at the end of the range, or now if it has not ended. */
  @ApiProperty({ type: 'integer', example: 2 })
  overdue: number;
}

/** The same counts as in the totals. */
class NoteGroupFiguresDto {
  @ApiProperty({ type: 'integer', example: 12 })
  opened: number;

  @ApiProperty({ type: 'integer', example: 9 })
  closed: number;

  @ApiProperty({ type: 'integer', example: 1 })
  overdue: number;
}

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

export class NoteAnalyticsDto extends SeriesDto {
  totals: NoteTotalsDto;

  buckets: NoteBucketDto[];

  byStatus: NoteGroupingDto;

  byPriority: NoteGroupingDto;

  byAssignee: NoteGroupingDto;
}
