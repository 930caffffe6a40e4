import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `none`: no process reads the file. `failed`: it has no thumbnail, as a recording, or could not be decoded. */
export type PreviewState = 'none' | 'pending' | 'ready' | 'failed';

/** Bytes in the storage, stored once per workspace. A cleanup job removes blobs that no attachment references. */
@Entity('blobs')
@Index('ix_blobs_preview', ['previewDueAt'], { where: "preview = 'pending'" })
@Index('ix_blobs_touched', ['touchedAt'])
export class StoredBlob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_blobs' })
  workspaceId: string;

  /** 64 hexadecimal digits. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_blobs' })
  sha256: string;

  /** In bytes. */
  @Column('bigint', { transformer: { from: Number, to: (value: number) => value } })
  size: number;

  /** Detected from the content. */
  @Column('text')
  contentType: string;

  /** The last upload of these bytes. The cleanup job removes an unreferenced blob a set time after it. */
  @Column({ type: 'timestamptz', precision: 3 })
  touchedAt: Date;

  @Column('text')
  preview: PreviewState;

  /** Earliest time of the next preview attempt. During an attempt: the end of its lease. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previewDueAt: Date | null;

  @Column('integer', { default: 0 })
  previewAttempts: number;

  /** In pixels, after the rotation that the image's metadata requests. */
  @Column('integer', { nullable: true })
  width: number | null;

  @Column('integer', { nullable: true })
  height: number | null;
}
