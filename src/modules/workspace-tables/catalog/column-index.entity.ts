import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const INDEX_STATES = ['pending', 'building', 'ready', 'failed'] as const;

export type RequestedIndexState = (typeof INDEX_STATES)[number];

/** `dropping`: the index is no longer requested, but not yet dropped. */
export type IndexState = RequestedIndexState | 'dropping';

/** A requested index of one or several columns, and the progress of the instance that builds or drops it. */
@Entity('column_indexes')
@Index('ix_column_indexes_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class ColumnIndex {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_column_indexes' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_column_indexes' })
  tableId: string;

  /** Identifies the columns: one for the option `indexed`, several for a composite index. */
  @PrimaryColumn('integer', { array: true, primaryKeyConstraintName: 'pk_column_indexes' })
  ordinals: number[];

  @Column('text')
  state: IndexState;

  /** The reason of the last failure, for callers, until the index is ready or requested again. */
  @Column('text', { nullable: true })
  message: string | null;

  /**
   * The revision of the table for which the build failed: a later one is a reason to build the index again. 0 if the
   * rows are not the reason of the failure.
   */
  @Column('bigint', { nullable: true })
  failedRevision: number | null;

  /** Identifies the lease of the instance that works on the index, until `dueAt`. */
  @Column('uuid', { nullable: true })
  token: string | null;

  /**
   * When an instance may start work or take over an expired lease; null if there is nothing to do. A failed index is
   * due only if its table has a later revision than `failedRevision`.
   */
  @Column({ type: 'timestamptz', precision: 3, nullable: true, default: () => 'now()' })
  dueAt: Date | null;
}
