import { ApiProperty, PickType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsString, MaxLength } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { EmptyIsAbsent } from '../../../../platform/http/validation/query-values.decorators.js';
import { StorableText } from '../../../../platform/http/validation/text.decorators.js';
import { Optional, OptionalString, OptionalWholeNumber } from '../../../../records/record-fields.decorator.js';
import type { StoredValue } from '../../../../../packages/tabular/src/stored-value.js';
import { MAX_MOMENT_LENGTH, RevisionAsText } from '../../catalog/dto/as-of.dto.js';
import { TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';
import { RowQueryDto } from '../../catalog/table-ref.decorator.js';
import { UpsertQueryDto } from '../../engine/dto/upsert-report.dto.js';
import { EXAMPLE_ASSET } from '../../catalog/dto/table.examples.js';

/** Keys of one restoration. */
export const MAX_RESTORED_KEYS = 10_000;
export const MAX_ENTRIES = 200;

export const ROW_CHANGES = ['created', 'updated', 'deleted', 'renamed', 'restored'] as const;
export type RowChangeKind = (typeof ROW_CHANGES)[number];

export class RowHistoryQueryDto extends RowQueryDto {
  @OptionalWholeNumber(1, MAX_ENTRIES, 50)
  limit: number = 50;

  /** `nextCursor` of the previous page. */
  @EmptyIsAbsent()
  @OptionalString(10_000)
  cursor?: string;
}

const VALUE = { type: ['string', 'number', 'boolean', 'null'] };

/** Null: it was or is empty, or the row did not or does not exist. */
interface ValueChange {
  from: StoredValue;
  to: StoredValue;
}

export class RowHistoryEntryDto {
  @ApiProperty({ type: 'integer', example: 4 })
  revision: number;

  at: Date;

  /** The user; null for the service, and if it is no longer stored. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  by: string | null;

  /** Null for a write of single rows. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  batchId: string | null;

  /** `restored`: by an undo or by a restoration. */
  @ApiProperty({ enum: ROW_CHANGES })
  change: RowChangeKind;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', required: ['from', 'to'], properties: { from: VALUE, to: VALUE } },
    example: { weight: { from: 180.5, to: 181 } },
  } as never)
  columns: Record<string, ValueChange>;
}

export class RowHistoryPageDto extends PageOf(RowHistoryEntryDto) {
  table: TableSummaryDto;

  /** The history starts after this revision. */
  @ApiProperty({ type: 'integer', example: 0 })
  historySince: number;
}

export class DifferencesQueryDto {
  /** A revision of the table, or a time with its zone. */
  @ApiProperty({ maxLength: MAX_MOMENT_LENGTH, example: '1' })
  @IsString()
  @MaxLength(MAX_MOMENT_LENGTH)
  from: string;

  /** Default: now. */
  @OptionalString(MAX_MOMENT_LENGTH)
  to?: string;
}

export class RestoreQueryDto extends PickType(UpsertQueryDto, ['dryRun']) {}

export class RestoreRowsDto {
  /** A revision of the table, or a time with its zone. */
  @ApiProperty({ maxLength: MAX_MOMENT_LENGTH, example: '1' })
  @RevisionAsText()
  @IsString()
  @MaxLength(MAX_MOMENT_LENGTH)
  asOf: string;

  @ApiProperty({ required: false, type: [String], maxItems: MAX_RESTORED_KEYS, example: [EXAMPLE_ASSET] })
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RESTORED_KEYS)
  @IsString({ each: true })
  @StorableText({ each: true })
  keys?: string[];

  /** Instead of `keys`: the rows that match the filter now, or that matched it at the moment. */
  @ApiProperty({ required: false, type: 'object', additionalProperties: true } as never)
  @Optional()
  @IsObject()
  filter?: Record<string, unknown>;
}
