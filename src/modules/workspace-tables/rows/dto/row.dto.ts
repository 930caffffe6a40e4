import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { MAX_LEVELS } from '../../../../../packages/tables/src/catalog/request-limits.js';
import { ViolatedConstraintDto } from '../../catalog/dto/violation.dto.js';
import { AsOfQueryDto } from '../../catalog/dto/as-of.dto.js';
import { RowQueryDto } from '../../catalog/table-ref.decorator.js';
import { ROW_SCHEMA, TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';

/** A read of one row. */
export class ReadRowQueryDto extends IntersectionType(AsOfQueryDto, RowQueryDto) {}

/** A row. */
export class ItemDto {
  table: TableSummaryDto;

  /** The row: column key to value. */
  @ApiProperty({ ...(ROW_SCHEMA as object), title: 'RowValues' })
  item: Record<string, string | number | boolean | null>;

  /** The table's revision that last changed the row: its `ETag`. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  createdAt: Date;

  updatedAt: Date;
}

/** A row that was written. */
export class WrittenItemDto extends ItemDto {
  /** References without a target. They resolve automatically as soon as the target exists. */
  @ApiProperty({ type: () => [UnresolvedItemReferenceDto] })
  unresolved: UnresolvedItemReferenceDto[];

  /** Violated constraints with `level: warning`. Absent if there are none. */
  @ApiProperty({ required: false, type: [ViolatedConstraintDto] })
  warnings?: ViolatedConstraintDto[];
}

export class UnresolvedItemReferenceDto {
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

  /** The value of the column of the option `title`; by default the key. */
  @ApiProperty({ example: 'Vienna works' })
  title: string;
}

export class ItemPathDto {
  table: TableSummaryDto;

  /** From the top down to the row itself, or to the nearest rows. */
  @ApiProperty({ type: [PathStepDto], maxItems: MAX_LEVELS })
  path: PathStepDto[];

  /** The parent of the topmost row if that parent does not exist; null if the row is a root. */
  @ApiProperty({ type: String, nullable: true, example: null })
  unresolvedParent: string | null;

  /** Are there more rows above than the path contains? */
  @ApiProperty({ example: false })
  truncated: boolean;
}
