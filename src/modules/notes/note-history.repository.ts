import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { NoteEventDto } from './dto/note.dto.js';
import { NoteEvent } from './note-event.entity.js';

export type ListedNoteEvent = Omit<NoteEventDto, 'message'> & { messageId: string | null };

/** Reads the events of notes. */
@Injectable()
export class NoteHistoryRepository {
  constructor(private readonly database: Database) {}

  /** Entries of the history with these sequences. */
  listChanges(
    workspaceId: string,
    sequences: readonly number[],
  ): Promise<Pick<NoteEvent, 'sequence' | 'kind' | 'field' | 'from' | 'to'>[]> {
    return this.database.query(
      `SELECT sequence::float8 AS sequence, kind, field, "from", "to" FROM note_events
        WHERE workspace_id = $1 AND sequence = ANY ($2::bigint[]) ORDER BY sequence`,
      [workspaceId, sequences],
    );
  }

  /** Has a user of the workspace written to the note? */
  hasUserEvents(workspaceId: string, noteId: string): Promise<boolean> {
    return this.database.repository(NoteEvent).existsBy({ workspaceId, noteId, actorId: Not(IsNull()) });
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
}
