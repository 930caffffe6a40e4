import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import { EntityColumns, type RecordsById } from '../../platform/database/entity-columns.js';
import { readPage, type RowPage, type Page } from '../../../packages/sql/src/page-reader.js';
import { type CursorPosition, KEY_TYPES, Keyset } from '../../../packages/sql/src/keyset.js';
import type { PageQueryDto } from '../../platform/http/page.dto.js';
import { readKeysetPage } from '../../records/row-pages.repository.js';
import type { NoteEventDto } from './dto/note.dto.js';
import { NoteEvent, WATCHERS } from './note-event.entity.js';
import { NoteMessage } from './note-message.entity.js';
import type { Note, NoteSource } from './note.entity.js';

/** What an event of the history changed. */
export type NoteChange = Pick<NoteEvent, 'sequence' | 'kind' | 'field' | 'from' | 'to'>;

/** An event with its message, whose files are not read. */
export type ListedNoteEvent = Omit<NoteEventDto, 'message'> & { message: NoteMessage | null };

/** An event, and the columns of its message: all of them are null if it has none. */
interface EventRow extends Omit<NoteEventDto, 'message'> {
  messageId: string | null;
  description: string | null;
  messageSource: NoteSource;
  messageAt: Date;
  messageBy: string | null;
}

/** The order of messages, whose IDs ascend in the order of their commits. */
const MESSAGE_KEYSET = new Keyset([{ sql: 'record.id', ...KEY_TYPES.uuid }]);
export const EVENT_KEYSET = new Keyset([{ sql: 'e.sequence', ...KEY_TYPES.count }]);

/** Reads the events and messages of notes. */
@Injectable()
export class NoteHistoryRepository {
  private readonly messages: EntityColumns<NoteMessage>;

  constructor(private readonly database: Database) {
    this.messages = new EntityColumns(database, NoteMessage);
  }

  /** Entries of the history in the order of these sequences, as many as a page contains. */
  listChanges(workspaceId: string, sequences: readonly number[]): Promise<RowPage<NoteChange>> {
    const sql = `
      SELECT e.sequence::float8 AS sequence, e.kind, e.field, e."from", e."to"
        FROM unnest($2::bigint[]) WITH ORDINALITY AS listed (sequence, position)
        JOIN note_events e ON e.workspace_id = $1 AND e.sequence = listed.sequence
       ORDER BY listed.position`;
    const statement = { sql, parameters: [workspaceId, sequences], sized: ['from', 'to'] };
    return readPage(this.database, statement, sequences.length);
  }

  /** Messages in the order of these IDs, as many as a page contains. */
  readMessagesByIds(workspaceId: string, ids: readonly string[]): Promise<RecordsById<NoteMessage>> {
    return this.messages.readByIds(workspaceId, ids);
  }

  /** What events of a note contain of it, of each of these notes that exists. */
  listRelations(
    workspaceId: string,
    noteIds: readonly string[],
  ): Promise<Pick<Note, 'id' | 'externalReferences' | 'watchers'>[]> {
    const sql = `SELECT id, external_references AS "externalReferences", watchers FROM notes
                  WHERE workspace_id = $1 AND id = ANY ($2::uuid[])`;
    return this.database.query(sql, [workspaceId, noteIds]);
  }

  /** Has a user of the workspace written to the note? */
  hasUserEvents(workspaceId: string, noteId: string): Promise<boolean> {
    const event = { workspaceId, noteId, actorId: Not(IsNull()) };
    const fields = [IsNull(), Not(WATCHERS)];
    return this.database.repository(NoteEvent).existsBy(fields.map((field) => ({ ...event, field })));
  }

  /** A page of the messages of a note, oldest first. @throws {InvalidCursorError} */
  async listMessages(workspaceId: string, noteId: string, query: PageQueryDto): Promise<Page<NoteMessage>> {
    const sql = `SELECT ${this.messages.list('message')} FROM note_messages message
                  WHERE message.workspace_id = $1 AND message.note_id = $2`;
    const statement = { sql, parameters: [workspaceId, noteId], sized: this.messages.sized };
    const identity = ['messages', workspaceId, noteId];
    const toPosition = ({ id }: { id: string }) => [id];
    const page = await readKeysetPage(this.database, identity, statement, MESSAGE_KEYSET, query, toPosition);
    return { ...page, items: page.items.map((row) => this.messages.toEntity(row as Record<string, unknown>)) };
  }

  /** A page of the events of one note or of all notes of the workspace, each with its message. */
  async listEvents(
    workspaceId: string,
    after: CursorPosition | undefined,
    limit: number,
    noteId?: string,
  ): Promise<RowPage<ListedNoteEvent>> {
    const parameters: unknown[] = [workspaceId];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const conditions = [
      'e.workspace_id = $1',
      EVENT_KEYSET.compileCondition(after, { bind }),
      ...(noteId === undefined ? [] : [`e.note_id = ${bind(noteId)}`]),
    ];
    const sql = `
       SELECT e.sequence::float8 AS sequence, e.note_id AS "noteId", n.number::float8 AS number, e.kind, e.field,
              e."from", e."to", e.actor_id AS actor, e.source, e.at,
              m.id AS "messageId", m.description, m.source AS "messageSource", m.created_at AS "messageAt", m.created_by AS "messageBy"
         FROM note_events e JOIN notes n ON n.workspace_id = e.workspace_id AND n.id = e.note_id
         LEFT JOIN note_messages m ON m.workspace_id = e.workspace_id AND m.id = e.message_id
        WHERE ${conditions.join(' AND ')} ORDER BY ${EVENT_KEYSET.compileOrder()}`;
    const statement = { sql, parameters, sized: ['from', 'to', 'description'] };
    const { items, hasMore } = await readPage<EventRow>(this.database, statement, limit);
    return { items: items.map((row) => toListedEvent(workspaceId, row)), hasMore };
  }
}

function toListedEvent(
  workspaceId: string,
  { messageId, description, messageSource, messageAt, messageBy, ...event }: EventRow,
): ListedNoteEvent {
  if (messageId === null) return { ...event, message: null };
  const { noteId } = event;
  const written = { source: messageSource, createdAt: messageAt, createdBy: messageBy };
  return { ...event, message: { workspaceId, id: messageId, noteId, description, ...written } };
}
