import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { LegacyArray } from './legacy-mapping.js';
import { LegacyTable } from './legacy-table.entity.js';

/** Which table each array of the webhook is stored in, from its first use on. */
export type LegacyTableIds = Partial<Record<LegacyArray, string>>;

@Injectable()
export class LegacyTablesRepository {
  constructor(private readonly database: Database) {}

  async list(workspaceId: string): Promise<LegacyTableIds> {
    const found = await this.database.manager.findBy(LegacyTable, { workspaceId });
    return Object.fromEntries(found.map(({ array, tableId }) => [array, tableId]));
  }

  /** The caller holds the table's lock, so that no two wait for each other here. */
  async remember(workspaceId: string, array: LegacyArray, tableId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO legacy_tables (workspace_id, "array", table_id) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id, "array") DO UPDATE SET table_id = excluded.table_id`,
      [workspaceId, array, tableId],
    );
  }

  async forget(workspaceId: string, tableId: string): Promise<void> {
    await this.database.manager.delete(LegacyTable, { workspaceId, tableId });
  }
}
