import { ApiProperty } from '@nestjs/swagger';
import { TableErrorDto } from '../../catalog/dto/table-error.dto.js';

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
