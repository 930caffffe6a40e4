import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BatchSource } from '../../../../packages/tables/src/history/batch.js';

/** A change of the rows of a table: when, by whom and how a revision began. */
@Entity('table_revisions')
@Index('ix_table_revisions_at', ['workspaceId', 'tableId', 'at'])
export class TableRevision {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_revisions' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_revisions' })
  tableId: string;

  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'pk_table_revisions' })
  revision: number;

  /** The time of the rows that the change has written. It does not decrease from one revision to the next. */
  @Column({ type: 'timestamptz', precision: 3 })
  at: Date;

  /** The user who has changed the rows; null for the service itself. */
  @Column('uuid', { nullable: true })
  by: string | null;

  @Column('uuid', { nullable: true })
  batchId: string | null;

  /** Null for a write of single rows. */
  @Column('text', { nullable: true })
  source: BatchSource | null;
}
