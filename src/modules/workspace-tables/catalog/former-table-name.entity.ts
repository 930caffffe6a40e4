import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EntityKind } from './entity-kind.js';

/**
 * A name that meant a table once, which was dropped or is called otherwise by now. The next table of that name counts its
 * revisions on from there, so that nobody who knows the other one by its name takes the two for one.
 */
@Entity('former_table_names')
export class FormerTableName {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_former_table_names' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_former_table_names' })
  entity: EntityKind;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_former_table_names' })
  nameKey: string;

  @Column('uuid')
  tableId: string;

  /** The table's last one under the name. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  revision: number;
}
