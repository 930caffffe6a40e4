import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DropTablesService } from '../workspace-tables/admin/drop-tables.service.js';
import type { DroppedTable, TableReferrer } from '../workspace-tables/admin/table-referrer.js';
import { LegacyTablesRepository } from './legacy-tables.repository.js';

/** An array whose table is dropped gets a new one with its next push. */
@Injectable()
export class TableForgetter implements TableReferrer, OnModuleInit {
  constructor(
    private readonly tables: LegacyTablesRepository,
    private readonly drops: DropTablesService,
  ) {}

  onModuleInit(): void {
    this.drops.register(this);
  }

  dropped({ workspaceId, tableId }: DroppedTable): Promise<void> {
    return this.tables.forget(workspaceId, tableId);
  }
}
