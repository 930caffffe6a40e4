import { ApiProperty } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { PageOf } from '../../../../platform/http/page.dto.js';
import { EmptyIsAbsent, WholeNumber } from '../../../../platform/http/validation/query-values.decorators.js';
import { OptionalString, OptionalWholeNumber } from '../../../../records/record-fields.decorator.js';
import { MAX_PAGE_ROWS } from '../../../../../packages/tables/src/catalog/request-limits.js';
import { ROW_SCHEMA, TableSummaryDto } from '../../catalog/dto/table-summary.dto.js';

export class ChangesQueryDto {
  /**
   * The revision that the caller has: the `ETag` of an export, or the `revision` of the last page; 0 returns all rows.
   */
  @ApiProperty({ type: 'integer', minimum: 0, example: 0 })
  @WholeNumber()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  since: number;

  /** Maximum number of changes on the page. */
  @OptionalWholeNumber(1, MAX_PAGE_ROWS, 1_000)
  limit: number = 1_000;

  /** `nextCursor` of the previous page. */
  @EmptyIsAbsent()
  @OptionalString(10_000)
  cursor?: string;
}

export class ChangeDto {
  /** The table's revision that last changed the row. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;

  @ApiProperty({ example: '000000000010004711' })
  key: string;

  @ApiProperty({ example: false })
  deleted: boolean;

  /** The current row; null if it was deleted. */
  @ApiProperty({ ...(ROW_SCHEMA as object), nullable: true })
  item: Record<string, string | number | boolean | null> | null;
}

export class ChangesPageDto extends PageOf(ChangeDto) {
  table: TableSummaryDto;

  /**
   * Columns that were added after `since`, empty in all rows that are not listed: remove the values of a former column
   * with the key before you apply the changes.
   */
  @ApiProperty({ type: [String], example: [] })
  addedColumns: string[];

  /** On the last page: the value of `since` for the next synchronization. Null on the pages before it. */
  @ApiProperty({ type: 'integer', nullable: true, example: 3 })
  revision: number | null;
}
