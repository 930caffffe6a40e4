import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, translateSqlState } from '../../platform/database/database.errors.js';
import { Directory } from '../../platform/database/directory.js';
import { ExternalIdTakenError } from '../../records/records.errors.js';
import type { NoteEventDto } from './dto/note.dto.js';
import type { NoteAuthor } from './note-author.js';
import { NoteEvent } from './note-event.entity.js';
import { Note } from './note.entity.js';

/** An event to append: what happened, without note, author and time. */
export type NewNoteEvent = Pick<NoteEvent, 'kind'> & Partial<Pick<NoteEvent, 'field' | 'from' | 'to' | 'messageId'>>;

export type ListedNoteEvent = Omit<NoteEventDto, 'message'> & { messageId: string | null };

/** Writes notes and their events. Every transaction takes its locks in one order: table rows, note, counter. */
@Injectable()
export class NotesRepository {
  constructor(
    private readonly database: Database,
    private readonly directory: Directory,
  ) {}

  lock(where: { workspaceId: string } & ({ id: string } | { externalId: string })): Promise<Note | null> {
    return this.database.repository(Note).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Advances the workspace's counter and locks it until the transaction ends.
   *
   * @returns the number of the new note and the sequence of the last new event.
   */
  async advanceCounter(
    workspaceId: string,
    { notes, events }: { notes: 0 | 1; events: number },
  ): Promise<{ number: number; sequence: number }> {
    const [counter] = await this.database.query<{ number: number; sequence: number }>(
      `INSERT INTO note_counters (workspace_id, last_number, last_sequence) VALUES ($1, $2, $3)
       ON CONFLICT (workspace_id) DO UPDATE
          SET last_number = note_counters.last_number + $2, last_sequence = note_counters.last_sequence + $3
       RETURNING last_number::float8 AS number, last_sequence::float8 AS sequence`,
      [workspaceId, notes, events],
    );
    return counter!;
  }

  async insert(note: Partial<Note> & Pick<Note, 'workspaceId' | 'id'>): Promise<void> {
    await this.database.repository(Note).insert(note);
    await this.directory.add('note', note.workspaceId, [note.id]);
  }

  /** Updates the columns and increments the version. @throws {ExternalIdTakenError} */
  async update({ workspaceId, id }: Note, columns: Partial<Note>): Promise<void> {
    const toTaken = () => new ExternalIdTakenError('The note', columns.externalId!);
    const notes = this.database.repository(Note);
    await notes.update({ workspaceId, id }, columns).catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  /** @param lastSequence the sequence of the last event, as `advanceCounter` returned it. */
  async appendEvents(
    { workspaceId, id: noteId }: Pick<Note, 'workspaceId' | 'id'>,
    events: readonly NewNoteEvent[],
    lastSequence: number,
    { userId: actorId, source }: NoteAuthor,
  ): Promise<void> {
    const first = lastSequence - events.length + 1;
    const at = () => 'clock_timestamp()';
    const rows = events.map((event, index) => {
      return { workspaceId, sequence: first + index, noteId, ...event, actorId, source, at };
    });
    await this.database.repository(NoteEvent).insert(rows as object[]);
  }

  /** The events after a sequence, of one note or of all notes of the workspace. */
  listEvents(workspaceId: string, after: number, limit: number, noteId?: string): Promise<ListedNoteEvent[]> {
    return this.database.query(
      `SELECT e.sequence::float8 AS sequence, e.note_id AS "noteId", n.number::float8 AS number, e.kind, e.field,
              e."from", e."to", e.message_id AS "messageId", e.actor_id AS actor, e.source, e.at
         FROM note_events e JOIN notes n ON n.workspace_id = e.workspace_id AND n.id = e.note_id
        WHERE e.workspace_id = $1 AND e.sequence > $2 ${noteId === undefined ? '' : 'AND e.note_id = $4'}
        ORDER BY e.sequence LIMIT $3`,
      [workspaceId, after, limit, ...(noteId === undefined ? [] : [noteId])],
    );
  }

  /** Total size of the files of anonymous callers that no user of the workspace has reviewed. */
  async sumUnreviewedBytes(workspaceId: string): Promise<number> {
    const [sum] = await this.database.query<{ bytes: number }>(
      `SELECT coalesce(sum(unreviewed_bytes), 0)::float8 AS bytes FROM notes
        WHERE workspace_id = $1 AND unreviewed_bytes > 0`,
      [workspaceId],
    );
    return sum!.bytes;
  }

  /** Updates the notes that reference a renamed row, and appends an event to each. */
  async renameRow(workspaceId: string, field: 'location' | 'asset', tableId: string, from: string, to: string) {
    await this.database.affected(
      `WITH changed AS (
         UPDATE notes SET ${field}_key = $4, version = version + 1, updated_at = clock_timestamp()
          WHERE workspace_id = $1 AND ${field}_table_id = $2 AND ${field}_key = $3
         RETURNING id, source
       ), counted AS (
         INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence)
         SELECT $1, 0, count(*) FROM changed HAVING count(*) > 0
         ON CONFLICT (workspace_id) DO UPDATE SET last_sequence = counter.last_sequence + excluded.last_sequence
         RETURNING last_sequence
       )
       INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", source, at)
       SELECT $1, last_sequence + 1 - row_number() OVER (ORDER BY id DESC), id, 'changed', $5,
              jsonb_build_object('tableId', $2::uuid, 'key', $3::text), jsonb_build_object('tableId', $2::uuid, 'key', $4::text),
              'workspace', clock_timestamp()
         FROM changed, counted`,
      [workspaceId, tableId, from, to, field],
    );
  }
}
