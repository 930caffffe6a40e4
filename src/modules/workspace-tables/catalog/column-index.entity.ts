import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const INDEX_STATES = ['pending', 'building', 'ready', 'failed'] as const;

/** The index that a column is to have; `dropping` is one that it is to have no more. */
export type IndexState = (typeof INDEX_STATES)[number] | 'dropping';

/** What an instance has to do about the index of a column, and how far that is. */
@Entity('column_indexes')
@Index('ix_column_indexes_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class ColumnIndex {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_column_indexes' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_column_indexes' })
  tableId: string;

  /** Of the column. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_column_indexes' })
  ordinal: number;

  @Column('text')
  state: IndexState;

  /** Why it failed. */
  @Column('text', { nullable: true })
  message: string | null;

  /** The instance that is at it, as long as `dueAt` is ahead. */
  @Column('uuid', { nullable: true })
  token: string | null;

  /** When an instance may take it up; empty where there is nothing to do. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => 'now()' })
  dueAt: Date | null;
}
