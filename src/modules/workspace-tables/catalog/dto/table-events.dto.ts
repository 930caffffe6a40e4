import { ApiProperty } from '@nestjs/swagger';
import { EventType } from '../../../events/event-type.decorator.js';
import type { CatalogTable } from '../../../../../packages/tables/src/catalog/catalog-table.js';
import { type EntityKind, PATH_BY_ENTITY } from '../../../../../packages/tables/src/catalog/entity-kind.js';
import { ChangedRowCountsDto, NamedTableDto } from './changed-table.dto.js';

class EventTableDto extends NamedTableDto {
  @ApiProperty({ type: 'integer' })
  revision: number;
}

export class TableEventDto {
  table: EventTableDto;
}

@EventType('table.created', 'A table was created.', 'read:workspaces')
export class TableCreatedDto extends TableEventDto {}

@EventType('table.updated', 'The name or the columns of a table changed.', 'read:workspaces')
export class TableUpdatedDto extends TableEventDto {}

@EventType('table.deleted', 'A table was dropped.', 'read:workspaces')
export class TableDeletedDto extends TableEventDto {}

@EventType(
  'table.index_failed',
  'An index of a table could not be built. The next write of the table retries it.',
  'read:workspaces',
  { sample: { columns: ['weight'], message: 'A value is too long.' } },
)
export class TableIndexFailedDto {
  table: NamedTableDto;

  /** The keys of its columns. */
  @ApiProperty({ type: [String], example: ['weight'] })
  columns: string[];

  /** The reason. */
  @ApiProperty({ example: 'A value is too long.' })
  message: string;
}

class RenamedKeyDto {
  @ApiProperty({ example: 'P-1' })
  from: string;

  @ApiProperty({ example: 'P-2' })
  to: string;
}

@EventType(
  'table.rows_changed',
  'A call changed rows of a table. Read them with `changes?since=fromRevision`.',
  'read:workspaces',
  { sample: { fromRevision: 3, toRevision: 4, counts: { created: 0, deleted: 0 } } },
)
export class TableRowsChangedDto {
  table: NamedTableDto;

  @ApiProperty({ type: 'integer' })
  fromRevision: number;

  @ApiProperty({ type: 'integer' })
  toRevision: number;

  /** Null for a caller whose access policy limits the rows of the table. */
  @ApiProperty({ type: ChangedRowCountsDto, nullable: true })
  counts: ChangedRowCountsDto | null;

  /** Path of the changed values: `differences` between the two revisions. */
  @ApiProperty({ example: '/v2/api/workspaces/…/cw/locations/…/differences?from=3&to=4' })
  differences: string;

  /** If the call changed the key of a row. */
  renamed?: RenamedKeyDto;

  /** Of the bulk request. */
  @ApiProperty({ required: false, format: 'uuid' })
  batchId?: string;

  /** Of the import. */
  @ApiProperty({ required: false, format: 'uuid' })
  importId?: string;
}

/** The data of events about a table. @param table with its current revision. */
export function toTableEvent({ id, entity, name, revision }: CatalogTable): TableEventDto {
  return { table: { id, entity, name, revision } };
}

/** The path of `differences` of a table, without the moments. */
export function pathOfDifferences(workspaceId: string, entity: EntityKind, tableId: string): string {
  return `/v2/api/workspaces/${workspaceId}/cw/${PATH_BY_ENTITY[entity]}/${tableId}/differences`;
}

type RowsChanged = Partial<ChangedRowCountsDto> & Pick<TableRowsChangedDto, 'renamed' | 'batchId' | 'importId'>;

/** @param table with its current revision. */
export function toRowsChangedEvent(
  { workspaceId, id, entity, name, revision }: CatalogTable,
  fromRevision: number,
  { created = 0, updated = 0, deleted = 0, ...causes }: RowsChanged,
): TableRowsChangedDto {
  const counts = { created, updated, deleted };
  const differences = `${pathOfDifferences(workspaceId, entity, id)}?from=${fromRevision}&to=${revision}`;
  return { table: { id, entity, name }, fromRevision, toRevision: revision, counts, differences, ...causes };
}
