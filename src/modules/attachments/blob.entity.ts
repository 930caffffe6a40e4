import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `none`: there is nothing to show in small. `failed`: it could not be read as the image it says it is. */
export type PreviewState = 'none' | 'pending' | 'ready' | 'failed';

/** Bytes in the storage, kept once a workspace. Attachments claim them; what none claims is removed. */
@Entity('blobs')
@Index('ix_blobs_preview', ['previewDueAt'], { where: "preview = 'pending'" })
@Index('ix_blobs_touched', ['touchedAt'])
export class Blob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_blobs' })
  workspaceId: string;

  /** 64 hexadecimal digits. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_blobs' })
  sha256: string;

  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  size: number;

  /** As judged by content. */
  @Column('text')
  contentType: string;

  /** When somebody last brought these bytes: from then on they have a while to be claimed. */
  @Column({ type: 'timestamptz', precision: 3 })
  touchedAt: Date;

  @Column('text')
  preview: PreviewState;

  /** When a preview is to be made, or, while one is being made, when that is given up. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previewDueAt: Date | null;

  @Column('integer', { default: 0 })
  previewAttempts: number;

  /** In pixels, as shown: turned as the image says. */
  @Column('integer', { nullable: true })
  width: number | null;

  @Column('integer', { nullable: true })
  height: number | null;
}
