import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { EXAMPLE_COLUMN, EXAMPLE_DROPPED_TABLE } from '../../catalog/dto/table.examples.js';

// `confirm` is validated with the table, so that the message of the error states what to send.

export class ConfirmTableDto {
  /** The name or ID of the table. */
  @ApiProperty({ required: true, example: EXAMPLE_DROPPED_TABLE.name })
  @Optional()
  @IsString()
  confirm?: string;
}

export class ConfirmColumnDto {
  /** The key of the column. */
  @ApiProperty({ required: true, example: EXAMPLE_COLUMN })
  @Optional()
  @IsString()
  confirm?: string;
}

export class ConfirmRenameDto {
  /** The present name or the ID of the table that is renamed. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  confirm?: string;
}
