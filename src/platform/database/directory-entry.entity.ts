import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The workspace of something that callers name by a bare id. */
@Entity('directory')
export class DirectoryEntry {
  /** What it is, such as `project`. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_directory' })
  kind: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_directory' })
  id: string;

  @Column('uuid')
  workspaceId: string;
}
