import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { AuditedRecord } from '../../platform/database/audited-record.js';

/** Which surface a note, a message or a change came in by. */
export const NOTE_SOURCES = ['api', 'workspace', 'public'] as const;
export type NoteSource = (typeof NOTE_SOURCES)[number];

/** What somebody noted about a place, a thing, a tag or a project (specification, section 2.6). Messages answer it. */
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
@Index('ix_notes_updated', ['workspaceId', 'updatedAt', 'id'])
@Index('ix_notes_due', ['workspaceId', 'dueDate', 'id'])
@Index('ix_notes_created', ['workspaceId', 'createdAt'])
@Index('ix_notes_closed', ['workspaceId', 'closedAt'])
@Index('ix_notes_unreviewed', ['workspaceId', 'unreviewedBytes'], { where: 'unreviewed_bytes > 0' })
// An index of an expression, which no decorator can say.
@Index('ix_notes_text', { synchronize: false })
export class Note extends AuditedRecord {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notes' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_notes' })
  id: string;

  /** For people: counted in the workspace. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  number: number;

  /** The integrator's own name for it. */
  @Column('text', { nullable: true })
  externalId: string | null;

  @Column('text', { nullable: true })
  title: string | null;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text')
  status: string;

  @Column('text', { nullable: true })
  priority: string | null;

  @Column('text', { nullable: true })
  assignee: string | null;

  @Column('text', { nullable: true })
  reporter: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  scheduledDate: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueDate: Date | null;

  /** When it reached a status of the category `done`. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  closedAt: Date | null;

  @Column('uuid', { nullable: true })
  projectId: string | null;

  @Column('integer', { nullable: true })
  tagId: number | null;

  /** The tag's; what a public call names by itself where there is no tag. */
  @Column('uuid', { nullable: true })
  tourId: string | null;

  @Column('uuid', { nullable: true })
  locationTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  locationKey: string | null;

  @Column('uuid', { nullable: true })
  assetTableId: string | null;

  @Column({ type: 'text', nullable: true, collation: 'C' })
  assetKey: string | null;

  @Column('jsonb', { default: {} })
  customFields: Record<string, string>;

  @Column('integer', { default: 0 })
  messageCount: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastMessageAt: Date | null;

  @Column('text')
  source: NoteSource;

  /** Bytes that strangers have attached and nobody of the workspace has looked at. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  unreviewedBytes: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  archivedAt: Date | null;
}
