import { ApiProperty } from '@nestjs/swagger';
import { FieldErrorDto } from '../../../../platform/http/error.dto.js';
import { ENTITY_KINDS, type EntityKind } from '../entity-kind.js';

/** An error in a table or one of its columns. */
export class TableErrorDto extends FieldErrorDto {
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
  /** Position of the row in the table's `items`, from 0. */
  @ApiProperty({ required: false, type: 'integer', example: 4999 })
  index?: number;

  /** Primary key of the row, if it has one. */
  @ApiProperty({ required: false, example: '000000000010004711' })
  key?: string;

  /** Position of the other row, if two rows of the request have the same key. */
  @ApiProperty({ required: false, type: 'integer', example: 12 })
  otherIndex?: number;
}

/** An error in a file to import. */
export class ImportErrorDto extends RowErrorDto {
  /** First line of the row in the file, from 1. */
  @ApiProperty({ required: false, type: 'integer', example: 5001 })
  line?: number;

  /** First line of the other row, if two rows have the same key. */
  @ApiProperty({ required: false, type: 'integer', example: 14 })
  otherLine?: number;
}
