import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import type { NoteSource } from './note.entity.js';

/** `files`: files were added to the note itself; `message`: a message was added. */
export const NOTE_EVENT_KINDS = ['created', 'changed', 'files', 'message', 'archived', 'restored'] as const;
export type NoteEventKind = (typeof NOTE_EVENT_KINDS)[number];

/** The field of the events that change only who watches a note. */
export const WATCHERS = 'watchers';

/** One recorded change of a note. The sequence is the order of the commits in the workspace. */
@Entity('note_events')
@Index('ix_note_events_note', ['workspaceId', 'noteId', 'sequence'])
export class NoteEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_events' })
  workspaceId: string;

  @PrimaryColumn('bigint', {
    primaryKeyConstraintName: 'pk_note_events',
    transformer: { from: Number, to: (value: number) => value },
  })
  sequence: number;

  @Column('uuid')
  noteId: string;

  @Column('text')
  kind: NoteEventKind;

  /** The changed field. */
  @Column('text', { nullable: true })
  field: string | null;

  @Column('jsonb', { nullable: true })
  @NamesPersons()
  from: unknown;

  @Column('jsonb', { nullable: true })
  @NamesPersons()
  to: unknown;

  @Column('uuid', { nullable: true })
  messageId: string | null;

  /** The user; null for anonymous callers and for changes by the service itself. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  @Column('text')
  source: NoteSource;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;
}

/**
 * The last note number and event sequence of a workspace. Every write of a note locks this row last, until it commits.
 * Events therefore become visible in the order of their sequence, and a reader of the feed misses none.
 */
@Entity('note_counters')
export class NoteCounter {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_counters' })
  workspaceId: string;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  lastNumber: number;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  lastSequence: number;
}
