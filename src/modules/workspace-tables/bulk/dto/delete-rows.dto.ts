import { ApiProperty } from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { EXAMPLE_DELETED_ASSET } from '../../catalog/dto/table.examples.js';

export class DeleteRowsDto {
  /** Primary keys of rows, 50,000 at most. */
  @ApiProperty({ type: [String], example: [EXAMPLE_DELETED_ASSET] })
  // The engine validates each key, by the rules of rows.
  @IsArray()
  keys: unknown[];
}
