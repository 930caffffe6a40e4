import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { ChangedRowCountsDto, NamedTableDto } from '../../catalog/dto/changed-table.dto.js';
import { ViolationDto } from '../../catalog/dto/violation.dto.js';
import { BATCH_SOURCES, type BatchSource } from '../../../../../packages/tables/src/history/batch.js';

const ON_CONFLICT = ['abort', 'skip'] as const;

export class UndoQueryDto {
  /** `skip` leaves rows in conflict as they are; by default nothing is done, and they are listed. */
  @ApiProperty({ required: false, enum: ON_CONFLICT, default: 'abort' })
  @IsOptional()
  @IsIn(ON_CONFLICT)
  onConflict: (typeof ON_CONFLICT)[number] = 'abort';
}

export class BatchTableDto extends NamedTableDto {
  @ApiProperty({ type: 'integer', example: 3 })
  fromRevision: number;

  /** Equal to `fromRevision` if nothing changed. */
  @ApiProperty({ type: 'integer', example: 4 })
  toRevision: number;

  /** Null if the access policy of the caller limits the rows of the table. */
  @ApiProperty({ type: ChangedRowCountsDto, nullable: true })
  counts: ChangedRowCountsDto | null;
}

export class BatchDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: BATCH_SOURCES, enumName: 'BatchSource' })
  source: BatchSource;

  tables: BatchTableDto[];

  /** Can it still be undone, if no row has changed since? */
  @ApiProperty({ example: true })
  undoable: boolean;

  /** The batch that this one has undone. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  undoes: string | null;

  /** The batch that has undone this one. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  undoneBy: string | null;

  /** The user whose credential was used. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  createdAt: Date;
}

export class TableViolationDto extends ViolationDto {
  /** Name of the table. */
  @ApiProperty({ example: 'Assets' })
  table: string;
}

/** Restored rows that violate constraints which were added since. */
export class RestoredViolationsDto {
  @ApiProperty({ type: 'integer', example: 0 })
  total: number;

  /** The first 20. */
  @ApiProperty({ type: [TableViolationDto] })
  first: TableViolationDto[];
}

export class UndoReportDto {
  /** The batch of this undo. It can be undone, too. */
  @ApiProperty({ required: false, format: 'uuid' })
  batchId?: string;

  /** ID of the proposal, if the undo waits for approval: nothing was changed. */
  @ApiProperty({ required: false, format: 'uuid' })
  proposalId?: string;

  @ApiProperty({ format: 'uuid' })
  undoes: string;

  /** Sums over all tables. */
  totals: ChangedRowCountsDto;

  /** With `onConflict=skip`: rows that were changed since, or whose previous values are not allowed now. */
  @ApiProperty({ type: 'integer', example: 0 })
  skipped: number;

  violations: RestoredViolationsDto;

  tables: BatchTableDto[];
}
