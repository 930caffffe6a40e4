import { ApiProperty } from '@nestjs/swagger';
import { type ErrorUnion, FieldErrorDto } from '../../../../platform/http/error.dto.js';
import { CONSTRAINT_CODES } from '../../../../../packages/tables/src/catalog/column-types.js';
import { ENTITY_KINDS, type EntityKind } from '../../../../../packages/tables/src/catalog/entity-kind.js';

/** Codes of errors in tables and the definitions of columns. */
const DEFINITION_ERROR_CODES = [
  'columns_required',
  'duplicate_table',
  'name_taken',
  'invalid_column_key',
  'invalid_option',
  'invalid_primary_key',
  'invalid_index',
  'column_type_conflict',
  'too_many_columns',
  'too_many_indexes',
] as const;

/** Codes of errors in definitions and in the values of rows. */
const VALUE_ERROR_CODES = [
  'unknown_column',
  'ambiguous_column',
  'required',
  'type_mismatch',
  ...Object.values(CONSTRAINT_CODES),
] as const;

/** Codes of errors in a value of a row, or a cell of the header of a file. */
const CELL_ERROR_CODES = [
  ...VALUE_ERROR_CODES,
  'required_key',
  'invalid_key',
  'hierarchy_cycle',
  'duplicate_column',
] as const;

/** Codes of errors that belong to no column. */
const WHOLE_ROW_ERROR_CODES = [
  'row_too_large',
  'cell_count',
  'repeated_header',
  'outside_scope',
  'changed_since',
] as const;

const DUPLICATE_KEY_ERROR_CODES = ['duplicate_in_batch'] as const;

const TABLE_ERROR_CODES = [...DEFINITION_ERROR_CODES, ...VALUE_ERROR_CODES] as const;

/** The codes of one kind; the description and the example of all codes say nothing about them. */
const toCode = (codes: readonly string[]) => ({ enum: codes as string[], description: undefined, example: undefined });

/** What the errors in a table and its rows have in common. */
class TableErrorFieldsDto extends FieldErrorDto {
  /** Entity of the table. */
  @ApiProperty({ required: false, enum: ENTITY_KINDS, enumName: 'EntityKind', example: 'asset' })
  type?: EntityKind;

  /** Name of the table. */
  @ApiProperty({ required: false, example: 'Assets' })
  table?: string;
}

/** An error in a table or one of its columns. */
export class TableErrorDto extends TableErrorFieldsDto {
  @ApiProperty(toCode(TABLE_ERROR_CODES))
  declare code: string;

  /** Key of the column, or the sent key that matches none. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;
}

/** An error in a table or the definition of a column, in a request with rows. */
class ColumnErrorDto extends TableErrorDto {
  @ApiProperty(toCode(DEFINITION_ERROR_CODES))
  declare code: string;
}

/** What the errors in rows have in common. */
class RowErrorFieldsDto extends TableErrorFieldsDto {
  /** Position of the row in the table's `items`, from 0. */
  @ApiProperty({ required: false, type: 'integer', example: 4999 })
  index?: number;

  /** Primary key of the row, if it has one. */
  @ApiProperty({ required: false, example: '000000000010004711' })
  key?: string;

  /** In an import: the first line of the row, from 1. */
  @ApiProperty({ required: false, type: 'integer' })
  line?: number;
}

/** An error in a value of a row. It has no position if it is in the definition of a column. */
class CellErrorDto extends RowErrorFieldsDto {
  @ApiProperty(toCode(CELL_ERROR_CODES))
  declare code: string;

  /** Key of the column, or the sent key that matches none. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;
}

/** An error in a row that belongs to no column. */
class WholeRowErrorDto extends RowErrorFieldsDto {
  @ApiProperty(toCode(WHOLE_ROW_ERROR_CODES))
  declare code: string;
}

/** Two rows of the request have the same key. */
class DuplicateKeyErrorDto extends RowErrorFieldsDto {
  @ApiProperty(toCode(DUPLICATE_KEY_ERROR_CODES))
  declare code: string;

  column?: string;

  /** Position of the other row. */
  @ApiProperty({ type: 'integer', example: 12 })
  otherIndex: number;

  /** In an import: the first line of the other row. */
  @ApiProperty({ required: false, type: 'integer' })
  otherLine?: number;
}

/** An error in a table, a column or a row. */
export type RowErrorDto = ColumnErrorDto | CellErrorDto | WholeRowErrorDto | DuplicateKeyErrorDto;

/** The kinds of errors in tables, columns and rows: clients find the fields of an error by its code. */
export const ROW_ERROR: ErrorUnion = {
  name: 'RowErrorDto',
  kinds: [
    { type: CellErrorDto, codes: CELL_ERROR_CODES },
    { type: DuplicateKeyErrorDto, codes: DUPLICATE_KEY_ERROR_CODES },
    { type: WholeRowErrorDto, codes: WHOLE_ROW_ERROR_CODES },
    { type: ColumnErrorDto, codes: DEFINITION_ERROR_CODES },
  ],
  bases: [TableErrorFieldsDto, RowErrorFieldsDto],
};
