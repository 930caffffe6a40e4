import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  Min,
} from 'class-validator';
import { BoundedText, Trimmed } from '../../../../platform/http/validation/text.decorators.js';
import { Nested, Optional, OptionalBoolean } from '../../../../records/record-fields.decorator.js';
import { COLUMN_TYPES, type ColumnType, MAX_TEXT_LENGTH } from '../../../../../packages/tabular/src/coercions.js';
import { MAX_PATTERN_LENGTH } from '../../../../../packages/tables/src/catalog/column-constraints.js';
import { CONSTRAINT_LEVELS, type ConstraintLevel } from '../../../../../packages/tables/src/catalog/column-types.js';
import { ENTITY_NAMES, EntityName } from '../table-name.decorator.js';
import type { EntityKind } from '../../../../../packages/tables/src/catalog/entity-kind.js';

/** The largest value of TABLE_MAX_COLUMNS, which limits the columns of a table. */
export const MAX_COLUMNS = 300;

/** The table that a `reference` column refers to. */
export class ReferenceTargetDto {
  /** Entity of the target table, singular or plural. */
  @ApiProperty({ enum: ENTITY_NAMES, enumName: 'EntityName', example: 'location' })
  @EntityName()
  entity: EntityKind;

  /** Name or ID of the target table. It may not exist yet. */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'Functional Locations' })
  @BoundedText(1, 255)
  @Trimmed()
  table: string;
}

/** The schema of the allowed values of a column. */
export const CHOICES = { type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: 1_000 } as const;

/** Options of a column. Each describes the types of columns that have it. */
export class ColumnOptionsDto {
  /** For `reference`: the table whose rows the values identify. Default: all Locations tables. */
  @ApiProperty({ required: false, type: ReferenceTargetDto })
  @IsOptional()
  @Nested(ReferenceTargetDto)
  target?: ReferenceTargetDto;

  /** For `text` and `tagStatus`: the allowed values. Default: any text. */
  @ApiProperty({ required: false, ...CHOICES, example: ['open', 'done'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1000)
  @BoundedText(0, 255, { each: true })
  choices?: string[];

  /** `true` builds an index for filters and sorting by the column. */
  @ApiProperty({ required: false, example: false })
  @IsOptional()
  @IsBoolean()
  indexed?: boolean;

  /** For `number`: the least allowed value. */
  @ApiProperty({ required: false, example: 0 })
  @IsOptional()
  @IsNumber()
  minimum?: number;

  /** For `number`: the greatest allowed value. */
  @ApiProperty({ required: false, example: 1_000_000 })
  @IsOptional()
  @IsNumber()
  maximum?: number;

  /** For texts: the least number of characters. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: MAX_TEXT_LENGTH, example: 1 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_TEXT_LENGTH)
  minLength?: number;

  /** For texts: the greatest number of characters. */
  @ApiProperty({ required: false, type: 'integer', minimum: 0, maximum: MAX_TEXT_LENGTH, example: 40 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_TEXT_LENGTH)
  maxLength?: number;

  /** For texts: a regular expression of PostgreSQL that a part of the text must match; `^…$` for the whole text. */
  @ApiProperty({ required: false, maxLength: MAX_PATTERN_LENGTH, example: '^[A-Z0-9-]+$' })
  @IsOptional()
  @BoundedText(1, MAX_PATTERN_LENGTH)
  pattern?: string;

  /** For `date`: the earliest allowed day, or `today` (UTC). */
  @ApiProperty({ required: false, maxLength: 10, example: '1990-01-01' })
  @IsOptional()
  @BoundedText(1, 10)
  earliest?: string;

  /** For `date`: the latest allowed day, or `today` (UTC). */
  @ApiProperty({ required: false, maxLength: 10, example: 'today' })
  @IsOptional()
  @BoundedText(1, 10)
  latest?: string;

  /** For texts, `number`, `date` and `reference`: `true` allows each value in one row only, and builds an index. */
  @ApiProperty({ required: false, example: false })
  @IsOptional()
  @IsBoolean()
  unique?: boolean;

  /** For references, parents and `locationTag`: `true` requires that the row or tag which a value names exists. */
  @ApiProperty({ required: false, example: false })
  @IsOptional()
  @IsBoolean()
  mustExist?: boolean;

  /** `warning`: rows that violate `minimum` to `mustExist` are stored and reported. */
  @ApiProperty({ required: false, enum: CONSTRAINT_LEVELS, enumName: 'ConstraintLevel', default: 'error' })
  @IsOptional()
  @IsIn(CONSTRAINT_LEVELS)
  level?: ConstraintLevel;
}

/** A column to create. */
export class ColumnDefinitionDto {
  /** Identifies the column: 1 to 63 of `a-z`, `0-9` and `_`. Derived from the name if omitted. Immutable. */
  @ApiProperty({ required: false, example: 'equnr' })
  @Optional()
  @IsString()
  key?: string;

  /** Display name. */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'EQUNR' })
  @BoundedText(1, 255)
  @Trimmed()
  name: string;

  @ApiProperty({ enum: COLUMN_TYPES, enumName: 'ColumnType', example: 'text' })
  @IsIn(COLUMN_TYPES)
  type: ColumnType;

  /** Marks the primary key, which is also the title; by default the first text column. */
  @OptionalBoolean({ example: true })
  primaryKey?: boolean;

  /** Every row must have a value. */
  @OptionalBoolean({ example: false })
  required?: boolean;

  @ApiProperty({ required: false, maxLength: 1_000, example: 'Equipment number' })
  @Optional()
  @BoundedText(0, 1000)
  description?: string;

  @ApiProperty({ required: false, type: ColumnOptionsDto })
  @Optional()
  @Nested(ColumnOptionsDto)
  options?: ColumnOptionsDto;
}
