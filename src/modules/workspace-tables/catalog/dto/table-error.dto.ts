import { ApiProperty } from '@nestjs/swagger';
import { FieldErrorDto } from '../../../../platform/http/error.dto.js';
import { ENTITY_KINDS, type EntityKind } from '../entity-kind.js';

/** An error in a table or one of its columns. */
export class TableErrorDto extends FieldErrorDto {
  /** Entity of the table. */
  @ApiProperty({ required: false, enum: ENTITY_KINDS, example: 'asset' })
  type?: EntityKind;

  /** Name of the table. */
  @ApiProperty({ required: false, example: 'Assets' })
  table?: string;

  /** Key of the column, or the key that was sent if it matches no column. */
  @ApiProperty({ required: false, example: 'weight' })
  column?: string;
}
