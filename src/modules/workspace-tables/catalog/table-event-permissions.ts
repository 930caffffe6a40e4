import { Injectable, type OnModuleInit } from '@nestjs/common';
import { normalizeName } from '../../../../packages/tabular/src/normalization.js';
import { EventsService } from '../../events/events.service.js';
import { CatalogRepository } from '../../../../packages/tables/src/catalog/catalog.repository.js';
import {
  TableCreatedDto,
  TableDeletedDto,
  type TableEventDto,
  TableIndexFailedDto,
  TableRowsChangedDto,
  TableUpdatedDto,
} from './dto/table-events.dto.js';
import { TablePermissions } from '../../../../packages/tables/src/catalog/table-permissions.js';
import { callerView } from './caller-view.js';

/** Which events of tables callers with an access policy read: those of their tables (ADR 0187). */
@Injectable()
export class TableEventPermissions implements OnModuleInit {
  constructor(
    private readonly events: EventsService,
    private readonly catalog: CatalogRepository,
    private readonly permissions: TablePermissions,
  ) {}

  onModuleInit(): void {
    for (const dto of [TableCreatedDto, TableUpdatedDto])
      this.events.restrict(dto, (workspaceId, data) => this.selectTables(workspaceId, data as TableEventDto[]));
    this.events.restrict(TableDeletedDto, (workspaceId, data) =>
      Promise.resolve(this.selectDropped(workspaceId, data as TableEventDto[])),
    );
    this.events.restrict(TableIndexFailedDto, (workspaceId, data) =>
      this.selectIndexes(workspaceId, data as TableIndexFailedDto[]),
    );
    this.events.restrict(TableRowsChangedDto, (workspaceId, data) =>
      this.selectRows(workspaceId, data as TableRowsChangedDto[]),
    );
  }

  private async selectTables(workspaceId: string, events: readonly TableEventDto[]) {
    const tables = await this.findTables(workspaceId, events);
    return events.map((event) => (tables.has(event.table.id) ? event : undefined));
  }

  /** An event that names a hidden column is hidden. */
  private async selectIndexes(workspaceId: string, events: readonly TableIndexFailedDto[]) {
    const tables = await this.findTables(workspaceId, events);
    return events.map((event) => {
      const columns = new Set(tables.get(event.table.id)?.columns.map(({ key }) => key));
      return event.columns.every((key) => columns.has(key)) ? event : undefined;
    });
  }

  /** The columns of a dropped table are unknown, so its rules cannot be compared with them. */
  private selectDropped(workspaceId: string, events: readonly TableEventDto[]) {
    const view = callerView(workspaceId);
    return events.map((event) => {
      const { id, entity, name } = event.table;
      const isNamed = this.permissions.isNamed(view, { workspaceId, id, entity, nameKey: normalizeName(name) });
      return isNamed ? event : undefined;
    });
  }

  /** The numbers and keys of rows are those of all rows. */
  private async selectRows(workspaceId: string, events: readonly TableRowsChangedDto[]) {
    const tables = await this.findTables(workspaceId, events);
    return events.map((event) => {
      const table = tables.get(event.table.id);
      if (!table?.permission?.rows) return table && event;
      const { renamed: _, ...known } = event;
      return { ...known, counts: null };
    });
  }

  private async findTables(workspaceId: string, events: readonly { table: { id: string } }[]) {
    const ids = [...new Set(events.map(({ table }) => table.id))];
    return new Map((await this.catalog.listByIds(callerView(workspaceId), ids)).map((table) => [table.id, table]));
  }
}
