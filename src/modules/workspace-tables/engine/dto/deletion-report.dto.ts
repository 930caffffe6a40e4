import { ApiProperty } from '@nestjs/swagger';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { BatchReportDto } from './upsert-report.dto.js';

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
