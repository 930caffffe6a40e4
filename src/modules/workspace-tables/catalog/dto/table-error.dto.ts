import { ApiProperty } from '@nestjs/swagger';
import { FieldErrorDto } from '../../../../platform/http/error.dto.js';
import { ENTITY_KINDS, type EntityKind } from '../entity-kind.js';

/** Codes of errors in tables and their columns. */
export const TABLE_ERROR_CODES = [
  'columns_required',
  'duplicate_table',
  'name_taken',
  'unknown_column',
  'ambiguous_column',
  'invalid_column_key',
  'invalid_option',
  'invalid_primary_key',
  'invalid_index',
  'column_type_conflict',
  'too_many_columns',
  'too_many_indexes',
  'required',
  'type_mismatch',
  'too_long',
] as const;

/** Codes of errors in rows and files, and in the table and columns of the same request. */
export const ROW_ERROR_CODES = [
  ...TABLE_ERROR_CODES,
  'required_key',
  'invalid_key',
  'duplicate_in_batch',
  'hierarchy_cycle',
  'row_too_large',
  'cell_count',
  'duplicate_column',
  'outside_scope',
  'changed_since',
] as const;

/** An error in a table or one of its columns. */
export class TableErrorDto extends FieldErrorDto {
  @ApiProperty({ enum: TABLE_ERROR_CODES, enumName: 'TableErrorCode' })
  declare code: string;

  /** Entity of the table. */
  @ApiProperty({ required: false, enum: ENTITY_KINDS, enumName: 'EntityKind', example: 'asset' })
  type?: EntityKind;

  /** Name of the table. */
  @ApiProperty({ required: false, example: 'Assets' })
  table?: string;

  /** Key of the column, or the key that was sent if it matches no column. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;
}

/** An error in a table, a column or a row. */
export class RowErrorDto extends TableErrorDto {
  @ApiProperty({ enum: ROW_ERROR_CODES, enumName: 'RowErrorCode' })
  declare code: string;

  /** Position of the row in the table's `items`, from 0. */
  @ApiProperty({ required: false, type: 'integer', example: 4999 })
  index?: number;

  /** Primary key of the row, if it has one. */
  @ApiProperty({ required: false, example: '000000000010004711' })
  key?: string;

  /** Position of the other row, if two rows of the request have the same key. */
  @ApiProperty({ required: false, type: 'integer', example: 12 })
  otherIndex?: number;

  /** In an import: the first line of the row, from 1. */
  @ApiProperty({ required: false, type: 'integer' })
  line?: number;

  /** In an import: the first line of the other row. */
  @ApiProperty({ required: false, type: 'integer' })
  otherLine?: number;
}
