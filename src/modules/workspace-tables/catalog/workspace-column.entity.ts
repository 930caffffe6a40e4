import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { ColumnOptions, ColumnType } from './column-types.js';

/** A column's entry in the catalog. */
@Entity('workspace_columns')
@Unique('uq_workspace_columns_ordinal', ['workspaceId', 'tableId', 'ordinal'])
export class WorkspaceColumn {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_columns' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_columns' })
  tableId: string;

  /** Immutable; how items and queries name the column. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_workspace_columns' })
  key: string;

  /** Names the physical column (`c1` … `cn`); never reused. */
  @Column('integer')
  ordinal: number;

  @Column('text')
  name: string;

  @Column('text')
  type: ColumnType;

  @Column('boolean', { default: false })
  primaryKey: boolean;

  @Column('boolean', { default: false })
  required: boolean;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('jsonb', { default: {} })
  options: ColumnOptions;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
