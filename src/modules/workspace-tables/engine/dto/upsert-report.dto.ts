import { ApiExtraModels, ApiProperty, IntersectionType } from '@nestjs/swagger';
import { ApiErrorList, ErrorCountDto } from '../../../../platform/http/error.dto.js';
import { OptionalFlag, OptionalOneOf } from '../../../../records/record-fields.decorator.js';
import { ROW_ERROR, type RowErrorDto } from '../../catalog/dto/table-error.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import type { IgnoredDifference } from '../../../../../packages/tables/src/catalog/column-plan.js';
import type { DeletionGuard, RowCounts, TableReport } from '../../../../../packages/tables/src/writer/report.js';
import {
  ROW_STATUSES,
  type RowResult,
  type RowStatus,
  type UnresolvedReference,
  type UnresolvedReferences,
} from '../../../../../packages/tables/src/sources/row-source.js';

export class UnresolvedReferenceDto implements UnresolvedReference {
  /** Position among the items sent, from 0. */
  @ApiProperty({ type: 'integer', example: 17 })
  index: number;

  /** In an import: the line on which the row begins, from 1. */
  @ApiProperty({ required: false, type: 'integer', example: 18 })
  line?: number;

  @ApiProperty({ example: 'location' })
  column: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedReferencesDto implements UnresolvedReferences {
  /** All references of this request without a target. They resolve automatically as soon as the target exists. */
  @ApiProperty({ type: 'integer', example: 1 })
  total: number;

  /** The first 20. */
  @ApiProperty({ type: [UnresolvedReferenceDto] })
  first: UnresolvedReferenceDto[];
}

export class RowResultDto implements RowResult {
  /** Position among the items sent, from 0. */
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  /** Primary key of the row; null if a failed row has none. */
  @ApiProperty({ type: String, nullable: true, example: '000000000010004711' })
  key: string | null;

  @ApiProperty({ enum: ROW_STATUSES, enumName: 'RowStatus' })
  status: RowStatus;
}

const ON_ERROR = ['abort', 'continue'] as const;

/** Options of bulk requests and imports. */
export class UpsertQueryDto {
  /** `abort` stores all or nothing; `continue` stores the valid part and returns 207 with the errors of the rest. */
  @OptionalOneOf(ON_ERROR, 'abort')
  onError: (typeof ON_ERROR)[number] = 'abort';

  /** `true` returns the report and stores nothing. */
  @OptionalFlag()
  dryRun: 'true' | 'false' = 'false';
}

export class RowCountsDto implements RowCounts {
  @ApiProperty({ type: 'integer', example: 5000 })
  received: number;

  @ApiProperty({ type: 'integer', example: 4990 })
  created: number;

  @ApiProperty({ type: 'integer', example: 8 })
  updated: number;

  /** Equal to the stored row: nothing was written. */
  @ApiProperty({ type: 'integer', example: 2 })
  unchanged: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;

  /** With `onDuplicate`: rows omitted because another row with their key counts. */
  @ApiProperty({ type: 'integer', required: false })
  skipped?: number;

  /** With `mode=replace`: rows that the file lacks. */
  @ApiProperty({ type: 'integer', required: false })
  deleted?: number;
}

export class DeletionGuardDto implements DeletionGuard {
  /** The number of deletions that `maxDeletions` allows. */
  @ApiProperty({ type: 'integer', example: 100 })
  limit: number;

  @ApiProperty({ type: 'integer', example: 3 })
  deletions: number;

  @ApiProperty({ example: false })
  exceeded: boolean;
}

export class IgnoredDifferenceDto implements IgnoredDifference {
  /** Key of the column. */
  @ApiProperty({ example: 'name' })
  key: string;

  /** The attribute that differs. */
  @ApiProperty({ enum: ['name', 'primaryKey', 'required', 'description', 'options'] })
  attribute: string;

  @ApiProperty({
    description: 'The value sent.',
    example: 'NAME',
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'object' }],
  })
  sent: unknown;

  @ApiProperty({
    description: 'The stored value, which is unchanged.',
    example: 'Name',
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'object' }, { type: 'null' }],
  })
  kept: unknown;
}

// The specification names two facts `created`. As a count of rows it adds up to that of the totals, so the other one is
// `tableCreated`.
export class TableReportDto extends IntersectionType(TableSummaryDto, RowCountsDto) implements TableReport {
  /** Did this request create the table? */
  @ApiProperty({ example: false })
  tableCreated: boolean;

  /** Keys of the columns that this request added. */
  @ApiProperty({ type: [String], example: [] })
  columnsAdded: string[];

  /** Differences between the columns sent and the stored ones, which a bulk request does not apply. */
  @ApiProperty({ type: [IgnoredDifferenceDto] })
  columnsIgnored: IgnoredDifferenceDto[];

  @ApiProperty({ type: UnresolvedReferencesDto })
  unresolved: UnresolvedReferencesDto;

  /** With `mode=replace`. */
  guard?: DeletionGuardDto;

  /** With `return=items`: the result per row, in the order sent. */
  @ApiProperty({ required: false, type: [RowResultDto] })
  items?: RowResultDto[];
}

/** The errors of the rows that were not stored. */
export class RowErrorsDto {
  /** The number of errors per code and column, the most frequent first. */
  summary: ErrorCountDto[];

  /** The first errors, but at least 20 per code and column. */
  @ApiErrorList(ROW_ERROR)
  errors: RowErrorDto[];
}

/** A report of a batch. */
export class BatchReportDto extends RowErrorsDto {
  /** ID of the batch, to undo it; absent for a dry run and a proposal. */
  @ApiProperty({ required: false, format: 'uuid' })
  batchId?: string;

  /** ID of the proposal, if the changes wait for approval: the report contains what would be stored. */
  @ApiProperty({ required: false, format: 'uuid' })
  proposalId?: string;

  /** Only in a dry run: true if the changes would wait for approval. */
  needsApproval?: true;
}

@ApiExtraModels(BatchReportDto)
export class UpsertReportDto extends BatchReportDto {
  /** The highest revision among the tables of the request. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  /** Sums over all tables. */
  @ApiProperty({ type: RowCountsDto })
  totals: RowCountsDto;

  /** One report per table, in the order sent. */
  @ApiProperty({ type: [TableReportDto] })
  tables: TableReportDto[];

  /** Of a restoration: `keys` that no row had at the moment, or has now. */
  missingKeys?: string[];

  /** Rows that were stored although they violate a constraint with `level: warning`. Absent if there are none. */
  warnings?: RowErrorsDto;
}

export const DELETION_STATUSES = ['deleted', 'missing', 'failed'] as const;
export type DeletionStatus = (typeof DELETION_STATUSES)[number];

export class DeletionCountsDto {
  @ApiProperty({ type: 'integer', example: 3 })
  received: number;

  @ApiProperty({ type: 'integer', example: 2 })
  deleted: number;

  /** Keys that no row has. */
  @ApiProperty({ type: 'integer', example: 1 })
  missing: number;

  @ApiProperty({ type: 'integer', example: 0 })
  failed: number;
}

export class DeletionResultDto {
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  @ApiProperty({ type: String, nullable: true, example: 'EX-2002' })
  key: string | null;

  @ApiProperty({ enum: DELETION_STATUSES })
  status: DeletionStatus;
}

export class DeletionReportDto extends BatchReportDto {
  /** The revision of the table. */
  @ApiProperty({ type: 'integer', example: 4 })
  revision: number;

  totals: DeletionCountsDto;

  table: TableSummaryDto;

  /** With `return=items`: the result per key, in the order sent. */
  items?: DeletionResultDto[];
}
