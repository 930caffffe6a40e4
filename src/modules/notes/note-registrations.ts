import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { createRecordCounter } from '../../records/record-counters.js';
import { ProjectsService } from '../projects/projects.service.js';
import { ToursService } from '../tours/tours.service.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { CallerWorkspacesService } from '../workspaces/caller-workspaces.service.js';
import { Note } from './note.entity.js';
import { NotesRepository } from './notes.repository.js';

/** Registers with lower modules: note counts for their records, and the references that must follow a key rename. */
@Injectable()
export class NoteRegistrations implements RowReferrer, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly notes: NotesRepository,
    private readonly projects: ProjectsService,
    private readonly tours: ToursService,
    private readonly workspaces: CallerWorkspacesService,
    private readonly renames: RenameService,
  ) {}

  onModuleInit(): void {
    const isOpen = 'record.closedAt IS NULL';
    this.projects.registerCounter('openNotes', createRecordCounter(this.database, Note, 'projectId', isOpen));
    this.tours.registerCounter('openNotes', createRecordCounter(this.database, Note, 'tourId', isOpen));
    this.workspaces.registerCounter('notes', createRecordCounter(this.database, Note, 'workspaceId'));
    this.renames.register(this);
  }

  async updateReferences({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    await this.notes.renameRow(workspaceId, 'location', tableId, from, to);
    await this.notes.renameRow(workspaceId, 'asset', tableId, from, to);
  }
}
