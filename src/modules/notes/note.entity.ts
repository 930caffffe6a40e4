import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';
import { RowReferringRecord } from '../../records/row-referring-record.js';
import type { ExternalReferenceDto } from './dto/save-note.dto.js';

/** API surface on which a note, message or event was created. */
export const NOTE_SOURCES = ['api', 'workspace', 'public'] as const;
export type NoteSource = (typeof NOTE_SOURCES)[number];

/**
 * A note on a project, tag, location or asset (specification, section 2.6). Its texts are sorted by their bytes, as
 * those of tables.
 */
@Entity('notes')
@Unique('uq_notes_number', ['workspaceId', 'number'])
@Unique('uq_notes_external_id', ['workspaceId', 'externalId'])
@Index('ix_notes_project', ['workspaceId', 'projectId', 'id'])
@Index('ix_notes_tag', ['workspaceId', 'tagId', 'id'])
@Index('ix_notes_tour', ['workspaceId', 'tourId', 'id'])
@Index('ix_notes_location', ['workspaceId', 'locationTableId', 'locationKey'])
@Index('ix_notes_asset', ['workspaceId', 'assetTableId', 'assetKey'])
@Index('ix_notes_status', ['workspaceId', 'status', 'id'])
@Index('ix_notes_assignee', ['workspaceId', 'assignee', 'id'])
@Index('ix_notes_priority', ['workspaceId', 'priority', 'id'])
@Index('ix_notes_category', ['workspaceId', 'category', 'id'])
@Index('ix_notes_work_center', ['workspaceId', 'workCenter', 'id'])
@Index('ix_notes_type', ['workspaceId', 'type', 'id'])
@Index('ix_notes_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_notes_due', ['workspaceId', 'dueDate', 'id'])
@Index('ix_notes_created', ['workspaceId', 'createdAt'])
@Index('ix_notes_closed', ['workspaceId', 'closedAt'])
@Index('ix_notes_unreviewed', ['workspaceId', 'unreviewedBytes'], { where: 'unreviewed_bytes > 0' })
// TypeORM cannot declare GIN indexes.
@Index('ix_notes_words', { synchronize: false })
@Index('ix_notes_custom_fields', { synchronize: false })
export class Note extends RowReferringRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notes' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notes' })
  id: string;

  /** For people: consecutive within the workspace, from 1. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  number: number;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  title: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  description: string | null;

  @Column({ type: 'text', collation: 'C' })
  status: string;

  /** A type of the workspace. */
  @Column({ type: 'text', default: 'note', collation: 'C' })
  type: string;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  priority: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  category: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  workCenter: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  assignee: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  @NamesPersons()
  reporter: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  scheduledDate: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueDate: Date | null;

  /** When the note entered a status of category `done`; null in other statuses. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  closedAt: Date | null;

  @Column('uuid', { nullable: true })
  projectId: string | null;

  @Column('integer', { nullable: true })
  tagId: number | null;

  /** The tag's tour; without a tag, the tour of a public request. */
  @Column('uuid', { nullable: true })
  tourId: string | null;

  @Column('jsonb', { default: {} })
  @NamesPersons('attributes')
  customFields: Record<string, string>;

  /** Also in `note_external_references`, whose primary key makes `system` and `id` unique. */
  @Column('jsonb', { default: [] })
  externalReferences: ExternalReferenceDto[];

  /** The IDs of users. */
  @Column('uuid', { array: true, default: '{}' })
  watchers: string[];

  @Column('integer', { default: 0 })
  messageCount: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastMessageAt: Date | null;

  @Column({ type: 'text', collation: 'C' })
  source: NoteSource;

  /** Bytes that anonymous callers stored, as text and files, since a user of the workspace last changed the note. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  unreviewedBytes: number;

  /**
   * The words of title and description for the full-text index (`note-words.ts`); only `NotesRepository` writes them.
   */
  @Column({ type: 'tsvector', default: '', select: false, insert: false, update: false })
  words?: string;
}

/** Makes `system` and `id` of external references unique in a workspace, and finds their notes. */
@Entity('note_external_references')
@Index('ix_note_external_references_note', ['workspaceId', 'noteId'])
export class NoteExternalReference {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_note_external_references' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_note_external_references' })
  system: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_note_external_references' })
  id: string;

  @Column('uuid')
  noteId: string;
}
