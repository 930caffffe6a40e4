import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { TableSummaryDto } from '../../catalog/dto/table.dto.js';

export class RenameDto {
  /** The row's new key: not empty, at most 255 characters; outer white space is not kept. */
  @ApiProperty({ example: 'AT10-UTILITIES' })
  // Its rules are those of bulk, and 422 as there.
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
}

export class RenamedDto {
  @ApiProperty({ type: TableSummaryDto })
  table: TableSummaryDto;

  /** The key that the row has now. */
  @ApiProperty({ example: 'AT10-UTILITIES' })
  key: string;

  @ApiProperty({ example: 'AT10-UTL' })
  previousKey: string;

  /** The links that were changed along with the key. */
  @ApiProperty({ type: RenameCountsDto })
  changed: RenameCountsDto;
}
