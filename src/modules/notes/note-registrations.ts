import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RecordCounters } from '../../records/record-counters.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { Note } from './note.entity.js';
import { NotesRepository } from './notes.repository.js';

/** Registers with lower modules: note counts for their records, and the references that must follow a key rename. */
@Injectable()
export class NoteRegistrations implements RowReferrer, OnModuleInit {
  constructor(
    private readonly notes: NotesRepository,
    private readonly counters: RecordCounters,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    const isOpen = 'record.closedAt IS NULL';
    this.counters.registerEntity('project', 'openNotes', Note, isOpen);
    this.counters.registerEntity('tour', 'openNotes', Note, isOpen);
    this.counters.registerEntity('workspace', 'notes', Note);
    this.renames.register(this);
  }

  async updateReferences({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    await this.notes.renameRow(workspaceId, 'location', tableId, from, to);
    await this.notes.renameRow(workspaceId, 'asset', tableId, from, to);
  }
}
