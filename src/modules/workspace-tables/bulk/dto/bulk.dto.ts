import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { StorableText, Trimmed } from '../../../../platform/http/validation/text.decorators.js';
import { COLUMN_TYPES, type ColumnType } from '../../catalog/column-types.js';
import { ENTITY_NAMES, type EntityName } from '../../catalog/entity-kind.js';
import { ColumnOptionsDto } from '../../catalog/dto/column-options.dto.js';
import { TableName } from '../../catalog/table-name.decorator.js';

export class ColumnDefinitionDto {
  /** How items and queries name the column: 1 to 63 of `a-z`, `0-9` and `_`. Without it: made from the name. Immutable. */
  @ApiProperty({ required: false, example: 'equnr' })
  @IsOptional()
  @IsString()
  key?: string;

  /** For people. */
  @ApiProperty({ example: 'EQUNR' })
  @IsString()
  @Length(1, 255)
  @StorableText()
  @Trimmed()
  name: string;

  @ApiProperty({ enum: COLUMN_TYPES, example: 'text' })
  @IsIn(COLUMN_TYPES)
  type: ColumnType;

  /** Marks the primary key, which is the title too. Without a mark: the first text column. */
  @ApiProperty({ required: false, example: true })
  @IsOptional()
  @IsBoolean()
  primaryKey?: boolean;

  /** May it not be empty? */
  @ApiProperty({ required: false, example: false })
  @IsOptional()
  @IsBoolean()
  required?: boolean;

  @ApiProperty({ required: false, example: 'Equipment number' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @StorableText()
  description?: string;

  @ApiProperty({ required: false, type: ColumnOptionsDto })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ColumnOptionsDto)
  options?: ColumnOptionsDto;
}

/** A table and rows for it (specification, section 2.3). */
export class TableInputDto {
  /** Needed on the unified call alone; on a single surface it must agree. */
  @ApiProperty({ required: false, enum: ENTITY_NAMES, example: 'asset' })
  @IsOptional()
  @IsIn(ENTITY_NAMES)
  type?: EntityName;

  /** Unique in the workspace and entity, whatever its case, and no UUID; outer white space is not kept. */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'Assets' })
  @TableName()
  name: string;

  /** With the first batch, or to add columns; what exists is never edited. */
  @ApiProperty({
    required: false,
    type: [ColumnDefinitionDto],
    example: [
      { name: 'EQUNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { key: 'weight', name: 'Weight in kg', type: 'number' },
    ],
  })
  @IsOptional()
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => ColumnDefinitionDto)
  columns?: ColumnDefinitionDto[];

  /** Rows: column key to value. Keys that are not sent stay as they are, `null` clears. */
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ equnr: '000000000010004711', name: 'Feed pump', weight: 180.5 }],
  })
  @IsArray()
  items: unknown[];
}

export class BulkLocationsDto {
  @ApiProperty({ type: [TableInputDto] })
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => TableInputDto)
  locations: TableInputDto[];
}

export class BulkAssetsDto {
  @ApiProperty({ type: [TableInputDto] })
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => TableInputDto)
  assets: TableInputDto[];
}

export class BulkListsDto {
  @ApiProperty({ type: [TableInputDto] })
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => TableInputDto)
  lists: TableInputDto[];
}

export class BulkTablesDto {
  /** Each with its `type`. */
  @ApiProperty({ type: [TableInputDto] })
  @IsArray()
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => TableInputDto)
  tables: TableInputDto[];
}

export const ON_ERROR = ['abort', 'continue'] as const;

export class BulkQueryDto {
  /** `abort` stores all or nothing; `continue` stores the good rows and answers 207 with the errors of the others. */
  @ApiProperty({ required: false, enum: ON_ERROR, default: 'abort' })
  @IsOptional()
  @IsIn(ON_ERROR)
  onError: (typeof ON_ERROR)[number] = 'abort';

  /** `true` does everything, answers what it would have done, and stores nothing. */
  @ApiProperty({ required: false, enum: ['true', 'false'], default: 'false' })
  @IsOptional()
  @IsIn(['true', 'false'])
  dryRun: 'true' | 'false' = 'false';

  /** `items` adds a result for each row, in the order sent. */
  @ApiProperty({ required: false, enum: ['items'] })
  @IsOptional()
  @IsIn(['items'])
  return?: 'items';
}
