import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The first three are under way; the last three are final. */
export const IMPORT_STATUSES = ['receiving', 'reading', 'writing', 'succeeded', 'failed', 'cancelled'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

const count = { default: 0, transformer: { from: Number, to: (value: number) => value } };

/** An import into a table, as it goes on and as it ended. */
@Entity('table_imports')
@Index('ix_table_imports_created', ['workspaceId', 'createdAt', 'id'])
@Index('ix_table_imports_running', ['updatedAt'], { where: 'finished_at IS NULL' })
@Index('ix_table_imports_finished', ['finishedAt'])
export class TableImport {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_imports' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_imports' })
  id: string;

  /** The table may be gone by now. */
  @Column('uuid')
  tableId: string;

  @Column('text')
  status: ImportStatus;

  @Column('boolean')
  dryRun: boolean;

  /** That have come, as they were sent. */
  @Column('bigint', count)
  bytes: number;

  @Column('bigint', count)
  rowsRead: number;

  @Column('bigint', count)
  rowsWritten: number;

  @Column('bigint', count)
  rowsFailed: number;

  /** Why it failed. */
  @Column('jsonb', { nullable: true })
  error: { code: string; message: string } | null;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  /** The instance that carries it out is heard of about once a second. */
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}
