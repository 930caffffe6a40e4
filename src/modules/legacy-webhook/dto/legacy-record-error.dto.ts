import { ApiProperty } from '@nestjs/swagger';
import { FieldErrorDto } from '../../../platform/http/error.dto.js';
import { LEGACY_ARRAYS, type LegacyArray } from '../legacy-mapping.js';

/** An error in a record of the legacy webhook. `field` is the name that the record uses. */
export class LegacyRecordErrorDto extends FieldErrorDto {
  /** Array of the record. */
  @ApiProperty({ required: false, enum: LEGACY_ARRAYS, enumName: 'LegacyArray', example: 'equipment' })
  array?: LegacyArray;

  /** Position of the record in its array, from 0. */
  @ApiProperty({ required: false, type: 'integer', example: 4999 })
  index?: number;

  /** External ID of the record, if it has one. */
  @ApiProperty({ required: false, example: '000000000010004711' })
  key?: string;

  /** Key of the column, if the error is in the table and not in a record. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;
}
