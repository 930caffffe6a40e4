import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { MAX_KEY_LENGTH } from '../../../../../packages/tabular/src/coercions.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';

export class RenameDto {
  @ApiProperty({
    description: `The new key of the row: not empty, at most ${MAX_KEY_LENGTH} characters. Outer white space is removed.`,
    example: 'AT10-UTILITIES',
  })
  // Length and characters are validated by the rules of bulk, with 422.
  @IsString()
  key: string;
}

export class RenameCountsDto {
  /** Rows of the table that have the row as their parent. */
  @ApiProperty({ type: 'integer', example: 12 })
  children: number;

  /** References to the row, in this table and in others. */
  @ApiProperty({ type: 'integer', example: 48 })
  references: number;

  /**
   * References that remain, because another table has a row with the former key, too. Only columns without the option
   * `target`.
   */
  @ApiProperty({ type: 'integer', example: 0 })
  ambiguous: number;
}

export class RenamedDto {
  @ApiProperty({ type: TableSummaryDto })
  table: TableSummaryDto;

  /** The new key of the row. */
  @ApiProperty({ example: 'AT10-UTILITIES' })
  key: string;

  @ApiProperty({ example: 'AT10-UTL' })
  previousKey: string;

  /** The number of changed references. */
  @ApiProperty({ type: RenameCountsDto })
  changed: RenameCountsDto;
}
