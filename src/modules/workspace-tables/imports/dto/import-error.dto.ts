import { ApiProperty } from '@nestjs/swagger';
import { RowErrorDto } from '../../engine/dto/row-error.dto.js';

/** An error in a file to import. */
export class ImportErrorDto extends RowErrorDto {
  /** First line of the row in the file, from 1. */
  @ApiProperty({ required: false, type: 'integer', example: 5001 })
  line?: number;

  /** First line of the other row, if two rows have the same key. */
  @ApiProperty({ required: false, type: 'integer', example: 14 })
  otherLine?: number;
}
