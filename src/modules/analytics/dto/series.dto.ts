import { ApiProperty } from '@nestjs/swagger';
import { GRANULARITIES, type Granularity } from '../calendar.js';

/** A day, a week or a month; cut where the range begins or ends within it. */
export class BucketDto {
  /** Its first day in the timezone. */
  @ApiProperty({ format: 'date', example: '2026-03-29' })
  day: string;

  @ApiProperty({ format: 'date-time', example: '2026-03-28T23:00:00.000Z' })
  start: Date;

  /** The first instant that is not in it. */
  @ApiProperty({ format: 'date-time', example: '2026-03-29T22:00:00.000Z' })
  end: Date;
}

export class SeriesDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  @ApiProperty({ example: 'Europe/Vienna' })
  timezone: string;

  @ApiProperty({ enum: GRANULARITIES })
  granularity: Granularity;

  /** The first day. */
  @ApiProperty({ format: 'date', example: '2026-03-01' })
  from: string;

  /** The day after the last one. */
  @ApiProperty({ format: 'date', example: '2026-04-01' })
  to: string;
}
