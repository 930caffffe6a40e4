import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';
import type { TableOptions } from '../../../../packages/tables/src/catalog/table-options.js';

/** A workspace table in the catalog. Its rows are in a physical table in the schema of the workspace. */
@Entity('workspace_tables')
@Unique('uq_workspace_tables_name', ['workspaceId', 'entity', 'nameKey'])
@Index('ix_workspace_tables_tombstones', ['tombstonesSince'], { where: 'tombstones_since IS NOT NULL' })
export class WorkspaceTable {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_tables' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_tables' })
  id: string;

  @Column('text')
  entity: EntityKind;

  @Column('text')
  name: string;

  /** The normalized name (`normalizeName`), unique per workspace and entity. */
  @Column('text')
  nameKey: string;

  /** Increases with each write that changes the table. Each row has the revision that last changed it. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  revision: number;

  /** The highest ordinal of a dropped column. New columns get higher ones. */
  @Column('integer', { default: 0 })
  droppedOrdinal: number;

  /** A new ID for each change of the columns and composite indexes: instances cache them by it. */
  @Column('uuid')
  definitionId: string;

  /** `definitionId` changes with them. */
  @Column('jsonb', { default: {} })
  options: TableOptions;

  /** All tombstones are newer; null if there are none. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  tombstonesSince: Date | null;

  /** The change feed starts after this revision: older tombstones may have been removed. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  changesSince: number;

  /** The history starts after this revision: former rows that it or an earlier one has ended may have been removed. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  historySince: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
