import { ApiProperty } from '@nestjs/swagger';

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
