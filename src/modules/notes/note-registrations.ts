import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AttachmentsService } from '../attachments/attachments.service.js';
import { RecordCounters } from '../../records/record-counters.js';
import { NoteLocations } from './note-locations.js';
import { NoteReaderService } from './note-reader.service.js';
import { Note } from './note.entity.js';
import { NoteRulesChangedError } from './notes.errors.js';

/**
 * Registers with lower modules: note counts for their records, who may read the files of notes, and that a transaction
 * is repeated if the rules for notes of its workspace have changed.
 */
@Injectable()
export class NoteRegistrations implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly counters: RecordCounters,
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
    const scopes = ['read:projects', 'read:workspaces'] as const;
    this.attachments.register({ scopes, shows: (...owner) => this.reader.shows(...owner) });
    const isOutdated = (error: unknown) => error instanceof NoteRulesChangedError;
    this.database.retryOn(isOutdated, () => new NoteRulesChangedError());
  }
}
