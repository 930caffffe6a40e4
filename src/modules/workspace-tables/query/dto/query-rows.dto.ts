import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsString, Max, MaxLength, Min } from 'class-validator';
import { StorableText } from '../../../../platform/http/validation/text.decorators.js';
import { WholeNumber } from '../../../../platform/http/validation/whole-number.decorator.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { MAX_KEY_LENGTH } from '../../catalog/column-types.js';
import { MAX_DEPTH } from '../row-selection.js';
import { COUNTS } from '../row-order.js';
import { TableSummaryDto } from '../../catalog/dto/table.dto.js';

/** Typed by hand: the decorator knows no styles of parameters. */
const FILTER_IN_ADDRESS = {
  required: false,
  type: 'object',
  style: 'deepObject',
  explode: true,
  additionalProperties: true,
  example: {},
} as never;

const FILTER_IN_BODY = {
  required: false,
  type: 'object',
  additionalProperties: true,
  example: { name: { contains: 'pump' }, weight: { gte: 100 } },
} as never;

class RowsQueryDto {
  /** Rows on a page; 100 by default, 5,000 at most. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: 5000, default: 100 })
  // Its range is the service's to check: the most is a setting.
  @Optional()
  @Type(() => Number)
  limit?: number;

  /** `nextCursor` of the page before. It belongs to its query: with another sort or other fields it is refused. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(1_000_000)
  cursor?: string;

  /**
   * Columns to sort by, separated by commas such as `-weight,name`, `-` before one for descending; empty values come last ascending.
   * Texts are compared byte by byte, by their first 256 characters; rows that are equal stand in the order of their keys, in the
   * direction of the last column. A column with `options.indexed` is sorted by at once; by another one the table is read as a whole.
   */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(10_000)
  sort?: string;

  /** Only rows with this text in one of their texts, whatever its case. Reads the table. */
  @ApiProperty({ required: false, maxLength: 200 })
  @Optional()
  @IsString()
  @MaxLength(200)
  @StorableText()
  q?: string;

  /** Only the row with this key and all rows below it, as the first `hierarchyParent` column says. */
  @ApiProperty({ required: false, maxLength: MAX_KEY_LENGTH })
  @Optional()
  @IsString()
  @StorableText()
  under?: string;

  /** With `under`: how many levels below it; 0 is the row itself. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: MAX_DEPTH })
  @Optional()
  @WholeNumber()
  @Min(0)
  @Max(MAX_DEPTH)
  depth?: number;

  /** Columns of links, separated by commas, whose rows are told by name in `expanded`. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(20_000)
  expand?: string;

  /** Columns to return, separated by commas such as `name,weight`; the primary key always comes along. All by default. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(20_000)
  fields?: string;

  /** Adds `total`: counted, or as the database's planner estimates it. */
  @ApiProperty({ required: false, enum: COUNTS })
  @Optional()
  @IsIn(COUNTS)
  count?: (typeof COUNTS)[number];
}

export class ItemsQueryDto extends RowsQueryDto {
  /**
   * Conditions, all of which must hold: `filter[weight][gte]=100&filter[name][contains]=pump`, and `filter[name]=Feed pump` for
   * `eq`. Operators: `eq`, `ne`, `lt`, `lte`, `gt`, `gte`, `in` (values separated by commas), `contains` (whatever the case), `null` (`true` or `false`).
   * An empty value is equal to an empty one alone, and different from all others. Keys, links and columns with
   * `options.indexed` are looked up; for other columns, and for `contains`, the table is read.
   */
  @ApiProperty(FILTER_IN_ADDRESS)
  @Optional()
  @IsObject()
  filter?: Record<string, unknown>;
}

/** The same as a body, where the values of a filter may be numbers, booleans, null and lists. */
export class ItemsBodyDto extends RowsQueryDto {
  /** As in an address: `{ "weight": { "gte": 100 }, "name": "Feed pump" }`. */
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

  /** What the row's column `name` says, else its key. */
  @ApiProperty({ example: 'Utilities' })
  title: string;
}

@ApiExtraModels(RowTitleDto)
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

  /** With `count`: rows that the query finds, over all pages. */
  @ApiProperty({ required: false, type: 'integer', example: 48184 })
  total?: number;

  /** With `expand`: by column and key the row that a link names, as far as it is there. */
  @ApiProperty({
    required: false,
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: { $ref: getSchemaPath(RowTitleDto) },
    },
  } as never)
  expanded?: Record<string, Record<string, RowTitleDto>>;
}
