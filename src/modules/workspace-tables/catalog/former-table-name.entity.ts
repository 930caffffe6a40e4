import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EntityKind } from '../../../../packages/tables/src/catalog/entity-kind.js';

/**
 * The name of a table that was dropped or renamed. The next table of that name continues the revisions, so that an ETag
 * or a cursor of the former table is not valid for it.
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

  /** The last revision of the former table under this name. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  revision: number;
}
