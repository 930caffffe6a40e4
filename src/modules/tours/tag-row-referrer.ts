import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';

/** Tags keep to the location and the asset that they mark when those get another key. */
@Injectable()
export class TagRowReferrer implements RowReferrer, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
  }

  async renamed({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    for (const place of ['location', 'asset']) {
      await this.database.query(
        `UPDATE tags SET ${place}_key = $4, version = version + 1, updated_at = clock_timestamp()
          WHERE workspace_id = $1 AND ${place}_table_id = $2 AND ${place}_key = $3`,
        [workspaceId, tableId, from, to],
      );
    }
  }
}
