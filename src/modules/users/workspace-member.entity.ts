import { CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A user's membership of a workspace. */
@Entity('workspace_members')
@Index('ix_workspace_members_user', ['userId'])
export class WorkspaceMember {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_members' })
  workspaceId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_workspace_members' })
  userId: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
