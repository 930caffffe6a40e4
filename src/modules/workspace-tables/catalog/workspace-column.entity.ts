import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { ColumnType } from '../../../../packages/tabular/src/coercions.js';
import type { ColumnOptions } from '../../../../packages/tables/src/catalog/column-types.js';

/** A column of a workspace table in the catalog. */
@Entity('workspace_columns')
@Unique('uq_workspace_columns_ordinal', ['workspaceId', 'tableId', 'ordinal'])
export class WorkspaceColumn {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_columns' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_columns' })
  tableId: string;

  /** Identifies the column in rows and queries. Immutable. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_workspace_columns' })
  key: string;

  /** The number in the name of the physical column (`c1` … `cn`). Never reused. */
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

  /** The revision of the table that has added the column. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  addedRevision: number;
}
