import { ApiProperty } from '@nestjs/swagger';
import { LEGACY_ARRAYS, type LegacyArray } from '../legacy-mapping.js';
import { LegacyRecordErrorDto } from './legacy-record-error.dto.js';

export class LegacyCountsDto {
  /** Records in the request: the sum of the other counts. */
  @ApiProperty({ type: 'integer', example: 5000 })
  received: number;

  @ApiProperty({ type: 'integer', example: 4985 })
  created: number;

  @ApiProperty({ type: 'integer', example: 8 })
  updated: number;

  /** Already stored with the same values. */
  @ApiProperty({ type: 'integer', example: 2 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  /** Replaced by a later record with the same external ID. */
  @ApiProperty({ type: 'integer', example: 5 })
  collapsed: number;
}

export class LegacyTableDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['location', 'asset', 'list'], enumName: 'EntityKind', example: 'list' })
  type: string;

  /** Current name: administrators can rename the table. */
  @ApiProperty({ example: 'Categories' })
  name: string;
}

export class DuplicateDto {
  /** The external ID. */
  @ApiProperty({ example: 'PM-01' })
  key: string;

  /** Number of records with the external ID. */
  @ApiProperty({ type: 'integer', example: 6 })
  records: number;

  /** Position of the record that was stored, from 0. */
  @ApiProperty({ type: 'integer', example: 5 })
  kept: number;
}

export class FieldNotMappedDto {
  @ApiProperty({ example: 'ERDAT' })
  field: string;

  /** Number of records with the field. */
  @ApiProperty({ type: 'integer', example: 5000 })
  records: number;
}

export class FieldsNotMappedDto {
  /** Ignored values in all records. */
  @ApiProperty({ type: 'integer', example: 5000 })
  total: number;

  /** The first 20 fields. */
  first: FieldNotMappedDto[];
}

export class UnresolvedFieldDto {
  /** Position of the record in its array, from 0. */
  @ApiProperty({ type: 'integer', example: 17 })
  index: number;

  @ApiProperty({ example: 'TPLMA' })
  field: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedFieldsDto {
  /** All parents and references of this request without a target. They resolve when the target is stored. */
  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  /** The first 20. */
  first: UnresolvedFieldDto[];
}

export class ArrayReportDto extends LegacyCountsDto {
  @ApiProperty({ enum: LEGACY_ARRAYS, enumName: 'LegacyArray', example: 'categories' })
  array: LegacyArray;

  /** Table that stores the records. */
  table: LegacyTableDto;

  /** Whether this request created the table. */
  @ApiProperty({ example: false })
  tableCreated: boolean;

  /** Keys of the columns that this request added. */
  @ApiProperty({ type: [String], example: [] })
  columnsAdded: string[];

  /** Revision of the table after this request. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  /** The first 20 external IDs that several records have. Only the last of these records is stored. */
  duplicates: DuplicateDto[];

  /** Fields without a column, which are ignored. */
  fieldsNotMapped: FieldsNotMappedDto;

  unresolved: UnresolvedFieldsDto;

  /** Errors of the records that were not stored, with `onError=continue`: the first 1,000 of the request. */
  errors: LegacyRecordErrorDto[];
}

export class LegacyReportDto {
  /** ID of the proposal, if the changes wait for approval: nothing is stored. */
  @ApiProperty({ required: false, format: 'uuid' })
  proposalId?: string;

  /** Sums over all arrays. */
  totals: LegacyCountsDto;

  /** One report per array, in the order sent. */
  arrays: ArrayReportDto[];

  /** Keys of the body that name none of the five arrays, the first 100. */
  @ApiProperty({ type: [String], example: [] })
  unmapped: string[];
}
