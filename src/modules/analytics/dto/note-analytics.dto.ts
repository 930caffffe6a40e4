import { ApiProperty } from '@nestjs/swagger';
import { BucketDto, SeriesDto } from './series.dto.js';

/** Groups that are told one by one; what is beyond them is told as one. */
export const MAX_GROUPS = 100;

export class NoteBucketDto extends BucketDto {
  /** Created in it. */
  @ApiProperty({ type: 'integer', example: 4 })
  opened: number;

  /** Closed in it, and not opened again. */
  @ApiProperty({ type: 'integer', example: 3 })
  closed: number;

  /** From creation to closing, of those closed in it; null where there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 26.25 })
  meanHoursToClose: number | null;

  /** Past their due date and not closed at its end, or now where it lasts still; null where it has not begun. */
  @ApiProperty({ type: 'integer', nullable: true, example: 2 })
  overdue: number | null;
}

export class NoteTotalsDto {
  /** Created in the range. */
  @ApiProperty({ type: 'integer', example: 41 })
  opened: number;

  /** Closed in the range, and not opened again. */
  @ApiProperty({ type: 'integer', example: 38 })
  closed: number;

  /** From creation to closing, of those closed in the range; null where there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 30.5 })
  meanHoursToClose: number | null;

  /** Past their due date and not closed when the range ends, or now where that is sooner. */
  @ApiProperty({ type: 'integer', example: 2 })
  overdue: number;
}

/** As in the totals. */
class NoteGroupFiguresDto {
  @ApiProperty({ type: 'integer', example: 12 })
  opened: number;

  @ApiProperty({ type: 'integer', example: 9 })
  closed: number;

  @ApiProperty({ type: 'integer', example: 1 })
  overdue: number;
}

export class NoteGroupDto extends NoteGroupFiguresDto {
  /** What its notes have now; null where they have none. */
  @ApiProperty({ type: String, nullable: true, example: 'high' })
  value: string | null;
}

/** All groups that are not told one by one. */
export class OtherNoteGroupsDto extends NoteGroupFiguresDto {
  @ApiProperty({ type: 'integer', example: 7 })
  groups: number;
}

export class NoteGroupingDto {
  @ApiProperty({
    type: [NoteGroupDto],
    maxItems: MAX_GROUPS,
    description: `Those with any figure, the largest first, at most ${MAX_GROUPS}.`,
  })
  groups: NoteGroupDto[];

  /** The others together; null where there are none. */
  @ApiProperty({ type: OtherNoteGroupsDto, nullable: true })
  others: OtherNoteGroupsDto | null;
}

export class NoteAnalyticsDto extends SeriesDto {
  totals: NoteTotalsDto;

  @ApiProperty({ type: [NoteBucketDto] })
  buckets: NoteBucketDto[];

  byStatus: NoteGroupingDto;

  byPriority: NoteGroupingDto;

  byAssignee: NoteGroupingDto;
}
