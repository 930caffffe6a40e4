import { ApiProperty } from '@nestjs/swagger';
import { LegacyRecordErrorDto } from './legacy-record-error.dto.js';
import { LEGACY_ARRAYS, type LegacyArray } from '../legacy-mapping.js';

export class LegacyCountsDto {
  /** Records that were sent: the sum of the others. */
  @ApiProperty({ type: 'integer', example: 5000 })
  received: number;

  @ApiProperty({ type: 'integer', example: 4985 })
  created: number;

  @ApiProperty({ type: 'integer', example: 8 })
  updated: number;

  /** Stood there already, just so: nothing was written. */
  @ApiProperty({ type: 'integer', example: 2 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  /** Had the external ID of a later record, which counts in their place. */
  @ApiProperty({ type: 'integer', example: 5 })
  collapsed: number;
}

export class LegacyTableDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['location', 'asset', 'list'], example: 'list' })
  type: string;

  /** As an administrator may have changed it. */
  @ApiProperty({ example: 'Categories' })
  name: string;
}

export class DuplicateDto {
  /** The external ID. */
  @ApiProperty({ example: 'PM-01' })
  key: string;

  /** How many records have it. */
  @ApiProperty({ type: 'integer', example: 6 })
  records: number;

  /** Position of the one that counts. */
  @ApiProperty({ type: 'integer', example: 5 })
  kept: number;
}

export class FieldNotMappedDto {
  @ApiProperty({ example: 'ERDAT' })
  field: string;

  /** Records that have it. */
  @ApiProperty({ type: 'integer', example: 5000 })
  records: number;
}

export class FieldsNotMappedDto {
  /** Values that were left out, in all records. */
  @ApiProperty({ type: 'integer', example: 5000 })
  total: number;

  /** The first 20 fields. */
  @ApiProperty({ type: [FieldNotMappedDto] })
  first: FieldNotMappedDto[];
}

export class UnresolvedFieldDto {
  /** Position of the record in its array. */
  @ApiProperty({ type: 'integer', example: 17 })
  index: number;

  @ApiProperty({ example: 'TPLMA' })
  field: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedFieldsDto {
  /** All parents and references of this call whose target is not there; they resolve by themselves when it comes. */
  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  /** The first 20. */
  @ApiProperty({ type: [UnresolvedFieldDto] })
  first: UnresolvedFieldDto[];
}

export class ArrayReportDto extends LegacyCountsDto {
  @ApiProperty({ enum: LEGACY_ARRAYS, example: 'categories' })
  array: LegacyArray;

  /** Where the records are: read them back by it. */
  @ApiProperty({ type: LegacyTableDto })
  table: LegacyTableDto;

  /** Did this call make the table? */
  @ApiProperty({ example: false })
  tableCreated: boolean;

  /** Keys of the columns that this call added. */
  @ApiProperty({ type: [String], example: [] })
  columnsAdded: string[];

  /** The table's revision after this call. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  /** External IDs that several records have, the first 20. The last record counts, whole. */
  @ApiProperty({ type: [DuplicateDto] })
  duplicates: DuplicateDto[];

  /** Fields without a column. */
  @ApiProperty({ type: FieldsNotMappedDto })
  fieldsNotMapped: FieldsNotMappedDto;

  @ApiProperty({ type: UnresolvedFieldsDto })
  unresolved: UnresolvedFieldsDto;

  /** Faults of the records that were not stored, with `onError=continue`: the first 1,000 of the call. */
  @ApiProperty({ type: [LegacyRecordErrorDto] })
  errors: LegacyRecordErrorDto[];
}

export class LegacyReportDto {
  /** The counts of all arrays together. */
  @ApiProperty({ type: LegacyCountsDto })
  totals: LegacyCountsDto;

  /** One report an array, in the order sent. */
  @ApiProperty({ type: [ArrayReportDto] })
  arrays: ArrayReportDto[];

  /** Keys of the body that name none of the five arrays, the first 100. */
  @ApiProperty({ type: [String], example: [] })
  unmapped: string[];
}
