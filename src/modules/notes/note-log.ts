import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventsService } from '../events/events.service.js';
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
    private readonly events: EventsService,
    private readonly reader: NoteReaderService,
    private readonly history: NoteHistoryRepository,
  ) {}

  onModuleInit(): void {
    for (const dto of [NoteCreatedDto, NoteArchivedDto, NoteRestoredDto])
      this.events.complete(dto, (workspaceId, entries) => this.addNotes(workspaceId, entries as NoteLogEntry[]));
    this.events.complete(NoteUpdatedDto, (workspaceId, entries) =>
      this.addChanges(workspaceId, entries as NoteLogEntry[]),
    );
    this.events.complete(NoteMessageCreatedDto, (workspaceId, entries) =>
      this.addMessages(workspaceId, entries as NoteLogEntry[]),
    );
    for (const dto of [NoteCreatedDto, NoteUpdatedDto, NoteArchivedDto, NoteRestoredDto])
      this.events.restrict(dto, (workspaceId, data) =>
        this.selectVisible(workspaceId, data, (entry) => (entry as NoteCreatedDto).note.id),
      );
    this.events.restrict(NoteMessageCreatedDto, (workspaceId, data) =>
      this.selectVisible(workspaceId, data, (entry) => (entry as NoteMessageCreatedDto).noteId),
    );
  }

  /** The entries of notes that exist for a caller with an access policy. */
  private async selectVisible(workspaceId: string, data: readonly object[], toNoteId: (data: object) => string) {
    const visible = await this.reader.findVisible(workspaceId, data.map(toNoteId));
    return data.map((entry) => (visible.has(toNoteId(entry)) ? entry : undefined));
  }

  private async addNotes(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const ids = [...new Set(entries.map(({ noteId }) => noteId))];
    const { found, unread } = await this.reader.readByIds(workspaceId, ids);
    const byId = new Map(found.map((note) => [note.id, note]));
    return entries.map(({ noteId }) => (unread.has(noteId) ? undefined : { note: byId.get(noteId) ?? { id: noteId } }));
  }

  private async addChanges(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const completed = await this.addNotes(workspaceId, entries);
    const sequences = entries.flatMap(listSequences);
    const { items: history, hasMore } = await this.history.listChanges(workspaceId, sequences);
    const unread = new Set(hasMore ? sequences.slice(sequences.indexOf(history.at(-1)!.sequence) + 1) : []);
    const bySequence = new Map(history.map((change) => [change.sequence, change]));
    return completed.map((data, index) => {
      const entry = entries[index]!;
      // The changes of one event may be more than a page contains.
      if (!data || (index > 0 && unread.has(entry.last ?? -1))) return undefined;
      const own = listSequences(entry).flatMap((sequence) => bySequence.get(sequence) ?? []);
      const changes = own.map(({ kind, field, from, to }) => ({ field: field ?? kind, from, to }));
      return { ...data, changes };
    });
  }

  private async addMessages(workspaceId: string, entries: readonly NoteLogEntry[]) {
    const ids = entries.map(({ messageId }) => messageId!);
    const { found, unread } = await this.reader.readMessagesByIds(workspaceId, ids);
    const byId = new Map(found.map((message) => [message.id, message]));
    const notes = await this.history.listRelations(workspaceId, [...new Set(entries.map(({ noteId }) => noteId))]);
    const ofNote = new Map(notes.map(({ id, ...relations }) => [id, relations]));
    return entries.map(({ noteId, messageId }) => {
      if (unread.has(messageId)) return undefined;
      const relations = ofNote.get(noteId) ?? { externalReferences: [], watchers: [] };
      return { noteId, message: byId.get(messageId!) ?? { id: messageId }, ...relations };
    });
  }
}

/** The numbers of the changes of an event; none of an event without changes. */
function listSequences({ first = 0, last = -1 }: NoteLogEntry): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
