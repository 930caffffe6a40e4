import { ApiProperty } from '@nestjs/swagger';
import { GRANULARITIES, type Granularity } from '../calendar.js';

/** A day, week or month; shorter if the range begins or ends within it. */
export class BucketDto {
  /** The first day in the timezone. */
  @ApiProperty({ format: 'date', example: '2026-03-29' })
  day: string;

  @ApiProperty({ format: 'date-time', example: '2026-03-28T23:00:00.000Z' })
  start: Date;

  /** The first instant after the bucket. */
  @ApiProperty({ format: 'date-time', example: '2026-03-29T22:00:00.000Z' })
  end: Date;
}

export class SeriesDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  @ApiProperty({ example: 'Europe/Vienna' })
  timezone: string;

  @ApiProperty({ enum: GRANULARITIES, enumName: 'Granularity' })
  granularity: Granularity;

  /** The first day. */
  @ApiProperty({ format: 'date', example: '2026-03-01' })
  from: string;

  /** The day after the last day. */
  @ApiProperty({ format: 'date', example: '2026-04-01' })
  to: string;
}
