import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import { NamesPersons } from '../../platform/database/names-persons.decorator.js';

/** A file of a record: a name and a reference to the blob with its bytes. */
@Entity('attachments')
@Index('ix_attachments_owner', ['workspaceId', 'ownerId'])
@Index('ix_attachments_blob', ['workspaceId', 'sha256'])
export class Attachment {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_attachments' })
  workspaceId: string;

  /** UUID v7: sorts an owner's files in the order in which they were attached. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_attachments' })
  id: string;

  /** ID of the note, the message, or the source or variation of a virtual staging. */
  @Column('uuid')
  ownerId: string;

  @Column('text')
  sha256: string;

  @Column('text')
  @NamesPersons()
  filename: string;

  @CreateDateColumn({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  createdBy: string | null;
}
