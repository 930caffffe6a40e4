import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import type { FileOwner } from '../attachments/file-owner.js';
import { RecordCounters } from '../../records/record-counters.js';
import { RenameService } from '../workspace-tables/rows/rename.service.js';
import type { RenamedRow, RowReferrer } from '../workspace-tables/rows/row-referrer.js';
import { NoteLocations } from './note-locations.js';
import { NoteReaderService } from './note-reader.service.js';
import { Note } from './note.entity.js';
import { StatusesChangedError } from './notes.errors.js';
import { NotesRepository } from './notes.repository.js';

/**
 * Registers with lower modules: note counts for their records, who may read the files of notes, the references that
 * must follow a key rename, and that a transaction is repeated if the statuses of its workspace have changed.
 */
@Injectable()
export class NoteRegistrations implements RowReferrer, FileOwner, OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly notes: NotesRepository,
    private readonly counters: RecordCounters,
    private readonly renames: RenameService,
    private readonly locations: NoteLocations,
    private readonly reader: NoteReaderService,
    private readonly attachments: AttachmentsService,
  ) {}

  onModuleInit(): void {
    const restrict = (workspaceId: string) => this.locations.restrictCount(workspaceId);
    const open = { condition: 'record.closedAt IS NULL', restrict };
    this.counters.registerEntity('project', 'openNotes', Note, open);
    this.counters.registerEntity('tour', 'openNotes', Note, open);
    this.counters.registerEntity('workspace', 'notes', Note, { restrict });
    this.attachments.register(this);
    this.renames.register(this);
    const isOutdated = (error: unknown) => error instanceof StatusesChangedError;
    this.database.retryOn(isOutdated, () => new StatusesChangedError());
  }

  showsFilesOf(workspaceId: string, ownerId: string): Promise<boolean> {
    return this.reader.shows(workspaceId, ownerId);
  }

  async updateReferences({ workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    await this.notes.renameRow(workspaceId, 'location', tableId, from, to);
    await this.notes.renameRow(workspaceId, 'asset', tableId, from, to);
  }
}
