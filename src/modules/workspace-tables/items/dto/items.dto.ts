import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { COUNTS } from '../items-query.js';
import { ENTITY_KINDS, type EntityKind } from '../../entity-kind.js';

export class ItemsQueryDto {
  /** Rows on a page; 100 by default, 5,000 at most. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 5000, default: 100 })
  // Its range is the service's to check: the most is a setting.
  @IsOptional()
  @Type(() => Number)
  limit?: number;

  /** `nextCursor` of the page before. It belongs to its query: with another sort or other fields it is refused. */
  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  @MaxLength(1_000_000)
  cursor?: string;

  /**
   * Columns to sort by, separated by commas such as `-weight,name`, `-` before one for descending; empty values come last ascending.
   * Texts are compared byte by byte, by their first 256 characters; rows that are equal stand in the order of their keys.
   */
  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  @MaxLength(10_000)
  sort?: string;

  /** Columns to return, separated by commas such as `name,weight`; the primary key always comes along. All by default. */
  @ApiProperty({ required: false })
  @IsOptional()
  @IsString()
  @MaxLength(20_000)
  fields?: string;

  /** Adds `total`: counted, or as the database's planner estimates it. */
  @ApiProperty({ required: false, enum: COUNTS })
  @IsOptional()
  @IsIn(COUNTS)
  count?: (typeof COUNTS)[number];
}

export class TableSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'Assets' })
  name: string;

  @ApiProperty({ enum: ENTITY_KINDS, example: 'asset' })
  type: EntityKind;

  /** Counts the writes that changed anything. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;
}

export class ItemsPageDto {
  @ApiProperty({ type: TableSummaryDto })
  table: TableSummaryDto;

  /** Rows: column key to value. */
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } as never },
    example: [{ equnr: '000000000010004711', name: 'Feed pump', weight: 180.5 }],
  })
  items: Record<string, string | number | boolean | null>[];

  /** Is there a page after this one? */
  @ApiProperty({ example: true })
  hasMore: boolean;

  /** The `cursor` of the next page; null on the last. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;

  /** With `count`: rows of the table. */
  @ApiProperty({ required: false, type: 'integer', example: 48184 })
  total?: number;
}
