import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsArray, IsIn, IsObject, IsOptional } from 'class-validator';
import { NestedList } from '../../../../platform/http/validation/nested-list.decorator.js';
import { ColumnDefinitionDto, MAX_COLUMNS } from '../../catalog/dto/column.dto.js';
import { ENTITY_NAMES, EntityName, TableName } from '../../catalog/table-name.decorator.js';
import type { EntityKind } from '../../../../../packages/tables/src/catalog/entity-kind.js';
import { MAX_REQUEST_TABLES } from '../../../../../packages/tables/src/catalog/request-limits.js';
import { UpsertQueryDto } from '../../engine/dto/upsert-report.dto.js';

/** A table and rows for it (specification, section 2.3). */
export class TableInputDto {
  /** Required on the unified route only. On the route of an entity it must match that entity. */
  @ApiProperty({ required: false, enum: ENTITY_NAMES, enumName: 'EntityName', example: 'asset' })
  @IsOptional()
  @EntityName()
  type?: EntityKind;

  /** Unique per workspace and entity, case-insensitive, not a UUID. Outer white space is removed. */
  @ApiProperty({ minLength: 1, maxLength: 255, example: 'Assets' })
  @TableName()
  name: string;

  /** Required with the first batch; later they add columns. Existing columns are never edited. */
  @ApiProperty({
    required: false,
    type: [ColumnDefinitionDto],
    maxItems: MAX_COLUMNS,
    example: [
      { name: 'EQUNR', type: 'text', primaryKey: true },
      { name: 'Name', type: 'text' },
      { key: 'weight', name: 'Weight in kg', type: 'number' },
    ],
  })
  @IsOptional()
  @NestedList(ColumnDefinitionDto, MAX_COLUMNS)
  columns?: ColumnDefinitionDto[];

  /** Rows: column key to value. `null` clears a value, an omitted key leaves it unchanged. */
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ equnr: '000000000010004711', name: 'Feed pump', weight: 180.5 }],
  })
  @IsArray()
  items: unknown[];
}

/** The tables of a bulk body. The reader of the body validates their number, and each table. */
function TableInputs(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: [TableInputDto], maxItems: MAX_REQUEST_TABLES }),
    IsArray(),
    IsObject({ each: true }),
  );
}

export class BulkLocationsDto {
  @TableInputs()
  locations: TableInputDto[];
}

export class BulkAssetsDto {
  @TableInputs()
  assets: TableInputDto[];
}

export class BulkListsDto {
  @TableInputs()
  lists: TableInputDto[];
}

export class BulkTablesDto {
  /** Each with its `type`. */
  @TableInputs()
  tables: TableInputDto[];
}

export class BulkQueryDto extends UpsertQueryDto {
  /** `items` adds a result per row, in the order sent. */
  @ApiProperty({ required: false, enum: ['items'] })
  @IsOptional()
  @IsIn(['items'])
  return?: 'items';
}
