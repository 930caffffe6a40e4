import { ApiProperty } from '@nestjs/swagger';
import { ENTITY_KINDS, type EntityKind } from '../../../../../packages/tables/src/catalog/entity-kind.js';

/** A table that a load or an event names. */
export class NamedTableDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ enum: ENTITY_KINDS, enumName: 'EntityKind' })
  entity: EntityKind;

  @ApiProperty({ example: 'Functional Locations' })
  name: string;
}

/** How many rows of a table were changed. */
export class ChangedRowCountsDto {
  @ApiProperty({ type: 'integer', example: 0 })
  created: number;

  @ApiProperty({ type: 'integer', example: 2 })
  updated: number;

  @ApiProperty({ type: 'integer', example: 0 })
  deleted: number;
}
