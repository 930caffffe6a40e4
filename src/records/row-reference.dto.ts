import { ApiProperty } from '@nestjs/swagger';

/** A row of a table that a record is filed against. */
export class RowReferenceDto {
  @ApiProperty({ format: 'uuid' })
  tableId: string;

  /** The table's name; null where it is gone. */
  @ApiProperty({ type: String, nullable: true, example: 'Functional Locations' })
  table: string | null;

  /** The row's primary key. The record follows it when it is renamed. */
  @ApiProperty({ example: 'AT10-UTL-CW' })
  key: string;

  /** What people call it; null where it is gone. */
  @ApiProperty({ type: String, nullable: true, example: 'Cooling water' })
  name: string | null;
}
