import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';

/** A group of an identity provider, as it has provisioned it to a workspace. */
@Entity('scim_groups')
@Unique('uq_scim_groups_name', ['workspaceId', 'displayName'])
export class ScimGroup {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scim_groups' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_scim_groups' })
  id: string;

  @Column('text', { nullable: true })
  externalId: string | null;

  @Column('text')
  displayName: string;

  /** The IDs of users. */
  @Column('uuid', { array: true, default: [] })
  members: string[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
