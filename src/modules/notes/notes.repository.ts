import { Injectable, type Type } from '@nestjs/common';
import { uuid } from '../../platform/database/uuid.js';
import { Database } from '../../platform/database/database.js';
import { Directory } from '../../platform/database/directory.js';
import { quoteLiteral } from '../../platform/database/sql-literal.js';
import { SQLSTATE, translateSqlState } from '../../platform/database/database.errors.js';
import { ExternalIdTakenError } from '../../records/records.errors.js';
import { getEventTypeName } from '../events/event-type.decorator.js';
import { insertEvents } from '../events/events.clauses.js';
import { EventsService } from '../events/events.service.js';
import { selectWithSetting } from '../workspaces/workspaces.clauses.js';
import {
  NoteArchivedDto,
  NoteCreatedDto,
  type NoteLogEntry,
  NoteMessageCreatedDto,
  NoteRestoredDto,
  NoteUpdatedDto,
} from './dto/note-log.dto.js';
import type { NoteAuthor } from './note-author.js';
import { NoteColumns } from './note-columns.js';
import { NoteEvent } from './note-event.entity.js';
import type { NoteMessage } from './note-message.entity.js';
import type { NoteStatus } from './note-status.js';
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

/** The event of a message, as SQL for the statement of `insertMessage`. */
const MESSAGE_EVENT = {
  workspaceId: '$1',
  type: quoteLiteral(getEventTypeName(LOG_CLASSES.message)),
  actorId: '$4',
  source: '$5',
  data: "json_build_object('noteId', $2::uuid, 'messageId', id)",
};

/** Hexadecimal digits of the milliseconds at the beginning of a UUID v7. */
export const TIME_DIGITS = 12;

/** An event to append: what happened, without note, author and time. */
export type NewNoteEvent = Pick<NoteEvent, 'kind'> & Partial<Pick<NoteEvent, 'field' | 'from' | 'to' | 'messageId'>>;

/** A new message, without what depends on the messages before it. */
export type NewNoteMessage = Pick<NoteMessage, 'workspaceId' | 'noteId' | 'description'>;

/**
 * SQL: seconds since 1970. A cluster accepts only immutable functions of columns here: the epoch of a time is not
 * immutable.
 */
const LAST_MESSAGE_EPOCH = 'extract(epoch FROM last_message_at - to_timestamp(0))';

/**
 * The statements that write notes. Every transaction takes its locks in one order: table rows, note, counter. A
 * statement with several steps runs each of them once per row of the step before, thus in this order too.
 */
@Injectable()
export class NotesRepository {
  /** Parameters: workspace, note, actor, source, statuses, words, then the columns of the note. */
  private readonly insertion: string;

  constructor(
    protected readonly database: Database,
    protected readonly columns: NoteColumns,
    protected readonly events: EventsService,
    protected readonly directory: Directory,
  ) {
    const names = columns.ofNewNotes;
    const values = names.map((_, index) => `$${index + 7}`);
    const event = {
      workspaceId: '$1',
      type: quoteLiteral(getEventTypeName(LOG_CLASSES.created)),
      actorId: '$3',
      source: '$4',
      data: "json_build_object('noteId', $2::uuid, 'first', last_sequence, 'last', last_sequence)",
    };
    this.insertion = `
      WITH counter AS (
        INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence)
        SELECT id, 1, 1 FROM (${selectWithSetting('$1', 'noteStatuses', '$5')}) workspace
        ON CONFLICT (workspace_id) DO UPDATE
           SET last_number = counter.last_number + 1, last_sequence = counter.last_sequence + 1
        RETURNING last_number, last_sequence
      ), entry AS (
        ${directory.toClause('note', '$1', '$2::uuid', 'counter')}
      ), inserted AS (
        INSERT INTO notes AS note (number, words, ${names.join(', ')})
        SELECT last_number, array_to_tsvector($6::text[]), ${values.join(', ')} FROM counter
        RETURNING ${columns.list('note')}
      ), event AS (
        INSERT INTO note_events (workspace_id, sequence, note_id, kind, actor_id, source, at)
        SELECT $1, last_sequence, $2, 'created', $3, $4, clock_timestamp() FROM counter
      ), logged AS (
        ${insertEvents(event, 'counter')}
      )
      SELECT * FROM inserted`;
  }

  lock(where: { workspaceId: string } & ({ id: string } | { externalId: string })): Promise<Note | null> {
    return this.database.repository(Note).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Inserts a note with the workspace's next number, its event and its directory entry in one statement, and locks the
   * counter until the transaction ends.
   *
   * @param statuses the workspace's own statuses that the note was validated with; null if it had none.
   * @returns undefined, and inserts nothing, if the workspace has other statuses now.
   */
  async insert(
    note: Partial<Note> & Pick<Note, 'workspaceId' | 'id'>,
    author: NoteAuthor,
    statuses: readonly NoteStatus[] | null,
  ): Promise<Note | undefined> {
    const { workspaceId, id, title, description } = note;
    const { userId, source } = author;
    const parameters = [
      ...[workspaceId, id, userId, source, statuses && JSON.stringify(statuses)],
      toIndexEntries(workspaceId, title, description),
      ...this.columns.toParameters(note),
    ];
    const [inserted] = await this.database.query(this.insertion, parameters, 'new note');
    if (!inserted) return undefined;
    this.events.numberSoon(workspaceId);
    return this.columns.toEntity(inserted);
  }

  /**
   * Inserts a message with its event in one statement, and locks the note and the counter until the transaction ends.
   * The times and IDs of a note's messages ascend in the order of their commits: each message is at least one
   * millisecond later than the one before.
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
    const [inserted] = await this.database.query<Pick<NoteMessage, 'id' | 'createdAt'>>(
      `WITH note AS (
         ${toMessageCounting({ userId: 4, source: 5, time: 6, bytes: 8 })}
         RETURNING last_message_at, floor(${LAST_MESSAGE_EPOCH} * 1000)::bigint AS milliseconds
       ), counter AS (
         INSERT INTO note_counters AS counter (workspace_id, last_number, last_sequence) SELECT $1, 0, 1 FROM note
         ON CONFLICT (workspace_id) DO UPDATE SET last_sequence = counter.last_sequence + 1
         RETURNING last_sequence
       ), message AS (
         INSERT INTO note_messages (workspace_id, id, note_id, description, source, created_at, created_by)
         SELECT $1, (lpad(to_hex(milliseconds), ${TIME_DIGITS}, '0') || $7)::uuid, $2, $3, $5, last_message_at, $4 FROM note
         RETURNING id, created_at
       ), event AS (
         INSERT INTO note_events (workspace_id, sequence, note_id, kind, message_id, actor_id, source, at)
         SELECT $1, last_sequence, $2, 'message', id, $4, $5, clock_timestamp() FROM counter, message
       ), logged AS (
         ${insertEvents(MESSAGE_EVENT, 'message')}
       )
       SELECT id, created_at AS "createdAt" FROM message`,
      [workspaceId, noteId, description, userId, source, new Date(), random, newBytes],
      'new message',
    );
    if (!inserted) return undefined;
    this.events.numberSoon(workspaceId);
    const { id, createdAt } = inserted;
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
    const toTaken = () => new ExternalIdTakenError('The note', columns.externalId!);
    await this.database
      .affected(
        `UPDATE notes SET ${assignments.join(', ')}, version = version + 1, updated_at = now()
          WHERE workspace_id = $1 AND id = $2`,
        parameters,
      )
      .catch(translateSqlState(SQLSTATE.uniqueViolation, toTaken));
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
    if (events.length === 0) return;
    const dto = LOG_CLASSES[events[0]!.kind];
    const { messageId } = events[0]!;
    const entry: NoteLogEntry = messageId ? { noteId, messageId } : { noteId, first, last: lastSequence };
    await this.events.recordReference(workspaceId, dto, entry, { userId: actorId, source });
  }

  /** Updates the notes that reference a renamed row, and appends an event to each. */
  async renameRow(
    workspaceId: string,
    field: 'location' | 'asset',
    tableId: string,
    from: string,
    to: string,
  ): Promise<void> {
    const changed = await this.database.query<{ id: string }>(
      `UPDATE notes SET ${field}_key = $4, version = version + 1, updated_at = statement_timestamp()
        WHERE workspace_id = $1 AND ${field}_table_id = $2 AND ${field}_key = $3 RETURNING id`,
      [workspaceId, tableId, from, to],
    );
    if (changed.length === 0) return;
    const ids = changed.map(({ id }) => id).sort();
    const first = (await this.advanceCounter(workspaceId, ids.length)) - ids.length + 1;
    await this.database.affected(
      `INSERT INTO note_events (workspace_id, sequence, note_id, kind, field, "from", "to", source, at)
       SELECT $1, $2::bigint + position - 1, id, 'changed', $4, $5::jsonb, $6::jsonb, 'workspace', clock_timestamp()
         FROM unnest($3::uuid[]) WITH ORDINALITY AS changed (id, position)`,
      [workspaceId, first, ids, field, JSON.stringify({ tableId, key: from }), JSON.stringify({ tableId, key: to })],
    );
    const entries = ids.map((noteId, at): NoteLogEntry => ({ noteId, first: first + at, last: first + at }));
    await this.events.recordAll(
      workspaceId,
      entries.map((entry) => this.events.create(NoteUpdatedDto as Type<object>, entry)),
    );
  }
}

/** SQL: counts a message of the note `$2`. The arguments are the numbers of the other parameters. */
export function toMessageCounting({
  userId,
  source,
  time,
  bytes,
}: Record<'userId' | 'source' | 'time' | 'bytes', number>) {
  return `
    UPDATE notes SET message_count = message_count + 1,
                     last_message_at = greatest($${time}::timestamptz, to_timestamp((${LAST_MESSAGE_EPOCH} + 0.001)::float8)),
                     unreviewed_bytes = CASE WHEN $${source} = 'public' THEN unreviewed_bytes + $${bytes}::bigint ELSE 0 END,
                     version = version + 1, updated_at = now(), updated_by = $${userId}
     WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL`;
}
