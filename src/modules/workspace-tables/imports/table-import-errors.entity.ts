import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { TableImport } from './table-import.entity.js';

/**
 * A part of the errors of an import, with the rejected rows as they were sent. Deleted with the record of the import.
 */
@Entity('table_import_errors')
export class TableImportErrors {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_import_errors' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_table_import_errors' })
  importId: string;

  /** Position of the part, from 0. */
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'pk_table_import_errors' })
  position: number;

  /** NDJSON, compressed by gzip. */
  @Column('bytea')
  content: Buffer;

  @ManyToOne(() => TableImport, { onDelete: 'CASCADE' })
  @JoinColumn([
    {
      name: 'workspace_id',
      referencedColumnName: 'workspaceId',
      foreignKeyConstraintName: 'fk_table_import_errors_import',
    },
    { name: 'import_id', referencedColumnName: 'id', foreignKeyConstraintName: 'fk_table_import_errors_import' },
  ])
  import?: TableImport;
}
