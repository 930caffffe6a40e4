import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { Tag } from './tag.entity.js';

/** Updates the references of tags to a location or asset when its key is renamed. */
@Injectable()
export class TagRowReferrer implements RowReferrer, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
  }

  async updateReferences({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    const tags = this.database.repository(Tag);
    await tags.update({ workspaceId, locationTableId: tableId, locationKey: from }, { locationKey: to });
    await tags.update({ workspaceId, assetTableId: tableId, assetKey: from }, { assetKey: to });
  }
}
