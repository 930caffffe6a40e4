import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import type { NoteSource } from './note.entity.js';

/** A message: text, files or both, added to a note. */
@Entity('note_messages')
@Index('ix_note_messages_note', ['workspaceId', 'noteId', 'id'])
export class NoteMessage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_messages' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_messages' })
  id: string;

  @Column('uuid')
  noteId: string;

  @Column('text', { nullable: true })
  @NamesPersons()
  description: string | null;

  @Column('text')
  source: NoteSource;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;
}
