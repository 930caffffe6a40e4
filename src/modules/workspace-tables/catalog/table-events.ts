import { Injectable } from '@nestjs/common';
import { EventsService, type NewEvent } from '../../events/events.service.js';
import type { CatalogTable } from './catalog-table.js';
import {
  TableCreatedDto,
  TableDeletedDto,
  TableIndexFailedDto,
  TableRowsChangedDto,
  TableUpdatedDto,
  toRowsChangedEvent,
  toTableEvent,
} from './dto/table-events.dto.js';

/** A table that a call wrote. */
interface WrittenTable {
  /** With its new revision. */
  table: CatalogTable;
  fromRevision: number;
  definition?: 'created' | 'updated';
  counts: { created: number; updated: number; deleted: number };
}

/** What a call that wrote rows was. */
export interface EventCauses {
  batchId?: string;
  importId?: string;
}

type RowChanges = Parameters<typeof toRowsChangedEvent>[2];

/** Records the events of tables in the transaction that causes them. */
@Injectable()
export class TableEvents {
  constructor(private readonly events: EventsService) {}

  /** The events of a call that wrote several rows: those of columns before those of rows. */
  async recordWritten(workspaceId: string, tables: readonly WrittenTable[], causes: EventCauses): Promise<void> {
    const events: NewEvent[] = [];
    for (const { table, fromRevision, definition, counts } of tables) {
      if (definition === 'created') events.push(this.events.create(TableCreatedDto, toTableEvent(table)));
      if (definition === 'updated') events.push(this.events.create(TableUpdatedDto, toTableEvent(table)));
      if (counts.created + counts.updated + counts.deleted === 0) continue;
      const data = toRowsChangedEvent(table, fromRevision, { ...counts, ...causes });
      events.push(this.events.create(TableRowsChangedDto, data));
    }
    await this.events.recordAll(workspaceId, events);
  }

  /** @param table with its new revision. */
  recordRows(table: CatalogTable, fromRevision: number, changes: RowChanges): Promise<void> {
    return this.events.record(table.workspaceId, TableRowsChangedDto, toRowsChangedEvent(table, fromRevision, changes));
  }

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
