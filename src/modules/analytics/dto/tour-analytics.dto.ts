import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { BucketDto, SeriesDto } from './series.dto.js';

export class TourTotalsDto {
  @ApiProperty({ type: 'integer', example: 2 })
  toursCreated: number;

  /** Published for the first time. */
  @ApiProperty({ type: 'integer', example: 1 })
  toursPublished: number;

  @ApiProperty({ type: 'integer', example: 14 })
  tagsCreated: number;

  @ApiProperty({ type: 'integer', example: 5 })
  stagingsCreated: number;

  @ApiProperty({ type: 'integer', example: 4 })
  stagingsSucceeded: number;

  @ApiProperty({ type: 'integer', example: 1 })
  stagingsFailed: number;
}

export class TourBucketDto extends IntersectionType(BucketDto, TourTotalsDto) {}

export class TourAnalyticsDto extends SeriesDto {
  totals: TourTotalsDto;

  buckets: TourBucketDto[];
}
