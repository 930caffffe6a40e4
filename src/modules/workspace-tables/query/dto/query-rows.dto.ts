import { ApiExtraModels, ApiProperty, getSchemaPath, IntersectionType, PickType } from '@nestjs/swagger';
import { IsIn, IsObject, IsString } from 'class-validator';
import {
  DEFAULT_PAGE_ROWS,
  MAX_DEPTH,
  MAX_PAGE_ROWS,
} from '../../../../../packages/tables/src/catalog/request-limits.js';
import { IsJsonObject, JsonObject } from '../../../../platform/http/validation/json-object.decorator.js';
import { Digits, EmptyIsAbsent, JoinList } from '../../../../platform/http/validation/query-values.decorators.js';
import { StorableText } from '../../../../platform/http/validation/text.decorators.js';
import { Optional, OptionalString, OptionalWholeNumber } from '../../../../records/record-fields.decorator.js';
import { MAX_KEY_LENGTH } from '../../../../../packages/tabular/src/coercions.js';
import { AsOfQueryDto } from '../../catalog/dto/as-of.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { RowQueryDto } from '../../catalog/table-ref.decorator.js';

/** A text, because most generated clients cannot send nested brackets. */
const FILTER_IN_URL = {
  required: false,
  type: 'string',
  example: '{"weight":{"gte":100},"name":{"contains":"pump"}}',
} as never;

const FILTER_IN_BODY = {
  required: false,
  type: 'object',
  additionalProperties: true,
  example: { name: { contains: 'pump' }, weight: { gte: 100 } },
} as never;

const COUNTS = ['exact', 'estimated'] as const;

class RowsQueryDto extends AsOfQueryDto {
  /** Maximum number of rows on the page. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: MAX_PAGE_ROWS, default: DEFAULT_PAGE_ROWS })
  // The service validates the range.
  @Optional()
  @Digits()
  limit?: number;

  /** `nextCursor` of the previous page. It is only valid with the same filters, `sort` and `fields`. */
  @EmptyIsAbsent()
  @OptionalString(1_000_000)
  cursor?: string;

  /**
   * Columns to sort by, separated by commas, such as `-weight,name`; `-` means descending. In ascending order empty
   * values are last. Texts are compared byte by byte, by their first 256 characters, and equal rows by key.
   */
  @JoinList()
  @OptionalString(10_000)
  sort?: string;

  /** Only rows with this text in any text column, in any letter case. Reads the whole table. */
  @OptionalString(200)
  @StorableText()
  q?: string;

  /** Only the row with this key and its subtree, by the first `hierarchyParent` column. */
  @ApiProperty({ required: false, maxLength: MAX_KEY_LENGTH })
  @Optional()
  @IsString()
  @StorableText()
  under?: string;

  /** With `under`: the maximum number of levels below the row; 0 is only the row itself. */
  @OptionalWholeNumber(0, MAX_DEPTH)
  depth?: number;

  /**
   * Reference and `locationTag` columns, separated by commas; `expanded` contains the titles of rows, and the tags.
   */
  @JoinList()
  @OptionalString(20_000)
  expand?: string;

  /**
   * Columns to return, separated by commas, such as `name,weight`. The primary key is always included. Default: all.
   */
  @JoinList()
  @OptionalString(20_000)
  fields?: string;

  /** Adds `total`: the exact number of rows, or the estimate of the query planner. */
  @ApiProperty({ required: false, enum: COUNTS })
  @Optional()
  @IsIn(COUNTS)
  count?: (typeof COUNTS)[number];
}

export class ItemsQueryDto extends RowsQueryDto {
  /**
   * Conditions as JSON, all of which must be true, or in brackets: `filter[weight][gte]=100&filter[name]=Feed pump`. A
   * value without an operator means `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `between`, `in`, `notIn` (a
   * list, or values separated by commas), `contains` (in any letter case), `startsWith`, `endsWith`, `eqIgnoreCase`,
   * `startsWithIgnoreCase`, `endsWithIgnoreCase`, `null` (`true`, `false`). In JSON, `and` and `or` combine lists of
   * conditions, and `not` negates conditions. A path such as `location.name` leads through references. An empty value
   * equals only an empty value.
   */
  @ApiProperty(FILTER_IN_URL)
  @Optional()
  @JsonObject()
  @IsJsonObject('filter', '{"weight":{"gte":100}}, or filter[weight][gte]=100')
  filter?: Record<string, unknown>;
}

/** A query for the children of a row. */
export class ChildrenQueryDto extends IntersectionType(ItemsQueryDto, RowQueryDto) {}

/** A query for all rows, without pages. */
export class ExportQueryDto extends PickType(ItemsQueryDto, [
  'sort',
  'q',
  'under',
  'depth',
  'fields',
  'filter',
  'asOf',
]) {}

/** ItemsQueryDto as a body: the values of filters may also be numbers, booleans, null and lists. */
export class ItemsBodyDto extends RowsQueryDto {
  /** As in the URL: `{ "weight": { "gte": 100 }, "name": "Feed pump" }`. */
  @ApiProperty(FILTER_IN_BODY)
  @Optional()
  @IsObject()
  filter?: Record<string, unknown>;
}

export class RowTitleDto {
  @ApiProperty({ format: 'uuid' })
  tableId: string;

  @ApiProperty({ example: 'Functional Locations' })
  table: string;

  /** The value of the column of the option `title`; by default the key. */
  @ApiProperty({ example: 'Utilities' })
  title: string;
}

class TagPositionDto {
  @ApiProperty({ example: 1.25 })
  x: number;

  @ApiProperty({ example: 0.8 })
  y: number;

  @ApiProperty({ example: -3.5 })
  z: number;
}

/** A tag that a cell of a `locationTag` column names by its ID. */
export class TagTitleDto {
  @ApiProperty({ type: 'integer', example: 42 })
  id: number;

  @ApiProperty({ example: 'Feed pump 2' })
  label: string;

  @ApiProperty({ format: 'uuid' })
  tourId: string;

  /** In the space of the tour, in meters. */
  position: TagPositionDto | null;
}

@ApiExtraModels(RowTitleDto, TagTitleDto)
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

  /** Does another page follow? */
  @ApiProperty({ example: true })
  hasMore: boolean;

  /** The `cursor` of the next page; null on the last page. */
  @ApiProperty({ type: String, nullable: true })
  nextCursor: string | null;

  /** With `count`: the number of rows on all pages. */
  @ApiProperty({ required: false, type: 'integer', example: 48184 })
  total?: number;

  /**
   * Only if reading the rows took more than 100 ms: the keys of the columns of an index that would serve the query.
   */
  @ApiProperty({ required: false, type: [String], example: ['location', 'weight'] })
  suggestedIndex?: string[];

  /** With `expand`: by column and value, the rows that references identify, and tags, if they exist. */
  @ApiProperty({
    required: false,
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: { anyOf: [{ $ref: getSchemaPath(RowTitleDto) }, { $ref: getSchemaPath(TagTitleDto) }] },
    },
  } as never)
  expanded?: Record<string, Record<string, RowTitleDto | TagTitleDto>>;
}
