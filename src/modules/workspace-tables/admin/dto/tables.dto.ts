import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { formatCount } from '../../../../platform/config/limits.js';
import { NestedList } from '../../../../platform/http/validation/nested-list.decorator.js';
import { PageOf, PageQueryDto } from '../../../../platform/http/page.dto.js';
import {
  Nested,
  NullableOf,
  Optional,
  OptionalBoolean,
  PartialOf,
} from '../../../../records/record-fields.decorator.js';
import { BoundedText } from '../../../../platform/http/validation/text.decorators.js';
import {
  CHOICES,
  ColumnDefinitionDto,
  ColumnOptionsDto,
  MAX_COLUMNS,
  ReferenceTargetDto,
} from '../../catalog/dto/column.dto.js';
import { EditTableOptionsDto, TableOptionsDto } from './table-options.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { TableName } from '../../catalog/table-name.decorator.js';
import { MAX_INDEXES } from '../../../../../packages/tables/src/catalog/column-indexes.js';
import { INDEX_STATES, type RequestedIndexState } from '../../catalog/column-index.entity.js';
import {
  COLUMN_TYPES,
  type ColumnType,
  MAX_INDEXED_TEXT_LENGTH,
} from '../../../../../packages/tabular/src/coercions.js';

const EXISTING = ['reject', 'allow'] as const;

export class TablesQueryDto extends PageQueryDto {
  /** Text that the name contains, in any letter case. */
  @ApiProperty({ required: false, maxLength: 255 })
  @Optional()
  @BoundedText(0, 255)
  q?: string;
}

export class ListedTableDto extends TableSummaryDto {
  @ApiProperty({ type: 'integer', example: 4 })
  columnCount: number;

  @ApiProperty()
  createdAt: Date;

  /** Time of the last change of the table or of a row. */
  @ApiProperty()
  updatedAt: Date;
}

export class TablesPageDto extends PageOf(ListedTableDto) {}

export class ColumnIndexDto {
  /** Only a `ready` index serves filters and sorting. */
  @ApiProperty({ enum: INDEX_STATES, enumName: 'IndexState', example: 'ready' })
  state: RequestedIndexState;

  /** The reason of a failure. The next write of the table, or a request, builds it again. */
  @ApiProperty({ type: String, nullable: true, example: null })
  message: string | null;
}

/** An index over several columns. */
export class CompositeIndexDto extends ColumnIndexDto {
  /** The keys of its columns: those of `eq` filters first, then the column to sort by. */
  @ApiProperty({ type: [String], example: ['location', 'weight'] })
  columns: string[];
}

export class ColumnDto {
  /** Identifies the column in rows and queries. Immutable. */
  @ApiProperty({ example: 'equnr' })
  key: string;

  @ApiProperty({ example: 'EQUNR' })
  name: string;

  @ApiProperty({ enum: COLUMN_TYPES, enumName: 'ColumnType', example: 'text' })
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
   * The index for filters and sorting by the column. Null if there is none: queries then read the whole table.
   */
  @ApiProperty({ type: ColumnIndexDto, nullable: true })
  index: ColumnIndexDto | null;
}

/** The former rows of a table. */
export class TableHistoryDto {
  /** The history starts after this revision. */
  @ApiProperty({ type: 'integer', example: 0 })
  since: number;

  /** Disk space of the former rows. Null for callers with an access policy. */
  @ApiProperty({ type: 'integer', nullable: true, example: 81920 })
  bytes: number | null;
}

export class TableDto extends ListedTableDto {
  options: TableOptionsDto;

  @ApiProperty({ type: [ColumnDto] })
  columns: ColumnDto[];

  /** The indexes over several columns. */
  @ApiProperty({ type: [CompositeIndexDto] })
  indexes: CompositeIndexDto[];

  history: TableHistoryDto;
}

/** Omitted options remain unchanged; null removes an option. */
export class EditOptionsDto extends NullableOf(ColumnOptionsDto) {
  @ApiProperty({
    description: 'For `reference`: the table whose rows the values identify; null: all Locations tables.',
    nullable: true,
  })
  declare target?: ReferenceTargetDto | null;

  @ApiProperty({
    description: 'For `text` and `tagStatus`: the allowed values, including those of all rows; null: any text.',
    required: false,
    ...CHOICES,
    nullable: true,
    example: ['open', 'done'],
  })
  declare choices?: string[] | null;

  @ApiProperty({
    description:
      `\`true\` builds an index. A table has at most ${MAX_INDEXES}; ` +
      `texts in the column then have at most ${formatCount(MAX_INDEXED_TEXT_LENGTH, 'characters')}.`,
    nullable: true,
    type: Boolean,
    example: true,
  })
  declare indexed?: boolean | null;
}

/** An existing column by its key, or a new column with name and type. Omitted attributes remain unchanged. */
export class EditColumnDto extends PartialOf(PickType(ColumnDefinitionDto, ['name', 'type'])) {
  /** In any letter case. Default: derived from the name, as in bulk requests. */
  @ApiProperty({ required: false, example: 'name' })
  @Optional()
  @IsString()
  key?: string;

  /** Required for a new column. The type of an existing column cannot be changed. */
  declare type?: ColumnType;

  /** Cannot be changed. */
  @OptionalBoolean()
  primaryKey?: boolean;

  /** `true` requires a value in every row, including existing rows. */
  @OptionalBoolean({ example: false })
  required?: boolean;

  /** Null removes the description. */
  @ApiProperty({ required: false, type: String, nullable: true, maxLength: 1_000, example: 'Common name' })
  @IsOptional()
  @BoundedText(0, 1000)
  description?: string | null;

  /** As in a bulk request. Omitted options remain unchanged; null removes an option. */
  @ApiProperty({ required: false, type: EditOptionsDto })
  @Optional()
  @Nested(EditOptionsDto)
  options?: EditOptionsDto;
}

/** Omitted attributes and columns remain unchanged. */
export class EditTableDto {
  /**
   * Unique in the workspace and entity in any letter case, and not a UUID. References with the former name as target
   * are updated.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: 255, example: 'Equipment' })
  @Optional()
  @TableName()
  name?: string;

  /** Columns to edit or add. */
  @ApiProperty({ required: false, type: [EditColumnDto], maxItems: MAX_COLUMNS })
  @Optional()
  @NestedList(EditColumnDto, MAX_COLUMNS)
  columns?: EditColumnDto[];

  @ApiProperty({ required: false, type: EditTableOptionsDto })
  @Optional()
  @Nested(EditTableOptionsDto)
  options?: EditTableOptionsDto;

  /** `allow`: stored rows may violate the constraints that the edit adds. They are listed under `…/violations`. */
  @ApiProperty({ required: false, enum: EXISTING, default: 'reject' })
  @Optional()
  @IsIn(EXISTING)
  existing?: (typeof EXISTING)[number];
}

/** An edit of the example table of assets. Sent again, it changes nothing. */
export const EXAMPLE_EDIT = { columns: [{ key: 'weight', name: 'Weight (kg)', options: { indexed: true } }] };
