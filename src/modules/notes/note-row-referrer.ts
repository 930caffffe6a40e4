import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { NoteRulesService } from './note-rules.service.js';
import { NotesRepository } from './notes.repository.js';

/** Updates notes whose location, asset or value of a field is a row that is renamed. */
@Injectable()
export class NoteRowReferrer implements RowReferrer, OnModuleInit {
  constructor(
    private readonly notes: NotesRepository,
    private readonly rules: NoteRulesService,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    this.renames.register(this);
  }

  async updateReferences(row: RenamedRow): Promise<void> {
    await this.notes.renameRow('location', row);
    await this.notes.renameRow('asset', row);
    for (const { key, tableId } of (await this.rules.get(row.workspaceId)).fields)
      if (tableId === row.tableId) await this.notes.renameValue(key, row);
  }
}
