import { ApiProperty } from '@nestjs/swagger';

export class LinkFiguresDto {
  /** Key of a column of the type `hierarchyParent` or `reference`. */
  @ApiProperty({ example: 'parent' })
  column: string;

  /** Rows with a reference. */
  @ApiProperty({ type: 'integer', example: 412 })
  set: number;

  /** Rows with an unresolved reference. */
  @ApiProperty({ type: 'integer', example: 3 })
  unresolved: number;
}

export class TableFiguresDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ['location', 'asset', 'list'], enumName: 'EntityKind' })
  entity: string;

  @ApiProperty({ example: 'Functional Locations' })
  name: string;

  /** Rows that are not deleted. */
  @ApiProperty({ type: 'integer', example: 413 })
  rows: number;

  links: LinkFiguresDto[];
}

export class TableTotalsDto {
  @ApiProperty({ type: 'integer', example: 5 })
  tables: number;

  @ApiProperty({ type: 'integer', example: 9_120 })
  rows: number;

  @ApiProperty({ type: 'integer', example: 3 })
  unresolvedLinks: number;
}

export class TableAnalyticsDto {
  @ApiProperty({ format: 'uuid' })
  workspaceId: string;

  totals: TableTotalsDto;

  /** Sorted by entity and name. */
  tables: TableFiguresDto[];
}
