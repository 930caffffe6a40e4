import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { NoteSource } from './note.entity.js';

/** `files`: files were added to the note itself; `message`: the note was answered. */
export const NOTE_EVENT_KINDS = ['created', 'changed', 'files', 'message', 'archived', 'restored'] as const;
export type NoteEventKind = (typeof NOTE_EVENT_KINDS)[number];

/** Something that happened to a note. The sequence is that of the commits in the workspace, without exception. */
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

  /** The field that was changed. */
  @Column('text', { nullable: true })
  field: string | null;

  @Column('jsonb', { nullable: true })
  from: unknown;

  @Column('jsonb', { nullable: true })
  to: unknown;

  @Column('uuid', { nullable: true })
  messageId: string | null;

  /** Who did it; null for strangers, and for what the service does by itself. */
  @Column('uuid', { nullable: true })
  actorId: string | null;

  @Column('text')
  source: NoteSource;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  at: Date;
}
