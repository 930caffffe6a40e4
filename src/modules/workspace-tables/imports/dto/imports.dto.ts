import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { ImportErrorDto } from '../../catalog/dto/table-error.dto.js';
import { UpsertQueryDto, UpsertReportDto } from '../../engine/dto/upsert-report.dto.js';
import { IMPORT_STATUSES, type ImportStatus } from '../table-import.entity.js';

export class ImportQueryDto extends UpsertQueryDto {
  /** An ID of the caller's choice, to query and cancel the import while it is in progress; generated if omitted. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  importId?: string;
}

export class ImportReportDto extends UpsertReportDto {
  declare errors: ImportErrorDto[];

  /** ID of the import's record. */
  @ApiProperty({ format: 'uuid' })
  importId: string;
}

export class ImportFailureDto {
  /** Stable machine code, the same as in the response. */
  @ApiProperty({ example: 'invalid_rows' })
  code: string;

  @ApiProperty({
    example: '3 of 1000000 rows cannot be stored; nothing was stored. Correct them, or send onError=continue.',
  })
  message: string;
}

export class ImportDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The table into which the import writes. */
  @ApiProperty({ format: 'uuid' })
  tableId: string;

  /** The first three are in progress, the last three are final. */
  @ApiProperty({ enum: IMPORT_STATUSES, enumName: 'ImportStatus', example: 'reading' })
  status: ImportStatus;

  @ApiProperty({ example: false })
  dryRun: boolean;

  /** Bytes received, compressed if the upload is. */
  @ApiProperty({ type: 'integer', example: 104857600 })
  bytes: number;

  @ApiProperty({ type: 'integer', example: 412000 })
  rowsRead: number;

  /** Rows created or updated; 0 before the import has succeeded. */
  @ApiProperty({ type: 'integer', example: 0 })
  rowsWritten: number;

  @ApiProperty({ type: 'integer', example: 3 })
  rowsFailed: number;

  /** The reason of a failure, else null. */
  @ApiProperty({ type: ImportFailureDto, nullable: true })
  error: ImportFailureDto | null;

  /** The user whose credential was used. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  createdBy: string | null;

  @ApiProperty()
  createdAt: Date;

  /** Updated about once per second while the import is in progress. */
  @ApiProperty()
  updatedAt: Date;

  @ApiProperty({ type: Date, nullable: true })
  finishedAt: Date | null;
}
