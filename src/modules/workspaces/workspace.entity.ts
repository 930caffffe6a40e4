import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** A tenant: it owns one set of tables, its projects and its notes. */
@Entity('workspaces')
export class Workspace {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspaces' })
  id: string;

  @Column('text')
  name: string;

  /** Short name for people and links, unique in the service. */
  @Column('text', { unique: true })
  slug: string;

  /** IANA name. */
  @Column('text', { default: 'UTC' })
  timezone: string;

  @VersionColumn({ default: 1 })
  version: number;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column('uuid', { nullable: true })
  updatedBy: string | null;
}
