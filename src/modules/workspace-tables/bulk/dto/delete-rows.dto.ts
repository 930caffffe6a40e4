import { ApiProperty } from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { MAX_REQUEST_ROWS } from '../../../../../packages/tables/src/catalog/request-limits.js';
import { EXAMPLE_DELETED_ASSETS } from '../../catalog/dto/table.examples.js';

export class DeleteRowsDto {
  /** Primary keys of rows. */
  @ApiProperty({ type: [String], maxItems: MAX_REQUEST_ROWS, example: [EXAMPLE_DELETED_ASSETS.byBody] })
  // The engine validates each key, by the rules of rows.
  @IsArray()
  keys: unknown[];
}
