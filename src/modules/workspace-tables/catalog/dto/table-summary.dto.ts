import { ApiProperty } from '@nestjs/swagger';
import type { CatalogTable } from '../../../../../packages/tables/src/catalog/catalog-table.js';
import { ENTITY_KINDS, type EntityKind } from '../../../../../packages/tables/src/catalog/entity-kind.js';

/** The table that a response is about. */
export class TableSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ example: 'Assets' })
  name: string;

  @ApiProperty({ enum: ENTITY_KINDS, enumName: 'EntityKind', example: 'asset' })
  type: EntityKind;

  /** Increases with each change of the table or its rows: the `ETag`, and the position in the change feed. */
  @ApiProperty({ type: 'integer', example: 3 })
  revision: number;
}

export function toTableSummary({ id, name, entity, revision }: CatalogTable): TableSummaryDto {
  return { id, name, type: entity, revision };
}

/** OpenAPI schema of one row in responses: column key to value. */
export const ROW_SCHEMA = {
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  example: { equnr: '000000000010004711', name: 'Feed pump', weight: 180.5 },
} as never;
