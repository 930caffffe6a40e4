import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventReaderService } from '../events/event-reader.service.js';
import {
  NoteArchivedDto,
  NoteCreatedDto,
  type NoteLogEntry,
  NoteMessageCreatedDto,
  NoteRestoredDto,
  NoteUpdatedDto,
} from './dto/note-log.dto.js';
import { NoteHistoryRepository } from './note-history.repository.js';
import { NoteReaderService } from './note-reader.service.js';

/** Completes the entries of notes in the event log from the notes, their messages and their history. */
@Injectable()
export class NoteLog implements OnModuleInit {
  constructor(
    private readonly log: EventReaderService,
    private readonly reader: NoteReaderService,
    private readonly history: NoteHistoryRepository,
  ) {}

  onModuleInit(): void {
    for (const dto of [NoteCreatedDto, NoteArchivedDto, NoteRestoredDto])
      this.log.complete(dto, (workspaceId, entries) => this.addNotes(workspaceId, entries as NoteLogEntry[]));
    this.log.complete(NoteUpdatedDto, (workspaceId, entries) =>
      this.addChanges(workspaceId, entries as NoteLogEntry[]),
    );
    this.log.complete(NoteMessageCreatedDto, (workspaceId, entries) =>
      this.addMessages(workspaceId, entries as NoteLogEntry[]),
    );
  }

  private async addNotes(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const notes = await this.reader.listByIds(workspaceId, [...new Set(entries.map(({ noteId }) => noteId))]);
    const byId = new Map(notes.map((note) => [note.id, note]));
    return entries.map(({ noteId }) => ({ note: byId.get(noteId) ?? { id: noteId } }));
  }

  private async addChanges(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const completed = await this.addNotes(workspaceId, entries);
    const sequences = entries.flatMap(({ first = 0, last = -1 }) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    const history = await this.history.listChanges(workspaceId, sequences);
    return completed.map(({ note }, index) => {
      const { first = 0, last = -1 } = entries[index]!;
      const own = history.filter(({ sequence }) => sequence >= first && sequence <= last);
      const changes = own.map(({ kind, field, from, to }) => ({ field: field ?? kind, from, to }));
      return { note, changes };
    });
  }

  private async addMessages(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const messages = await this.reader.listMessagesByIds(
      workspaceId,
      entries.map(({ messageId }) => messageId!),
    );
    const byId = new Map(messages.map((message) => [message.id, message]));
    return entries.map(({ noteId, messageId }) => ({ noteId, message: byId.get(messageId!) ?? { id: messageId } }));
  }
}
