import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EntityKind } from './entity-kind.js';

/**
 * The key of a row, for lookups in all tables of an entity (docs/explanation/performance.md#keys-of-many-tables). A
 * table is complete up to its position.
 */
@Entity('row_keys')
export class RowKey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_row_keys' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_row_keys' })
  entity: EntityKind;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_row_keys', collation: 'C' })
  key: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_row_keys' })
  tableId: string;
}

/** The position in the changes of a table up to which its keys are listed. */
@Entity('row_key_positions')
export class RowKeyPosition {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_row_key_positions' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_row_key_positions' })
  tableId: string;

  @Column('bigint')
  revision: number;

  /** The last listed key of the revision; null if all are listed. */
  @Column({ type: 'text', nullable: true, collation: 'C' })
  key: string | null;
}
