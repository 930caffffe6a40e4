import { ApiProperty, IntersectionType, OmitType, PickType } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, Matches, Max, MaxLength, Min } from 'class-validator';
import { NestedList } from '../../../../platform/http/validation/nested-list.decorator.js';
import { WholeNumber } from '../../../../platform/http/validation/query-values.decorators.js';
import { Optional, OptionalFlag, OptionalOneOf } from '../../../../records/record-fields.decorator.js';
import { ErrorDetailsDto } from '../../../../platform/http/error.dto.js';
import { ColumnDefinitionDto, MAX_COLUMNS } from '../../catalog/dto/column.dto.js';
import { TableName } from '../../catalog/table-name.decorator.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { UpsertQueryDto, UpsertReportDto } from '../../engine/dto/upsert-report.dto.js';
import { ItemsQueryDto } from '../../query/dto/query-rows.dto.js';
import { IMPORT_STATUSES, type ImportStatus } from '../table-import.entity.js';

const ON_DUPLICATE = ['error', 'first', 'last'] as const;
const UNKNOWN_COLUMNS = ['error', 'ignore'] as const;
const DECIMALS = ['.', ','] as const;
const THOUSANDS = ['.', ',', ' ', "'"] as const;

/** Formats of a file. */
export class ImportFormatDto {
  /** Which of several rows with one key counts. `error`: none. */
  @OptionalOneOf(ON_DUPLICATE, 'error')
  onDuplicate: (typeof ON_DUPLICATE)[number] = 'error';

  @OptionalOneOf(UNKNOWN_COLUMNS, 'error')
  unknownColumns: (typeof UNKNOWN_COLUMNS)[number] = 'error';

  /** Columns by names in the file: `EQUNR:equnr,EQKTX:name`. */
  @Optional()
  @IsString()
  @MaxLength(20_000)
  columns?: string;

  /** `true` removes outer white space. */
  @OptionalFlag()
  trim: 'true' | 'false' = 'false';

  @OptionalOneOf(DECIMALS, '.')
  decimal?: (typeof DECIMALS)[number];

  @OptionalOneOf(THOUSANDS)
  thousands?: (typeof THOUSANDS)[number];

  /** In addition to ISO dates: `DD.MM.YYYY,M/D/YYYY HH:mm:ss`. */
  @Optional()
  @IsString()
  @MaxLength(1_000)
  dateFormat?: string;

  /** Of times in `dateFormat`: `Europe/Vienna`. */
  @Optional()
  @IsString()
  @MaxLength(64)
  timezone?: string;

  /** Texts that mean null: `00000000,n/a`. */
  @Optional()
  @IsString()
  @MaxLength(10_000)
  nullValues?: string;

  /** Between cells of CSV: a character or `tab`. */
  @Optional()
  @Matches(/^(?:tab|[^"\r\n\ud800-\udfff])$/, {
    message: 'delimiter must be one character other than a quote, or "tab".',
  })
  delimiter?: string;

  /** Around cells of CSV: a character, or `none`. */
  @ApiProperty({ required: false, default: '"' })
  @Optional()
  @Matches(/^(?:none|[^\r\n\ud800-\udfff])$/, { message: 'quote must be one character, or "none".' })
  quote?: string;

  /** Line of the CSV header. Lines before it are skipped. */
  @ApiProperty({ required: false, default: 1 })
  @Optional()
  @WholeNumber()
  @Min(1)
  @Max(1_000)
  headerLine?: number;

  /** Such as `windows-1252`. */
  @Optional()
  @IsString()
  @MaxLength(80)
  charset?: string;
}

const MODES = ['upsert', 'replace'] as const;

/** A file that is compared with a table, or with a part of it. */
export class CompareQueryDto extends IntersectionType(
  ImportFormatDto,
  PickType(ItemsQueryDto, ['filter', 'under', 'depth']),
) {}

export class ImportQueryDto extends IntersectionType(UpsertQueryDto, CompareQueryDto) {
  /** `replace` also deletes the rows that the file lacks, within `under` and `filter`. */
  @OptionalOneOf(MODES, 'upsert')
  mode: (typeof MODES)[number] = 'upsert';

  /** More deletions are rejected: a number, or a percentage of the rows. */
  @ApiProperty({ required: false, default: '10%' })
  @Optional()
  @Matches(/^(?:\d{1,15}|(?:\d{1,2}(?:\.\d{1,3})?|100(?:\.0{1,3})?)%)$/, {
    message: 'maxDeletions must be a whole number, such as 500, or a percentage from 0% to 100%.',
  })
  maxDeletions?: string;

  /** A new ID, to query and cancel the import while it is in progress. */
  @ApiProperty({ required: false, format: 'uuid' })
  @IsOptional()
  @IsUUID()
  importId?: string;
}

/** The columns of a table that an import creates. */
export class ImportedColumnsDto {
  @TableName()
  name: string;

  @NestedList(ColumnDefinitionDto, MAX_COLUMNS)
  columns: ColumnDefinitionDto[];
}

export class ImportReportDto extends UpsertReportDto {
  /** ID of the import's record. */
  @ApiProperty({ format: 'uuid' })
  importId: string;
}

export class ImportFailureDto {
  /** Stable machine code, the same as in the response. */
  @ApiProperty({ example: 'invalid_rows' })
  code: string;

  @ApiProperty({ example: '3 of 5000 rows cannot be stored.' })
  message: string;

  /** The details of the response. Absent in lists. */
  details?: ErrorDetailsDto;
}

export class ImportTableDto extends OmitType(TableSummaryDto, ['revision']) {}

export class ImportDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** Null if there are several. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  tableId: string | null;

  /** The table when the import began. */
  @ApiProperty({ type: ImportTableDto, nullable: true })
  table: ImportTableDto | null;

  /** The parameters of the request. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  options: Record<string, unknown>;

  /** From `Content-Disposition`. */
  @ApiProperty({ type: String, nullable: true, example: 'equipment.csv' })
  fileName: string | null;

  /** Hexadecimal. */
  @ApiProperty({ type: String, nullable: true })
  sha256: string | null;

  /** The data of the response, else null. Absent in lists. */
  @ApiProperty({ type: ImportReportDto, nullable: true, required: false })
  report?: ImportReportDto | null;

  /** The first three are in progress, the others are final. `proposed`: the changes wait for approval. */
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
