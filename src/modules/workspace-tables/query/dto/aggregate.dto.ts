import { ApiProperty, IntersectionType, PickType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { JoinList } from '../../../../platform/http/validation/query-values.decorators.js';
import { Optional, OptionalString, OptionalWholeNumber } from '../../../../records/record-fields.decorator.js';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../../../../packages/tables/src/catalog/request-limits.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { IsJsonObject, ItemsBodyDto, ItemsQueryDto, parseJsonObject } from './query-rows.dto.js';

/** What both forms of an aggregate have. */
class GroupsQueryDto {
  /**
   * Up to three columns, separated by commas: `plant`, a date by period such as `installed:month` (`day`, `week`,
   * `quarter`, `year`), or `location.name` of a referenced row. Without it all rows are one group.
   */
  @JoinList()
  @OptionalString(10_000, { example: 'location' })
  group?: string;

  /**
   * Separated by commas: `count` (rows), and `count`, `countDistinct`, `sum`, `avg`, `min` or `max` of the values of a
   * column that are not empty, such as `sum(weight)`. Default: `count`.
   */
  @JoinList()
  @OptionalString(10_000, { example: 'count,sum(weight)' })
  measures?: string;

  /** Groups and measures to sort by, separated by commas, such as `-count`. Default: the groups. */
  @JoinList()
  @OptionalString(10_000, { example: '-count' })
  sort?: string;

  /** Maximum number of groups on the page. */
  @OptionalWholeNumber(1, MAX_PAGE_ROWS, DEFAULT_PAGE_ROWS)
  limit: number = DEFAULT_PAGE_ROWS;
}

const ROWS = ['q', 'under', 'depth', 'filter', 'cursor', 'asOf'] as const;

export class AggregateQueryDto extends IntersectionType(GroupsQueryDto, PickType(ItemsQueryDto, ROWS)) {
  /** Conditions on groups and measures, in the form of `filter`: `having[count][gte]=10`. */
  @ApiProperty({ required: false, type: 'string', example: '{"count":{"gte":1}}' } as never)
  @Optional()
  @Transform(({ value }: { value: unknown }) => parseJsonObject(value))
  @IsJsonObject('having', '{"count":{"gte":10}}, or having[count][gte]=10')
  having?: Record<string, unknown>;
}

/** AggregateQueryDto as a body: values may also be numbers, booleans, null and lists. */
export class AggregateBodyDto extends IntersectionType(GroupsQueryDto, PickType(ItemsBodyDto, ROWS)) {
  /** Conditions on groups and measures, in the form of `filter`. */
  @ApiProperty({ required: false, type: 'object', additionalProperties: true, example: { count: { gte: 1 } } } as never)
  @Optional()
  @IsObject()
  having?: Record<string, unknown>;
}

const VALUES = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
} as const;

export class AggregateGroupDto {
  /** The values of the groups. A period of dates is its first day; a week begins on Monday. */
  @ApiProperty({ ...VALUES, example: { location: 'EX10-UTL' } } as never)
  group: Record<string, string | number | boolean | null>;

  /** The values of the measures: null if no row of the group has a value. */
  @ApiProperty({ ...VALUES, example: { count: 2, 'sum(weight)': 355.5 } } as never)
  measures: Record<string, string | number | boolean | null>;
}

export class AggregatePageDto extends PageOf(AggregateGroupDto) {
  table: TableSummaryDto;
}
