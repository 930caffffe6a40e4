import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DropTablesService } from '../workspace-tables/admin/drop-tables.service.js';
import type { DroppedTable, TableReferrer } from '../workspace-tables/admin/table-referrer.js';
import type { LegacyArray } from './legacy-mapping.js';
import { LegacyTable } from './legacy-table.entity.js';

/** IDs of the tables that store the arrays. An array has no table before its first use. */
export type LegacyTableIds = Partial<Record<LegacyArray, string>>;

/**
 * The table of each array. It is stored by ID, so that administrators can rename the table. If the table is dropped,
 * the next request creates a new one.
 */
@Injectable()
export class LegacyTables implements TableReferrer, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly drops: DropTablesService,
  ) {}

  onModuleInit(): void {
    this.drops.register(this);
  }

  async list(workspaceId: string): Promise<LegacyTableIds> {
    const found = await this.database.repository(LegacyTable).findBy({ workspaceId });
    return Object.fromEntries(found.map(({ array, tableId }) => [array, tableId]));
  }

  /** The caller must have locked the table, so that no two requests block each other here. */
  async set(workspaceId: string, array: LegacyArray, tableId: string): Promise<void> {
    await this.database.repository(LegacyTable).upsert({ workspaceId, array, tableId }, ['workspaceId', 'array']);
  }

  async removeReferences({ workspaceId, tableId }: DroppedTable): Promise<void> {
    await this.database.repository(LegacyTable).delete({ workspaceId, tableId });
  }
}
