import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import { Nested, NullableOf, Optional, OptionalInteger } from '../../../../records/record-fields.decorator.js';
import {
  APPROVERS,
  type Approver,
  MAX_HISTORY_DAYS,
  MAX_UNIQUE_COLUMNS,
  MAX_UNIQUE_TOGETHER,
} from '../../../../../packages/tables/src/catalog/table-options.js';

const MAX_KEY_LENGTH = 63;
/** The longest time until a proposal expires. */
export const MAX_EXPIRY_DAYS = 90;
const PERCENTAGE = /^(?:\d{1,2}(?:\.\d{1,3})?|100(?:\.0{1,3})?)%$/;

/** The schema of `uniqueTogether`. */
const LISTS_OF_KEYS = {
  type: 'array',
  maxItems: MAX_UNIQUE_TOGETHER,
  items: {
    type: 'array',
    minItems: 2,
    maxItems: MAX_UNIQUE_COLUMNS,
    items: { type: 'string', maxLength: MAX_KEY_LENGTH },
  },
} as const;

const isLimit = (value: unknown): boolean =>
  typeof value === 'string' ? PERCENTAGE.test(value) : Number.isSafeInteger(value) && Number(value) >= 0;

const isListOfKeys = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.length <= MAX_UNIQUE_COLUMNS &&
  value.every((key) => typeof key === 'string' && key.length <= MAX_KEY_LENGTH);

/** Which loads wait for approval: bulk requests, imports, deletions of many rows, and undo. */
export class ApprovalDto {
  @ApiProperty({ example: true })
  @IsBoolean()
  required: boolean;

  /** Loads that change more rows wait: a number, or a percentage of the stored rows. Default: 0. */
  @ApiProperty({
    required: false,
    oneOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: PERCENTAGE.source },
    ],
    example: '5%',
  })
  @Optional()
  @ValidateBy({
    name: 'changeLimit',
    validator: {
      validate: isLimit,
      defaultMessage: () => 'over must be a whole number, such as 500, or a percentage from 0% to 100%',
    },
  })
  over?: number | string;

  /** `other`: not the author of the load. */
  @ApiProperty({ required: false, enum: APPROVERS, default: 'anyone' })
  @Optional()
  @IsIn(APPROVERS)
  by?: Approver;

  /** Days until a proposal expires. */
  @OptionalInteger(1, MAX_EXPIRY_DAYS, { default: 7 })
  expiresAfterDays?: number;
}

export class TableOptionsDto {
  /** Key of the column that is shown as title of a row, also by `expand`. Default: the primary key. */
  @ApiProperty({ required: false, maxLength: MAX_KEY_LENGTH, example: 'name' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_KEY_LENGTH)
  title?: string;

  /** Columns whose values together occur in one row only. Rows with an empty value in one of them are not compared. */
  @ApiProperty({ required: false, ...LISTS_OF_KEYS, example: [['plant', 'number']] })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_UNIQUE_TOGETHER)
  @ValidateBy(
    {
      name: 'listOfKeys',
      validator: {
        validate: isListOfKeys,
        defaultMessage: () => `each value in uniqueTogether must be a list of 2 to ${MAX_UNIQUE_COLUMNS} column keys`,
      },
    },
    { each: true },
  )
  uniqueTogether?: string[][];

  @ApiProperty({ required: false, type: ApprovalDto })
  @IsOptional()
  @Nested(ApprovalDto)
  approval?: ApprovalDto;

  /** Days for which former rows are stored. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: MAX_HISTORY_DAYS, example: 30 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_HISTORY_DAYS)
  historyDays?: number;
}

/** Omitted options remain unchanged; null removes an option. */
export class EditTableOptionsDto extends NullableOf(TableOptionsDto) {
  /** 0 removes the former rows: batches can no longer be undone. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: MAX_HISTORY_DAYS, nullable: true, example: 30 })
  declare historyDays?: number | null;
}
