import { Injectable } from '@nestjs/common';
import { uuid } from '../../platform/database/uuid.js';
import { selectWithSetting } from '../workspaces/workspaces.clauses.js';
import type { NoteAuthor } from './note-author.js';
import type { NoteMessage } from './note-message.entity.js';
import type { NoteStatus } from './note-status.js';
import { toIndexEntries } from './note-words.js';
import type { Note } from './note.entity.js';
import { type NewNoteMessage, NotesRepository, TIME_DIGITS, toMessageCounting } from './notes.repository.js';

/**
 * Creates notes and messages by several statements, each of which a cluster executes on one node: it would send the
 * result of a common table expression that `INSERT` reads to all nodes.
 */
@Injectable()
export class ClusterNotesRepository extends NotesRepository {
  override insert(
    note: Partial<Note> & Pick<Note, 'workspaceId' | 'id'>,
    author: NoteAuthor,
    statuses: readonly NoteStatus[] | null,
  ): Promise<Note | undefined> {
    return this.database.transaction(() => this.insertEach(note, author, statuses));
  }

  override insertMessage(
    message: NewNoteMessage,
    author: NoteAuthor,
    newBytes: number,
  ): Promise<NoteMessage | undefined> {
    return this.database.transaction(() => this.insertMessageEach(message, author, newBytes));
  }

  private async insertEach(
    note: Partial<Note> & Pick<Note, 'workspaceId' | 'id'>,
    author: NoteAuthor,
    statuses: readonly NoteStatus[] | null,
  ): Promise<Note | undefined> {
    const { workspaceId, id, title, description } = note;
    const known = await this.database.query(selectWithSetting('$1', 'noteStatuses', '$2'), [
      workspaceId,
      statuses && JSON.stringify(statuses),
    ]);
    if (known.length === 0) return undefined;
    const [counter] = await this.database.query<{ number: string; sequence: number }>(
      `INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence) VALUES ($1, 1, 1)
       ON CONFLICT (workspace_id) DO UPDATE
          SET last_number = counter.last_number + 1, last_sequence = counter.last_sequence + 1
       RETURNING last_number AS number, last_sequence::float8 AS sequence`,
      [workspaceId],
    );
    await this.directory.add('note', workspaceId, [id]);
    const names = this.columns.ofNewNotes;
    const [inserted] = await this.database.query(
      `INSERT INTO notes AS note (number, words, ${names.join(', ')})
       VALUES ($1, array_to_tsvector($2::text[]), ${names.map((_, index) => `$${index + 3}`).join(', ')})
       RETURNING ${this.columns.list('note')}`,
      [counter!.number, toIndexEntries(workspaceId, title, description), ...this.columns.toParameters(note)],
    );
    await this.appendEvents(note, [{ kind: 'created' }], counter!.sequence, author);
    return this.columns.toEntity(inserted!);
  }

  private async insertMessageEach(
    { workspaceId, noteId, description }: NewNoteMessage,
    author: NoteAuthor,
    newBytes: number,
  ): Promise<NoteMessage | undefined> {
    const { userId, source } = author;
    const random = uuid().replaceAll('-', '').slice(TIME_DIGITS);
    const [note] = await this.database.query<{ createdAt: Date }>(
      `${toMessageCounting({ userId: 3, source: 4, time: 5, bytes: 6 })} RETURNING last_message_at AS "createdAt"`,
      [workspaceId, noteId, userId, source, new Date(), newBytes],
    );
    if (!note) return undefined;
    const { createdAt } = note;
    const sequence = await this.advanceCounter(workspaceId, 1);
    const [message] = await this.database.query<{ id: string }>(
      `INSERT INTO note_messages (workspace_id, id, note_id, description, source, created_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
      [
        workspaceId,
        createdAt.getTime().toString(16).padStart(TIME_DIGITS, '0') + random,
        ...[noteId, description, source, createdAt, userId],
      ],
    );
    const { id } = message!;
    await this.appendEvents({ workspaceId, id: noteId }, [{ kind: 'message', messageId: id }], sequence, author);
    return { workspaceId, id, noteId, description, source, createdAt, createdBy: userId };
  }
}
