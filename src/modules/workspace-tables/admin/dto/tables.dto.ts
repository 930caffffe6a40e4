import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
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
import { PageOf, PageQueryDto } from '../../../../platform/http/page.dto.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { StorableText, Trimmed } from '../../../../platform/http/validation/text.decorators.js';
import { ColumnOptionsDto, ReferenceTargetDto } from '../../catalog/dto/column-options.dto.js';
import { ENTITY_KINDS, type EntityKind } from '../../catalog/entity-kind.js';
import { TableName } from '../../catalog/table-name.decorator.js';
import { INDEX_STATES } from '../../catalog/column-index.entity.js';
import { COLUMN_TYPES, type ColumnType } from '../../catalog/column-types.js';

export class TablesQueryDto extends PageQueryDto {
  /** Text that stands in the name, in any case. */
  @ApiProperty({ required: false, maxLength: 255 })
  @Optional()
  @IsString()
  @MaxLength(255)
  @StorableText()
  q?: string;
}

export class ListedTableDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'Assets' })
  name: string;

  @ApiProperty({ enum: ENTITY_KINDS, example: 'asset' })
  type: EntityKind;

  /** Counts the writes that changed anything, of rows and of columns. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  @ApiProperty({ type: 'integer', example: 4 })
  columnCount: number;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  /** When the table, or a row of it, last changed. */
  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

export class TablesPageDto extends PageOf(ListedTableDto) {}

export class ColumnIndexDto {
  /** Built in the background: `pending` until an instance takes it up. Only a `ready` one serves filters and sorts. */
  @ApiProperty({ enum: INDEX_STATES, example: 'ready' })
  state: (typeof INDEX_STATES)[number];

  /** Why it failed. Send `indexed: true` again to have it tried again. */
  @ApiProperty({ type: String, nullable: true, example: null })
  message: string | null;
}

export class ColumnDto {
  /** How items and queries name the column; never changes. */
  @ApiProperty({ example: 'equnr' })
  key: string;

  @ApiProperty({ example: 'EQUNR' })
  name: string;

  @ApiProperty({ enum: COLUMN_TYPES, example: 'text' })
  type: ColumnType;

  @ApiProperty({ example: true })
  primaryKey: boolean;

  @ApiProperty({ example: false })
  required: boolean;

  @ApiProperty({ type: String, nullable: true, example: 'Equipment number' })
  description: string | null;

  @ApiProperty({ type: ColumnOptionsDto })
  options: ColumnOptionsDto;

  /**
   * The index that filters and sorts by the column use; null where it has none: they work all the same, and read the whole
   * table. The primary key and columns of links always have one. Its state is not part of the `ETag`.
   */
  @ApiProperty({ type: ColumnIndexDto, nullable: true })
  index: ColumnIndexDto | null;
}

export class TableDto extends ListedTableDto {
  @ApiProperty({ type: [ColumnDto] })
  columns: ColumnDto[];
}

/** What is not sent stays; null takes an option away. */
export class EditOptionsDto {
  /** For `reference`: the table whose rows it names from now on; null: all Locations tables. */
  @ApiProperty({ required: false, type: ReferenceTargetDto, nullable: true })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ReferenceTargetDto)
  target?: ReferenceTargetDto | null;

  /** For `tagStatus`: the values it may have, those of all rows among them; null: any text. */
  @ApiProperty({ required: false, type: [String], nullable: true, example: ['open', 'done'] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1000)
  @IsString({ each: true })
  @MaxLength(255, { each: true })
  @StorableText({ each: true })
  choices?: string[] | null;

  /** Is the column to have an index? At most 10 of a table; texts then have at most 1,000 characters. */
  @ApiProperty({ required: false, type: Boolean, nullable: true, example: true })
  @IsOptional()
  @IsBoolean()
  indexed?: boolean | null;
}

/** A column of the table by its key, or a new one with name and type. What is not sent stays. */
export class EditColumnDto {
  /** Of the column, in any case. Without it: made from the name, as in bulk. */
  @ApiProperty({ required: false, example: 'name' })
  @Optional()
  @IsString()
  key?: string;

  @ApiProperty({ required: false, example: 'Description' })
  @Optional()
  @IsString()
  @Length(1, 255)
  @StorableText()
  @Trimmed()
  name?: string;

  /** Needed for a new column; that of a column never changes. */
  @ApiProperty({ required: false, enum: COLUMN_TYPES, example: 'text' })
  @Optional()
  @IsIn(COLUMN_TYPES)
  type?: ColumnType;

  /** Stays what it is. */
  @ApiProperty({ required: false })
  @Optional()
  @IsBoolean()
  primaryKey?: boolean;

  /** May it not be empty? Then every row must have a value already. */
  @ApiProperty({ required: false, example: false })
  @Optional()
  @IsBoolean()
  required?: boolean;

  /** Null takes it away. */
  @ApiProperty({ required: false, type: String, nullable: true, example: 'What people call it' })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  @StorableText()
  description?: string | null;

  @ApiProperty({ required: false, type: EditOptionsDto })
  @Optional()
  @IsObject()
  @ValidateNested()
  @Type(() => EditOptionsDto)
  options?: EditOptionsDto;
}

/** What is not sent stays. */
export class EditTableDto {
  /** Unique in the workspace and entity, whatever its case, and no UUID. References of other tables that name the table follow. */
  @ApiProperty({ required: false, minLength: 1, maxLength: 255, example: 'Equipment' })
  @Optional()
  @TableName()
  name?: string;

  /** Columns to change or to add; the others stay. */
  @ApiProperty({ required: false, type: [EditColumnDto] })
  @Optional()
  @IsArray()
  @ArrayMaxSize(1000)
  @IsObject({ each: true })
  @ValidateNested({ each: true })
  @Type(() => EditColumnDto)
  columns?: EditColumnDto[];
}
