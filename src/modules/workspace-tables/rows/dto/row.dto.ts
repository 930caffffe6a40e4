import { ApiProperty } from '@nestjs/swagger';
import { IsString, Max, MaxLength, Min } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { PageQueryDto } from '../../../../platform/http/page.dto.js';
import { StorableText } from '../../../../platform/http/storable-text.decorator.js';
import { WholeNumber } from '../../../../platform/http/whole-number.decorator.js';
import { Optional } from '../../../../records/record-fields.decorator.js';
import { EXAMPLE_ASSET } from '../../catalog/dto/table.examples.js';
import { TableSummaryDto } from '../../query/dto/query-rows.dto.js';

const ITEM = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  example: { equnr: '000000000010004711', name: 'Feed pump', weight: 180.5 },
} as never;

/** Names a row whose key would not arrive as a part of a path. */
export class ItemKeyDto {
  /** The row's primary key. */
  @ApiProperty({ example: EXAMPLE_ASSET })
  @IsString()
  key: string;
}

/** A row. */
export class ItemDto {
  table: TableSummaryDto;

  /** The row: column key to value. */
  @ApiProperty(ITEM)
  item: Record<string, string | number | boolean | null>;

  /** The table's revision that last changed the row: its `ETag`. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  createdAt: Date;

  updatedAt: Date;
}

/** A row that was written. */
export class WrittenItemDto extends ItemDto {
  /** Its links whose target is not there; they resolve by themselves when it comes. */
  @ApiProperty({ type: () => [DanglingLinkDto] })
  unresolved: DanglingLinkDto[];
}

export class DanglingLinkDto {
  @ApiProperty({ example: 'location' })
  column: string;

  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

/** A row that was deleted. */
export class DeletedItemDto {
  table: TableSummaryDto;

  @ApiProperty({ example: '000000000010004711' })
  key: string;
}

export class PathStepDto {
  @ApiProperty({ example: 'AT10' })
  key: string;

  /** What the row's column `name` says, else its key. */
  @ApiProperty({ example: 'Vienna works' })
  title: string;
}

export class ItemPathDto {
  table: TableSummaryDto;

  /** From the top down to the row itself: at most 1,000 rows, those nearest to it. */
  @ApiProperty({ type: [PathStepDto] })
  path: PathStepDto[];

  /** What the topmost row names as its parent, which is not there; null where it is a root. */
  @ApiProperty({ type: String, nullable: true, example: null })
  unresolvedParent: string | null;

  /** Are there more rows above than are shown? */
  @ApiProperty({ example: false })
  truncated: boolean;
}

export class UnresolvedItemDto {
  /** The row's primary key. */
  @ApiProperty({ example: '000000000010004711' })
  key: string;

  @ApiProperty({ example: 'location' })
  column: string;

  /** The key that no row of the column's target has. */
  @ApiProperty({ example: 'AT10-UTL-CW' })
  value: string;
}

export class UnresolvedQueryDto extends PageQueryDto {
  /** Only links of this column. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @StorableText()
  column?: string;
}

export class UnresolvedPageDto extends PageOf(UnresolvedItemDto) {
  table: TableSummaryDto;
}

/** Changes on a page, at most. */
export const MAX_CHANGES = 5_000;

export class ChangesQueryDto {
  /** The revision that the caller knows: an export's `ETag`, or the `revision` of the last page; 0 for all rows. */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  @WholeNumber()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  since: number;

  /** Changes on a page. */
  @ApiProperty({ required: false, type: 'integer', minimum: 1, maximum: MAX_CHANGES, default: 1_000 })
  @Optional()
  @WholeNumber()
  @Min(1)
  @Max(MAX_CHANGES)
  limit: number = 1_000;

  /** `nextCursor` of the page before. */
  @ApiProperty({ required: false })
  @Optional()
  @IsString()
  @MaxLength(10_000)
  cursor?: string;
}

export class ChangeDto {
  /** The table's revision that changed the row. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  @ApiProperty({ example: '000000000010004711' })
  key: string;

  @ApiProperty({ example: false })
  deleted: boolean;

  /** The row as it is now; null where it was deleted. */
  @ApiProperty({ ...(ITEM as object), nullable: true })
  item: Record<string, string | number | boolean | null> | null;
}

export class ChangesPageDto extends PageOf(ChangeDto) {
  table: TableSummaryDto;

  /** On the last page: the `since` of the next time. Null before: what is between would be lost. */
  @ApiProperty({ type: 'integer', nullable: true, example: 3 })
  revision: number | null;
}
