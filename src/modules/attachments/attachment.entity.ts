import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A file of a record: a name, and the bytes it stands for. */
@Entity('attachments')
@Index('ix_attachments_owner', ['workspaceId', 'ownerId'])
@Index('ix_attachments_blob', ['workspaceId', 'sha256'])
export class Attachment {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_attachments' })
  workspaceId: string;

  /** In the order in which the files came. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_attachments' })
  id: string;

  /** The note, message, source or variation of a staging. */
  @Column('uuid')
  ownerId: string;

  @Column('text')
  sha256: string;

  @Column('text')
  filename: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;
}
