import { Column, CreateDateColumn, UpdateDateColumn, VersionColumn } from 'typeorm';

/** Base class of entities with a version and the time and user of creation and last change. */
export abstract class AuditedRecord {
  /** Begins at 1; each change adds 1. */
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
