import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The workspace of a record that callers name only by its ID. */
@Entity('directory')
export class DirectoryEntry {
  /** The type of the record, such as `project`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_directory' })
  kind: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_directory' })
  id: string;

  @Column('uuid')
  workspaceId: string;
}
