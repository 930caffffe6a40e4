import { ApiProperty, PickType } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { BulkQueryDto } from '../../bulk/dto/bulk.dto.js';
import { TableReportDto, UpsertReportDto } from '../../engine/dto/upsert-report.dto.js';
import { IMPORT_STATUSES, type ImportStatus } from '../table-import.entity.js';
import { ImportErrorDto } from './import-error.dto.js';

export class ImportQueryDto extends PickType(BulkQueryDto, ['onError', 'dryRun'] as const) {
  /** An id of the caller's choice, by which the import can be watched and cancelled meanwhile; one is made otherwise. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  importId?: string;
}

export class ImportTableReportDto extends TableReportDto {
  /** Errors of the rows that were not stored, with `onError=continue`: the first 1,000. */
  @ApiProperty({ type: [ImportErrorDto] })
  declare errors: ImportErrorDto[];
}

export class ImportReportDto extends UpsertReportDto {
  @ApiProperty({ type: [ImportTableReportDto] })
  declare tables: ImportTableReportDto[];

  /** By which the import's record is found. */
  @ApiProperty({ format: 'uuid' })
  importId: string;
}

export class ImportFailureDto {
  /** Stable machine code, as the answer had it. */
  @ApiProperty({ example: 'invalid_rows' })
  code: string;

  @ApiProperty({ example: '3 of 1000000 rows cannot be stored; nothing was stored.' })
  message: string;
}

export class ImportDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The table that it is for. */
  @ApiProperty({ format: 'uuid' })
  tableId: string;

  /** The first three are under way; the last three are final. */
  @ApiProperty({ enum: IMPORT_STATUSES, example: 'reading' })
  status: ImportStatus;

  @ApiProperty({ example: false })
  dryRun: boolean;

  /** That have come, as they were sent: packed where they are packed. */
  @ApiProperty({ type: 'integer', example: 104857600 })
  bytes: number;

  @ApiProperty({ type: 'integer', example: 412000 })
  rowsRead: number;

  /** Rows that it created or updated; known when it has succeeded. */
  @ApiProperty({ type: 'integer', example: 0 })
  rowsWritten: number;

  @ApiProperty({ type: 'integer', example: 3 })
  rowsFailed: number;

  /** Why it failed; null otherwise. */
  @ApiProperty({ type: ImportFailureDto, nullable: true })
  error: ImportFailureDto | null;

  /** The user who sent it. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  @ApiProperty()
  createdAt: Date;

  /** When it was last heard of; about once a second while it is under way. */
  @ApiProperty()
  updatedAt: Date;

  @ApiProperty({ type: Date, nullable: true })
  finishedAt: Date | null;
}
