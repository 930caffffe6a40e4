import { Injectable } from '@nestjs/common';
import { EventsService } from '../../events/events.service.js';
import type { CatalogTable } from '../../../../packages/tables/src/catalog/catalog-table.js';
import { TableDeletedDto, TableIndexFailedDto, TableUpdatedDto, toTableEvent } from './dto/table-events.dto.js';

/** Records the events of definitions of tables, in the transaction that causes them. */
@Injectable()
export class TableEvents {
  constructor(private readonly events: EventsService) {}

  /** @param table with its new revision. */
  recordUpdate(table: CatalogTable): Promise<void> {
    return this.events.record(table.workspaceId, TableUpdatedDto, toTableEvent(table));
  }

  /** @param columns the keys of the columns of the index. */
  recordFailedIndex({ workspaceId, ...table }: CatalogTable, columns: string[], message: string): Promise<void> {
    const { id, entity, name } = table;
    return this.events.record(workspaceId, TableIndexFailedDto, { table: { id, entity, name }, columns, message });
  }

  recordDeletion(table: CatalogTable): Promise<void> {
    return this.events.record(table.workspaceId, TableDeletedDto, toTableEvent(table));
  }
}
