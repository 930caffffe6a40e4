import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TableDropsService } from '../workspace-tables/admin/table-drops.service.js';
import type { DroppedTable, TableReferrer } from '../workspace-tables/admin/table-referrer.js';
import { LegacyTablesRepository } from './legacy-tables.repository.js';

/** An array whose table is dropped gets a new one with its next push. */
@Injectable()
export class TableForgetter implements TableReferrer, OnModuleInit {
  constructor(
    private readonly tables: LegacyTablesRepository,
    private readonly drops: TableDropsService,
  ) {}

  onModuleInit(): void {
    this.drops.register(this);
  }

  dropped({ workspaceId, tableId }: DroppedTable): Promise<void> {
    return this.tables.forget(workspaceId, tableId);
  }
}
