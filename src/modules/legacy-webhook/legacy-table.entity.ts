import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { LegacyArray } from './legacy-mapping.js';

/** The table that stores an array of the webhook. */
@Entity('legacy_tables')
export class LegacyTable {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_legacy_tables' })
  workspaceId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_legacy_tables' })
  array: LegacyArray;

  @Column('uuid')
  tableId: string;
}
