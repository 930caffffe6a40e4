import { ApiProperty } from '@nestjs/swagger';

export class TagCountsDto {
  /** Not archived. */
  @ApiProperty({ type: 'integer', example: 9 })
  total: number;

  @ApiProperty({ type: 'integer', example: 2 })
  archived: number;
}

export class NoteCountsDto extends TagCountsDto {
  /** Not archived and not closed. */
  @ApiProperty({ type: 'integer', example: 3 })
  open: number;

  /** Open and past their due date. */
  @ApiProperty({ type: 'integer', example: 1 })
  overdue: number;
}

export class TourCountsByStatusDto extends TagCountsDto {
  @ApiProperty({ type: 'integer', example: 1 })
  draft: number;

  @ApiProperty({ type: 'integer', example: 1 })
  processing: number;

  @ApiProperty({ type: 'integer', example: 7 })
  published: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;
}

export class StagingCountsDto extends TagCountsDto {
  @ApiProperty({ type: 'integer', example: 1 })
  queued: number;

  @ApiProperty({ type: 'integer', example: 1 })
  processing: number;

  @ApiProperty({ type: 'integer', example: 5 })
  succeeded: number;

  @ApiProperty({ type: 'integer', example: 1 })
  failed: number;

  @ApiProperty({ type: 'integer', example: 1 })
  cancelled: number;
}

export class OverviewDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  notes: NoteCountsDto;

  tours: TourCountsByStatusDto;

  tags: TagCountsDto;

  stagings: StagingCountsDto;
}
