import { ApiProperty } from '@nestjs/swagger';
import { ENTITY_KINDS, type EntityKind } from '../../catalog/entity-kind.js';
import { RowErrorDto } from './row-error.dto.js';

export const ROW_STATUSES = ['created', 'updated', 'unchanged', 'failed'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

export class RowCountsDto {
  @ApiProperty({ type: 'integer', example: 5000 })
  received: number;

  @ApiProperty({ type: 'integer', example: 4990 })
  created: number;

  @ApiProperty({ type: 'integer', example: 8 })
  updated: number;

  /** Stood there already, just so: nothing was written. */
  @ApiProperty({ type: 'integer', example: 2 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;
}

export class UnresolvedReferenceDto {
  /** Position among the items sent. */
  @ApiProperty({ type: 'integer', example: 17 })
  index: number;

  /** In an import: the line on which the row begins. */
  @ApiProperty({ required: false, type: 'integer', example: 18 })
  line?: number;

  @ApiProperty({ example: 'location' })
  column: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedReferencesDto {
  /** All links of this request whose target is not there; they resolve by themselves when it comes. */
  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  /** The first 20. */
  @ApiProperty({ type: [UnresolvedReferenceDto] })
  first: UnresolvedReferenceDto[];
}

export class IgnoredDifferenceDto {
  /** Key of the column. */
  @ApiProperty({ example: 'name' })
  key: string;

  /** What differs. */
  @ApiProperty({ enum: ['name', 'primaryKey', 'required', 'description', 'options'] })
  attribute: string;

  @ApiProperty({
    description: 'As it was sent.',
    example: 'NAME',
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'object' }],
  })
  sent: unknown;

  @ApiProperty({
    description: 'As it stands, and stays.',
    example: 'Name',
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'object' }, { type: 'null' }],
  })
  kept: unknown;
}

export class RowResultDto {
  /** Position among the items sent. */
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  /** The row's primary key; null where a row at fault has none. */
  @ApiProperty({ type: String, nullable: true, example: '000000000010004711' })
  key: string | null;

  @ApiProperty({ enum: ROW_STATUSES })
  status: RowStatus;
}

export class TableReportDto extends RowCountsDto {
  @ApiProperty({ enum: ENTITY_KINDS, example: 'asset' })
  type: EntityKind;

  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'Assets' })
  name: string;

  /** Did this request make the table? */
  @ApiProperty({ example: false })
  tableCreated: boolean;

  /** Keys of the columns that this request added. */
  @ApiProperty({ type: [String], example: [] })
  columnsAdded: string[];

  /** Differences between columns as sent and as they stand, which a bulk call does not apply. */
  @ApiProperty({ type: [IgnoredDifferenceDto] })
  columnsIgnored: IgnoredDifferenceDto[];

  /** The table's revision after this request; it counts the requests that changed anything. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  @ApiProperty({ type: UnresolvedReferencesDto })
  unresolved: UnresolvedReferencesDto;

  /** Faults of the rows that were not stored, with `onError=continue`: the first 1,000 of the request. */
  @ApiProperty({ type: [RowErrorDto] })
  errors: RowErrorDto[];

  /** With `return=items`: what became of each row, in the order sent. */
  @ApiProperty({ required: false, type: [RowResultDto] })
  items?: RowResultDto[];
}

export class UpsertReportDto {
  /** The highest revision that a table of the request has now. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  /** The counts of all tables together. */
  @ApiProperty({ type: RowCountsDto })
  totals: RowCountsDto;

  /** One report a table, in the order sent. */
  @ApiProperty({ type: [TableReportDto] })
  tables: TableReportDto[];
}
