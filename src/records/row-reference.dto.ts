import { ApiProperty } from '@nestjs/swagger';
import { OptionalText } from './record-fields.decorator.js';

/** A row of a workspace table that a record references. */
export class RowReferenceDto {
  @ApiProperty({ format: 'uuid' })
  tableId: string;

  /** Name of the table; null if the table or the row was deleted. */
  @ApiProperty({ type: String, nullable: true, example: 'Functional Locations' })
  table: string | null;

  /** Primary key of the row. The reference follows a rename. */
  @ApiProperty({ example: 'AT10-UTL-CW' })
  key: string;

  /** Display name of the row; null if the table or the row was deleted. */
  @ApiProperty({ type: String, nullable: true, example: 'Cooling water' })
  name: string | null;
}

/** The rows that a record refers to, as callers send them. */
export class NamedRowsDto {
  /** Key of a location. Null removes the reference. */
  @OptionalText({ maxLength: 255, example: 'AT10-UTL-CW' })
  location?: string | null;

  /** Name or ID of the location table. Required if several tables contain the key. */
  @OptionalText({ maxLength: 255 })
  locationKey?: string | null;

  /** Key of an asset. Null removes the reference. */
  @OptionalText({ maxLength: 255, example: '10004711' })
  asset?: string | null;

  /** Name or ID of the asset table. Required if several tables contain the key. */
  @OptionalText({ maxLength: 255, example: 'Assets' })
  assetKey?: string | null;
}
