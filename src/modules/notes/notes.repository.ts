import { Injectable, type Type } from '@nestjs/common';
import { uuid } from '../../../packages/sql/src/uuid.js';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { SQLSTATE, translateSqlState } from '../../../packages/sql/src/sql-state.js';
import { ExternalIdTakenError } from '../../records/records.errors.js';
import { EventsService } from '../events/events.service.js';
import { selectWithSettings } from '../workspaces/workspaces.clauses.js';
import {
  NoteArchivedDto,
  NoteCreatedDto,
  type NoteLogEntry,
  NoteMessageCreatedDto,
  NoteRestoredDto,
  NoteUpdatedDto,
} from './dto/note-log.dto.js';
import type { NoteAuthor } from './note-author.js';
import type { RenamedRow } from '../workspace-tables/rows/row-referrer.js';
import { NoteColumns } from './note-columns.js';
import { type NoteEvent, type NoteEventKind, WATCHERS } from './note-event.entity.js';
import type { NoteMessage } from './note-message.entity.js';
import { NoteReferencesRepository } from './note-references.repository.js';
import { isBindable } from './note-rules.js';
import { type OwnRules, RULE_SETTINGS } from './note-rules.service.js';
import { toIndexEntries } from './note-words.js';
import { Note } from './note.entity.js';

/** The types of the event log, by what the history records. */
const LOG_CLASSES = {
  created: NoteCreatedDto,
  changed: NoteUpdatedDto,
  files: NoteUpdatedDto,
  message: NoteMessageCreatedDto,
  archived: NoteArchivedDto,
  restored: NoteRestoredDto,
} as const;

/** Hexadecimal digits of the milliseconds at the beginning of a UUID v7. */
const TIME_DIGITS = 12;

/** An event to append: what happened, without note, author and time. */
export type NewNoteEvent = Pick<NoteEvent, 'kind'> & Partial<Pick<NoteEvent, 'field' | 'from' | 'to' | 'messageId'>>;

/** A new message, without what depends on the messages before it. */
export type NewNoteMessage = Pick<NoteMessage, 'workspaceId' | 'noteId' | 'description'>;

/**
 * SQL: seconds since 1970. A cluster accepts only immutable functions of columns here: the epoch of a time is not
 * immutable.
 */
const LAST_MESSAGE_EPOCH = 'extract(epoch FROM last_message_at - to_timestamp(0))';

/** The statements that write and delete notes. Every transaction takes its locks in one order: rows, note, counter. */
@Injectable()
export class NotesRepository {
  constructor(
    private readonly database: Database,
    private readonly columns: NoteColumns,
    readonly references: NoteReferencesRepository,
    private readonly events: EventsService,
    private readonly directory: Directory,
  ) {}

  /**
   * Locks notes of the workspace in the order of their IDs, so that concurrent requests cannot deadlock. It does not
   * read them: together, a thousand can be too large.
   */
  async lockAll(
    workspaceId: string,
    where: { ids: readonly string[] } | { externalIds: readonly string[] },
  ): Promise<void> {
    const isSelected = 'ids' in where ? 'id = ANY ($2::uuid[])' : 'external_id = ANY ($2::text[])';
    await this.database.query(`SELECT id FROM notes WHERE workspace_id = $1 AND ${isSelected} ORDER BY id FOR UPDATE`, [
      workspaceId,
      'ids' in where ? where.ids : where.externalIds,
    ]);
  }

  lock(where: { workspaceId: string } & ({ id: string } | { externalId: string })): Promise<Note | null> {
    return this.database.repository(Note).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Inserts a note with the workspace's next number, its event and its directory entry, and locks the counter until the
   * transaction ends.
   *
   * @param rules the rules of the workspace by which the note was validated.
   * @returns undefined if the workspace has other rules now: the transaction must be rolled back.
   */
  async insert(
    note: Partial<Note> & Pick<Note, 'workspaceId' | 'id'>,
    author: NoteAuthor,
    rules: OwnRules,
  ): Promise<Note | undefined> {
    const { workspaceId, id, title, description } = note;
    await this.directory.add('note', workspaceId, [id]);
    await this.record(workspaceId, 'created', { noteId: id }, author);
    // Other notes of the workspace wait from here until the end of the transaction.
    const [counter] = await this.database.query<{ number: string; sequence: number }>(
      `INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence)
       SELECT w.id, 1, 1 FROM (${selectWithSettings('$1', RULE_SETTINGS, '$2')}) w
       ON CONFLICT (workspace_id) DO UPDATE
          SET last_number = counter.last_number + 1, last_sequence = counter.last_sequence + 1
       RETURNING last_number AS number, last_sequence::float8 AS sequence`,
      [workspaceId, JSON.stringify(rules)],
    );
    if (!counter) return undefined;
    const names = this.columns.ofNewNotes;
    const [inserted] = await this.database.query(
      `INSERT INTO notes AS note (number, words, ${names.join(', ')})
       VALUES ($1, array_to_tsvector($2::text[]), ${names.map((_, index) => `$${index + 3}`).join(', ')})
       RETURNING ${this.columns.list('note')}`,
      [counter.number, toIndexEntries(workspaceId, title, description), ...this.columns.toParameters(note)],
    );
    if (note.externalReferences?.length) await this.references.replace(note, note.externalReferences);
    await this.appendHistory(note, [{ kind: 'created' }], counter.sequence, author);
    return this.columns.toEntity(inserted!);
  }

  /**
   * Inserts a message with its event, and locks the note and the counter until the transaction ends. The times and IDs
   * of a note's messages ascend in the order of their commits: each message is at least one millisecond later than the
   * one before.
   *
   * @param newBytes what an anonymous caller stores with it, in bytes.
   * @returns undefined, and inserts nothing, if the note does not exist or is archived.
   */
  async insertMessage(
    { workspaceId, noteId, description }: NewNoteMessage,
    author: NoteAuthor,
    newBytes: number,
  ): Promise<NoteMessage | undefined> {
    const { userId, source } = author;
    const random = uuid().replaceAll('-', '').slice(TIME_DIGITS);
    const [note] = await this.database.query<{ createdAt: Date; watchers: string[] }>(
      `UPDATE notes
          SET message_count = message_count + 1,
              last_message_at = greatest($5::timestamptz, to_timestamp((${LAST_MESSAGE_EPOCH} + 0.001)::float8)),
              unreviewed_bytes = CASE WHEN $4 = 'public' THEN unreviewed_bytes + $6::bigint ELSE 0 END,
              version = version + 1, updated_at = now(), updated_by = $3
        WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL
        RETURNING last_message_at AS "createdAt", watchers`,
      [workspaceId, noteId, userId, source, new Date(), newBytes],
    );
    if (!note) return undefined;
    const { createdAt, watchers } = note;
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
    await this.record(workspaceId, 'message', withWatchers({ noteId, messageId: id }, watchers), author);
    // Other writes of notes of the workspace wait from here until the end of the transaction.
    const sequence = await this.advanceCounter(workspaceId, 1);
    await this.appendHistory({ workspaceId, id: noteId }, [{ kind: 'message', messageId: id }], sequence, author);
    return { workspaceId, id, noteId, description, source, createdAt, createdBy: userId };
  }

  /**
   * Counts new events and locks the workspace's counter until the transaction ends.
   *
   * @returns the sequence of the last new event.
   */
  async advanceCounter(workspaceId: string, events: number): Promise<number> {
    const [counter] = await this.database.query<{ sequence: number }>(
      `INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence) VALUES ($1, 0, $2)
       ON CONFLICT (workspace_id) DO UPDATE SET last_sequence = counter.last_sequence + $2
       RETURNING last_sequence::float8 AS sequence`,
      [workspaceId, events],
    );
    return counter!.sequence;
  }

  /** Updates the columns and increments the version. @throws {ExternalIdTakenError} */
  async update(note: Note, columns: Partial<Note>): Promise<void> {
    const { workspaceId, id } = note;
    const parameters: unknown[] = [workspaceId, id];
    const assignments = this.columns
      .toAssignments(columns)
      .map(([name, value]) => `${name} = $${parameters.push(value)}`);
    if (columns.title !== undefined || columns.description !== undefined) {
      const { title, description } = { ...note, ...columns };
      const entries = parameters.push(toIndexEntries(workspaceId, title, description));
      assignments.push(`words = array_to_tsvector($${entries}::text[])`);
    }
    if (columns.externalReferences) await this.references.replace(note, columns.externalReferences);
    const toTaken = () => new ExternalIdTakenError('The note', columns.externalId!);
    await this.database
      .affected(
        `UPDATE notes SET ${assignments.join(', ')}, version = version + 1, updated_at = now()
          WHERE workspace_id = $1 AND id = $2`,
        parameters,
      )
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
  }

  /**
   * Appends events to the history, and one to the event log.
   *
   * @param note with its watchers after the change.
   * @param lastSequence the sequence of the last event, as `advanceCounter` returned it.
   */
  async appendEvents(
    note: Pick<Note, 'workspaceId' | 'id' | 'watchers'>,
    events: readonly NewNoteEvent[],
    lastSequence: number,
    author: NoteAuthor,
  ): Promise<void> {
    const [event] = events;
    if (!event) return;
    await this.appendHistory(note, events, lastSequence, author);
    const first = lastSequence - events.length + 1;
    const entry = withWatchers({ noteId: note.id, first, last: lastSequence }, note.watchers);
    await this.record(note.workspaceId, event.kind, entry, author);
  }

  private async appendHistory(
    { workspaceId, id }: Pick<Note, 'workspaceId' | 'id'>,
    events: readonly NewNoteEvent[],
    lastSequence: number,
    { userId, source }: NoteAuthor,
  ): Promise<void> {
    await this.database.affected(
      `INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", message_id, actor_id, source, at)
       SELECT $1, $2::bigint - $3::integer + position, $4, kind, field, "from", "to", message_id, $5, $6, clock_timestamp()
         FROM unnest($7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::uuid[])
              WITH ORDINALITY AS event (kind, field, "from", "to", message_id, position)`,
      [
        ...[workspaceId, lastSequence, events.length, id, userId, source],
        events.map(({ kind }) => kind),
        events.map(({ field }) => field),
        events.map(({ from }) => toJson(from)),
        events.map(({ to }) => toJson(to)),
        events.map(({ messageId }) => messageId),
      ],
    );
  }

  private record(
    workspaceId: string,
    kind: NoteEventKind,
    entry: NoteLogEntry,
    { userId, source }: NoteAuthor,
  ): Promise<void> {
    return this.events.recordReference(workspaceId, LOG_CLASSES[kind], entry, { userId, source });
  }

  /**
   * Replaces the watchers. The content of the note remains as it is, and so do the author and the time of its last
   * change. The version identifies a response with the watchers.
   */
  async setWatchers(note: Note, watchers: string[], author: NoteAuthor): Promise<void> {
    const { workspaceId, id, watchers: from } = note;
    const sequence = await this.advanceCounter(workspaceId, 1);
    await this.database.affected(
      'UPDATE notes SET watchers = $3, version = version + 1 WHERE workspace_id = $1 AND id = $2',
      [workspaceId, id, watchers],
    );
    const event = { kind: 'changed', field: WATCHERS, from, to: watchers } as const;
    await this.appendEvents({ ...note, watchers }, [event], sequence, author);
  }

  /** Updates the notes that refer to a renamed row as their location or asset, and appends an event to each. */
  renameRow(field: 'location' | 'asset', { workspaceId, tableId, from, to }: RenamedRow): Promise<void> {
    const change = {
      assignment: `${field}_key = $3`,
      condition: `${field}_table_id = $4 AND ${field}_key = $2`,
      parameters: [tableId],
    };
    return this.rename(
      workspaceId,
      { field, from: { tableId, key: from }, to: { tableId, key: to } },
      [from, to],
      change,
    );
  }

  /** Updates the notes with a renamed row as the value of a field, and appends an event to each. */
  renameValue(key: string, { workspaceId, from, to }: RenamedRow): Promise<void> {
    const column = isBindable(key) ? this.columns.nameOf(key) : undefined;
    const change = column
      ? { assignment: `${column} = $3`, condition: `${column} = $2`, parameters: [] }
      : {
          assignment: 'custom_fields = custom_fields || jsonb_build_object($4::text, $3::text)',
          condition: 'custom_fields @> jsonb_build_object($4::text, $2::text)',
          parameters: [key],
        };
    return this.rename(workspaceId, { field: column ? key : `fields.${key}`, from, to }, [from, to], change);
  }

  private async rename(
    workspaceId: string,
    { field, from, to }: { field: string; from: unknown; to: unknown },
    keys: readonly [from: string, to: string],
    { assignment, condition, parameters }: { assignment: string; condition: string; parameters: readonly string[] },
  ): Promise<void> {
    const changed = await this.database.query<Pick<Note, 'id' | 'watchers'>>(
      `UPDATE notes SET ${assignment}, version = version + 1, updated_at = statement_timestamp()
        WHERE workspace_id = $1 AND ${condition} RETURNING id, watchers`,
      [workspaceId, ...keys, ...parameters],
    );
    if (changed.length === 0) return;
    changed.sort((a, b) => (a.id < b.id ? -1 : 1));
    const ids = changed.map(({ id }) => id);
    const first = (await this.advanceCounter(workspaceId, ids.length)) - ids.length + 1;
    await this.database.affected(
      `INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", actor_id, source, at)
       SELECT $1, $2::bigint + position - 1, id, 'changed', $4, $5::jsonb, $6::jsonb, $7, 'workspace', clock_timestamp()
         FROM unnest($3::uuid[]) WITH ORDINALITY AS changed (id, position)`,
      [workspaceId, first, ids, field, JSON.stringify(from), JSON.stringify(to), this.events.currentActor().userId],
    );
    const entries = changed.map(({ id, watchers }, at) =>
      withWatchers({ noteId: id, first: first + at, last: first + at }, watchers),
    );
    await this.events.recordAll(
      workspaceId,
      entries.map((entry) => this.events.create(NoteUpdatedDto as Type<object>, entry)),
    );
  }

  /** The IDs of the messages of a locked note, which receives no others until the transaction ends. */
  async listMessageIds({ workspaceId, id }: Note): Promise<string[]> {
    const sql = 'SELECT id FROM note_messages WHERE workspace_id = $1 AND note_id = $2';
    return (await this.database.query<{ id: string }>(sql, [workspaceId, id])).map((message) => message.id);
  }

  /** Deletes the note with its history, messages and references. */
  async delete({ workspaceId, id }: Note): Promise<void> {
    const key = [workspaceId, id];
    await this.database.affected('DELETE FROM note_events WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM note_messages WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM note_external_references WHERE workspace_id = $1 AND note_id = $2', key);
    await this.database.affected('DELETE FROM notes WHERE workspace_id = $1 AND id = $2', key);
    await this.directory.remove('note', workspaceId, id);
  }
}

function withWatchers(entry: NoteLogEntry, watchers: readonly string[]): NoteLogEntry {
  return watchers.length === 0 ? entry : { ...entry, watchers };
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
