import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { SQLSTATE, sqlState } from '../../platform/database/database.errors.js';
import type { Author } from './note-input.js';
import { COUNT } from './note-counter.entity.js';
import { Note } from './note.entity.js';
import { ExternalIdTakenError } from './notes.errors.js';
import { NoteEvent, type NoteEventKind } from './note-event.entity.js';

/** Something that happens to a note, to be told. */
export interface Happening {
  kind: NoteEventKind;
  field?: string;
  from?: unknown;
  to?: unknown;
  messageId?: string;
}

/** Writes notes and what happens to them. Locks are taken in one order: rows of tables, then the note, then the counter. */
@Injectable()
export class NotesRepository {
  constructor(private readonly database: Database) {}

  lock(workspaceId: string, id: string): Promise<Note | null> {
    return this.locked({ workspaceId, id });
  }

  lockByExternalId(workspaceId: string, externalId: string): Promise<Note | null> {
    return this.locked({ workspaceId, externalId });
  }

  /** The next number and the sequence of the last of so many events. Until the transaction ends, no other note is written. */
  async count(workspaceId: string, notes: 0 | 1, events: number): Promise<{ number: number; sequence: number }> {
    const [counted] = await this.database.query<{ number: number; sequence: number }>(COUNT, [
      workspaceId,
      notes,
      events,
    ]);
    return counted!;
  }

  async insert(note: Partial<Note>): Promise<void> {
    await this.database.manager.insert(Note, note);
  }

  /** Writes the values into the note, which has one more version then. @throws {ExternalIdTakenError} */
  async update({ workspaceId, id }: Note, values: Partial<Note>): Promise<void> {
    await this.database.manager.update(Note, { workspaceId, id }, values).catch((error: unknown) => {
      throw sqlState(error) === SQLSTATE.uniqueViolation ? new ExternalIdTakenError(values.externalId!) : error;
    });
  }

  /** Tells what happened to the note, up to the sequence. */
  async tell(
    { workspaceId, id: noteId }: Pick<Note, 'workspaceId' | 'id'>,
    happenings: readonly Happening[],
    lastSequence: number,
    { userId, source }: Author,
  ): Promise<void> {
    const first = lastSequence - happenings.length + 1;
    await this.database.manager.insert(
      NoteEvent,
      happenings.map((happening, at) => ({
        workspaceId,
        sequence: first + at,
        noteId,
        ...happening,
        actorId: userId,
        source,
        at: () => 'clock_timestamp()',
      })) as object[],
    );
  }

  /** Bytes of strangers that nobody of the workspace has looked at. */
  async unreviewedBytes(workspaceId: string): Promise<number> {
    const [found] = await this.database.query<{ bytes: number }>(
      `SELECT coalesce(sum(unreviewed_bytes), 0)::float8 AS bytes FROM notes
        WHERE workspace_id = $1 AND unreviewed_bytes > 0`,
      [workspaceId],
    );
    return found!.bytes;
  }

  /** The notes at a row follow it to its new key. Each tells so. */
  async follow(workspaceId: string, place: 'location' | 'asset', tableId: string, from: string, to: string) {
    await this.database.query(
      `WITH moved AS (
         UPDATE notes SET ${place}_key = $4, version = version + 1, updated_at = clock_timestamp()
          WHERE workspace_id = $1 AND ${place}_table_id = $2 AND ${place}_key = $3
         RETURNING id, source
       ), counted AS (
         INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence)
         SELECT $1, 0, count(*) FROM moved HAVING count(*) > 0
         ON CONFLICT (workspace_id) DO UPDATE SET last_sequence = counter.last_sequence + excluded.last_sequence
         RETURNING last_sequence
       )
       INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", source, at)
       SELECT $1, last_sequence + 1 - row_number() OVER (ORDER BY id DESC), id, 'changed', $5,
              jsonb_build_object('tableId', $2::uuid, 'key', $3::text), jsonb_build_object('tableId', $2::uuid, 'key', $4::text),
              'workspace', clock_timestamp()
         FROM moved, counted`,
      [workspaceId, tableId, from, to, place],
    );
  }

  private locked(where: { workspaceId: string; id?: string; externalId?: string }): Promise<Note | null> {
    return this.database.manager.findOne(Note, { where, lock: { mode: 'pessimistic_write' } });
  }
}
