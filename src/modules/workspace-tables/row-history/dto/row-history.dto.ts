import { ApiExtraModels, ApiProperty, getSchemaPath, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsString, Max, MaxLength, Min } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { WholeNumber } from '../../../../platform/http/validation/query-values.decorators.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import type { StoredValue } from '../../../../../packages/tabular/src/stored-value.js';
import { MAX_MOMENT_LENGTH } from '../../catalog/dto/as-of.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { UpsertQueryDto } from '../../engine/dto/upsert-report.dto.js';
import { EXAMPLE_ASSET } from '../../catalog/dto/table.examples.js';

/** Keys of one restoration. */
export const MAX_RESTORED_KEYS = 10_000;
const MAX_ENTRIES = 200;

export const ROW_CHANGES = ['created', 'updated', 'deleted', 'renamed', 'restored'] as const;
export type RowChangeKind = (typeof ROW_CHANGES)[number];

export class RowHistoryQueryDto {
  /** Maximum number of former rows on the page. Each has one or two entries. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: MAX_ENTRIES, default: 50 })
  @Optional()
  @WholeNumber()
  @Min(1)
  @Max(MAX_ENTRIES)
  limit: number = 50;

  /** `nextCursor` of the previous page. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(10_000)
  cursor?: string;
}

/** The history of a row whose key clients would alter in a path. */
export class RowHistoryByKeyQueryDto extends RowHistoryQueryDto {
  /** The primary key of the row. */
  @ApiProperty({ example: EXAMPLE_ASSET })
  @IsString()
  key: string;
}

export class ValueChangeDto {
  /** Null if it was empty, or if the row did not exist. */
  @ApiProperty({ type: ['string', 'number', 'boolean', 'null'] as never, example: 180.5 })
  from: StoredValue;

  /** Null if it is empty, or if the row was deleted. */
  @ApiProperty({ type: ['string', 'number', 'boolean', 'null'] as never, example: 181 })
  to: StoredValue;
}

@ApiExtraModels(ValueChangeDto)
export class RowHistoryEntryDto {
  /** The revision of the table in which the row changed. */
  @ApiProperty({ type: 'integer', example: 4 })
  revision: number;

  at: Date;

  /** The user whose credential was used. Null for the service, and if it is no longer stored. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  by: string | null;

  /** The batch that has changed the row; null for a write of single rows. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  batchId: string | null;

  /** `restored`: by an undo or by a restoration. */
  @ApiProperty({ enum: ROW_CHANGES })
  change: RowChangeKind;

  /** The changed values by column; for `renamed`, those of the primary key among them. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(ValueChangeDto) },
    example: { weight: { from: 180.5, to: 181 } },
  })
  columns: Record<string, ValueChangeDto>;
}

export class RowHistoryPageDto extends PageOf(RowHistoryEntryDto) {
  table: TableSummaryDto;

  /** The history of the table starts after this revision: earlier changes are not listed. */
  @ApiProperty({ type: 'integer', example: 0 })
  historySince: number;
}

export class DifferencesQueryDto {
  /** The former moment: a revision of the table, or a time with its zone. */
  @ApiProperty({ maxLength: MAX_MOMENT_LENGTH, example: '1' })
  @IsString()
  @MaxLength(MAX_MOMENT_LENGTH)
  from: string;

  /** The later moment. Default: now. */
  @ApiProperty({ required: false, maxLength: MAX_MOMENT_LENGTH })
  @Optional()
  @IsString()
  @MaxLength(MAX_MOMENT_LENGTH)
  to?: string;
}

export class RestoreQueryDto extends PickType(UpsertQueryDto, ['dryRun']) {}

export class RestoreRowsDto {
  /** The moment: a revision of the table, or a time with its zone. */
  @ApiProperty({ maxLength: MAX_MOMENT_LENGTH, example: '1' })
  @IsString()
  @MaxLength(MAX_MOMENT_LENGTH)
  asOf: string;

  /** Keys of the rows to restore. */
  @ApiProperty({ required: false, type: [String], maxItems: MAX_RESTORED_KEYS, example: [EXAMPLE_ASSET] })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RESTORED_KEYS)
  @IsString({ each: true })
  keys?: string[];

  /** Instead of `keys`: the rows that match the filter now, or that matched it at the moment. */
  @ApiProperty({ required: false, type: 'object', additionalProperties: true } as never)
  @Optional()
  @IsObject()
  filter?: Record<string, unknown>;
}
