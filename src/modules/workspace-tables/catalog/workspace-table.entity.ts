import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { EntityKind } from './entity-kind.js';

/** The version of the physical layout that tables are made in. */
export const LAYOUT = 2;

/** A table's entry in the catalog. Its rows live in a physical table of their own, in the workspace's schema. */
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

  /** The name as it is compared: unique per workspace and entity. */
  @Column('text')
  nameKey: string;

  /** Counts the writes that changed anything. Rows carry the revision that last changed them. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  revision: number;

  /** The highest ordinal that a column had which was dropped: it is not given away again. */
  @Column('integer', { default: 0 })
  droppedOrdinal: number;

  /** Version of the physical layout. */
  @Column('integer')
  layout: number;

  /** No deleted row that is left is older; null where none is left. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  tombstonesSince: Date | null;

  /** What was deleted up to this revision may be forgotten by now. */
  @Column('bigint', { default: 0, transformer: { from: Number, to: (value: number) => value } })
  changesSince: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
