import { ApiProperty } from '@nestjs/swagger';
import { DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS } from '../../packages/tables/src/catalog/request-limits.js';
import { IsJsonObject, JsonObject } from '../platform/http/validation/json-object.decorator.js';
import { JoinList } from '../platform/http/validation/query-values.decorators.js';
import { Optional, OptionalString, OptionalWholeNumber } from './record-fields.decorator.js';

/** Groups of rows or records. */
export class GroupsQueryDto {
  /**
   * Up to three columns, separated by commas. A date has a period: `installed:month` (`day`, `week`, `quarter`,
   * `year`). A path is `location.name`. Without it all rows are one group.
   */
  @JoinList()
  @OptionalString(10_000, { example: 'location' })
  group?: string;

  /**
   * Separated by commas: `count` (rows), and `count`, `countDistinct`, `sum`, `avg`, `min` or `max` of the values in a
   * column, such as `sum(weight)`. Default: `count`.
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

/** A filter of groups in a URL. */
export class HavingQueryDto {
  /** Conditions on groups and measures, in the form of `filter`: `having[count][gte]=10`. */
  @ApiProperty({ required: false, type: 'string', example: '{"count":{"gte":1}}' } as never)
  @Optional()
  @JsonObject()
  @IsJsonObject('having', '{"count":{"gte":10}}, or having[count][gte]=10')
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
