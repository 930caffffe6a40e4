import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { NotesRepository } from './notes.repository.js';

/** Notes keep to their location and their asset when those get another key. */
@Injectable()
export class NoteRowReferrer implements RowReferrer, OnModuleInit {
  constructor(
    private readonly notes: NotesRepository,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
  }

  async renamed({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    await this.notes.follow(workspaceId, 'location', tableId, from, to);
    await this.notes.follow(workspaceId, 'asset', tableId, from, to);
  }
}
