import { ApiProperty } from '@nestjs/swagger';

export class NoteCountsDto {
  /** Not archived. */
  @ApiProperty({ type: 'integer', example: 120 })
  total: number;

  /** Not archived and not closed. */
  @ApiProperty({ type: 'integer', example: 31 })
  open: number;

  /** Open and past their due date. */
  @ApiProperty({ type: 'integer', example: 4 })
  overdue: number;

  @ApiProperty({ type: 'integer', example: 6 })
  archived: number;
}

export class TourCountsByStatusDto {
  /** Not archived. */
  @ApiProperty({ type: 'integer', example: 9 })
  total: number;

  @ApiProperty({ type: 'integer', example: 1 })
  draft: number;

  @ApiProperty({ type: 'integer', example: 1 })
  processing: number;

  @ApiProperty({ type: 'integer', example: 7 })
  published: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  @ApiProperty({ type: 'integer', example: 2 })
  archived: number;
}

export class TagCountsDto {
  /** Not archived. */
  @ApiProperty({ type: 'integer', example: 88 })
  total: number;

  @ApiProperty({ type: 'integer', example: 3 })
  archived: number;
}

export class StagingCountsDto {
  /** Not archived. */
  @ApiProperty({ type: 'integer', example: 12 })
  total: number;

  @ApiProperty({ type: 'integer', example: 1 })
  queued: number;

  @ApiProperty({ type: 'integer', example: 1 })
  processing: number;

  @ApiProperty({ type: 'integer', example: 8 })
  succeeded: number;

  @ApiProperty({ type: 'integer', example: 1 })
  failed: number;

  @ApiProperty({ type: 'integer', example: 1 })
  cancelled: number;

  @ApiProperty({ type: 'integer', example: 0 })
  archived: number;
}

export class OverviewDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  notes: NoteCountsDto;

  tours: TourCountsByStatusDto;

  tags: TagCountsDto;

  stagings: StagingCountsDto;
}
