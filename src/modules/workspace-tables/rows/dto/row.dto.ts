import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { EXAMPLE_ASSET } from '../../catalog/dto/table.examples.js';
import { ROW_SCHEMA, TableSummaryDto } from '../../catalog/dto/table.dto.js';

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
  @ApiProperty(ROW_SCHEMA)
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
