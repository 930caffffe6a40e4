import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BatchSource, BatchTable } from '../../../../packages/tables/src/history/batch.js';

/**
 * A request that wrote rows of one or several tables. The former rows are in the schema of the workspace, by the
 * revision that has ended them.
 */
@Entity('table_batches')
@Index('ix_table_batches_created', ['workspaceId', 'createdAt', 'id'])
@Index('ix_table_batches_old', ['createdAt'])
export class TableBatch {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_batches' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_batches' })
  id: string;

  @Column('text')
  source: BatchSource;

  @Column('jsonb')
  tables: BatchTable[];

  /** The batch that this one has undone. */
  @Column('uuid', { nullable: true })
  undoes: string | null;

  @Column('uuid', { nullable: true })
  undoneBy: string | null;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
