import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { TagsService } from './tags.service.js';

/** Updates the references of tags to a location or asset when its key is renamed. */
@Injectable()
export class TagRowReferrer implements RowReferrer, OnModuleInit {
  constructor(
    private readonly tags: TagsService,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
  }

  updateReferences(row: RenamedRow): Promise<void> {
    return this.tags.renameRow(row);
  }
}
